/** The script of the package SNMP against an agent of the test, devices that lose, refuse or repeat, and Debian's snmpd. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import snmp from 'net-snmp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageProblem, sizeProblem } from '../../ingest/check-message.ts';
import { freePort } from '../../testing/server-process.ts';
import { createScripts, ended, type Scripts } from '../../testing/scripts.ts';

let scripts: Scripts;
const community = { CLOUDFIT_SECRET_COMMUNITY: 'plant' };
const runScript = (operation: string, parameters: Record<string, string>, secrets: Record<string, string> = community) =>
  scripts.run('snmp', operation, { Version: '2c', ...parameters }, secrets);

const user = {
  name: 'eva',
  level: snmp.SecurityLevel.authPriv,
  authProtocol: snmp.AuthProtocols.sha256,
  authKey: 'key-of-the-user',
  privProtocol: snmp.PrivProtocols.aes,
  privKey: 'key-for-privacy',
};
const system = '1.3.6.1.2.1.1';
let agent: ReturnType<typeof snmp.createAgent>;
let agentPort: number;
let host: string;

beforeAll(async () => {
  scripts = await createScripts(['snmp']);
  agentPort = await freePort();
  host = `127.0.0.1:${agentPort}`;
  agent = snmp.createAgent({ port: agentPort, address: '127.0.0.1' }, () => undefined);
  agent.getAuthorizer().addCommunity('plant');
  agent.getAuthorizer().addUser(user);
  const mib = agent.getMib();
  const opaque = (hex: string) => Buffer.from(hex, 'hex');
  const scalars = [
    ['descr', `${system}.1`, snmp.ObjectType.OctetString, 'Pump 7'],
    ['uptime', `${system}.3`, snmp.ObjectType.TimeTicks, 4711],
    ['services', `${system}.7`, snmp.ObjectType.Integer, -3],
    ['octets', `${system}.8`, snmp.ObjectType.Counter64, Buffer.from('000000012a05f200', 'hex')],
    ['float', '1.3.6.1.4.1.99.1', snmp.ObjectType.Opaque, opaque('9f780440b36c00')],
    ['double', '1.3.6.1.4.1.99.2', snmp.ObjectType.Opaque, opaque('9f7908c02921fb54442d18')],
    ['counter', '1.3.6.1.4.1.99.3', snmp.ObjectType.Opaque, opaque('9f760500ffffffff')],
    ['signed', '1.3.6.1.4.1.99.4', snmp.ObjectType.Opaque, opaque('9f7a01fe')],
    ['nan', '1.3.6.1.4.1.99.5', snmp.ObjectType.Opaque, opaque('9f78047fc00000')],
    ['bytes', '1.3.6.1.4.1.99.6', snmp.ObjectType.Opaque, opaque('0403ffee')],
    ['padded', '1.3.6.1.4.1.99.7', snmp.ObjectType.OctetString, Buffer.from('LaserJet\0\0')],
    ['zeros', '1.3.6.1.4.1.99.8', snmp.ObjectType.OctetString, Buffer.from('\0\0')],
  ] as const;
  for (const [name, oid, scalarType, value] of scalars) {
    mib.registerProvider({ name, type: snmp.MibProviderType.Scalar, oid, scalarType, maxAccess: snmp.MaxAccess['read-only'] });
    mib.setScalarValue(name, value);
  }
});
afterAll(() => {
  agent.close();
  scripts.close();
});

const objects = `Descr=${system}.1.0, Uptime = ${system}.3.0, ${system}.9.0`;

/** The errors that an answer of this device has instead of objects; `undefined` passes the request on to the agent. */
async function deviceBefore(answer: (request: Buffer, count: number) => number | 'lost' | undefined): Promise<string> {
  const front = createSocket('udp4');
  let count = 0;
  front.on('message', (request: Buffer, from) => {
    const error = answer(request, ++count);
    if (error === 'lost') return;
    if (error === undefined) {
      const back = createSocket('udp4');
      back.once('message', (reply) => {
        front.send(reply, from.port, from.address);
        back.close();
      });
      back.send(request, agentPort, '127.0.0.1');
      return;
    }
    // The request with the type of an answer, and with the status and index of an error, or of a bulk request its counts.
    const reply = Buffer.from(request);
    const community = reply.indexOf('plant');
    reply[community + 5] = 0xa2;
    const status = reply.indexOf(Buffer.from([0x02, 0x01]), community + 9 + (reply[community + 8] ?? 0));
    reply[status + 2] = error;
    reply[status + 5] = 1;
    front.send(reply, from.port, from.address);
  });
  return `127.0.0.1:${await scripts.bound(front)}`;
}

describe('get', () => {
  it.each(['1', '2c'])('reads numbers and texts, and says what the device does not have, in version %s', async (Version) => {
    const { report, code } = await runScript('SNMP get', { Host: host, Objects: objects, Version });
    expect(code).toBe(0);
    expect(report).toEqual({
      value: 'Pump 7',
      metrics: { Up: 1, Uptime: 4711 },
      states: { Answers: 'Up', Descr: 'Pump 7' },
      message: `The device does not have ${system}.9.0.`,
    });
  });

  it('signs and encrypts with the keys of a user in version 3, and says what the device refuses', async () => {
    const parameters = {
      Host: host,
      Objects: `Octets=${system}.8.0`,
      Version: '3',
      User: 'eva',
      Authentication: 'sha256',
      Privacy: 'aes',
      'Time limit': '5',
    };
    const keys = { CLOUDFIT_SECRET_AUTH_KEY: user.authKey, CLOUDFIT_SECRET_PRIVACY_KEY: user.privKey };
    expect((await runScript('SNMP get', parameters, keys)).report).toMatchObject({
      value: 5_000_000_000,
      metrics: { Octets: 5_000_000_000 },
    });
    const wrong = await runScript('SNMP get', parameters, { ...keys, CLOUDFIT_SECRET_AUTH_KEY: 'another-key' });
    expect(wrong.report).toMatchObject({ value: null, status: 'Unknown', states: { Answers: 'Unknown' } });
    expect(wrong.report.metrics).toBeUndefined();
  });

  it('reads the numbers within Opaque', async () => {
    const names = ['Float', 'Double', 'Counter', 'Signed', 'Nan', 'Bytes'].map((name, at) => `${name}=1.3.6.1.4.1.99.${at + 1}.0`);
    expect((await runScript('SNMP get', { Host: host, Objects: names.join(',') })).report).toEqual({
      value: 5.606934,
      metrics: { Up: 1, Float: 5.606934, Double: -12.566370614359172, Counter: 4_294_967_295, Signed: -2 },
      states: { Answers: 'Up', Bytes: '0403ffee' },
      message: 'The device does not have Nan.',
    });
  });

  it('reads texts that are filled with zeros', async () => {
    const { report } = await runScript('SNMP get', { Host: host, Objects: 'Model=1.3.6.1.4.1.99.7.0,Zeros=1.3.6.1.4.1.99.8.0' });
    expect(report.states).toEqual({ Answers: 'Up', Model: 'LaserJet', Zeros: '0000' });
  });

  it('asks again when a datagram was lost, and says Down after four', async () => {
    const lossy = await deviceBefore((_request, count) => (count <= 2 ? 'lost' : undefined));
    expect((await runScript('SNMP get', { Host: lossy, Objects: `${system}.3.0`, 'Time limit': '5' })).report).toMatchObject({
      metrics: { Up: 1 },
      value: 4711,
    });
    let requests = 0;
    const silent = await deviceBefore(() => (requests++, 'lost'));
    expect((await runScript('SNMP get', { Host: silent, Objects: objects, 'Time limit': '0.4' })).report).toMatchObject({
      metrics: { Up: 0 },
      states: { Answers: 'Down', Reason: 'No answer to 4 requests; a device is also silent if the community is wrong' },
    });
    expect(requests).toBe(4);
  });

  it('asks for less when an answer would be too big, and tells a refusal from silence', async () => {
    const [tooBig, noAccess] = [1, 6];
    const small = await deviceBefore((request) => (request.length > 60 ? tooBig : undefined));
    expect((await runScript('SNMP get', { Host: small, Objects: objects })).report).toMatchObject({
      metrics: { Up: 1, Uptime: 4711 },
      states: { Descr: 'Pump 7' },
      message: `The device does not have ${system}.9.0.`,
    });
    const closed = await deviceBefore(() => noAccess);
    expect((await runScript('SNMP get', { Host: closed, Objects: objects })).report).toEqual({
      value: null,
      status: 'Unknown',
      states: { Answers: 'Unknown', Reason: 'The device answers, but it does not permit to read this.' },
      message: expect.stringMatching(/it does not permit to read this$/),
    });
  });

  it('takes the names of a MIB, as text or from a file', async () => {
    const mib = `PUMP-MIB DEFINITIONS ::= BEGIN
      IMPORTS enterprises, OBJECT-TYPE, MODULE-IDENTITY FROM SNMPv2-SMI;
      pumpLoad OBJECT-TYPE SYNTAX Opaque -- of the last minute
        MAX-ACCESS read-only STATUS current DESCRIPTION "wrong OBJECT-TYPE ::= { enterprises 1 }" ::= { pump 1 }
      pump MODULE-IDENTITY LAST-UPDATED "202601010000Z" ORGANIZATION "P" CONTACT-INFO "P" DESCRIPTION "P" ::= { plant 99 }
      PumpEntry ::= SEQUENCE { pumpPart OBJECT IDENTIFIER, pumpLoad Opaque }
      plant OBJECT IDENTIFIER ::= { iso org(3) dod(6) internet(1) private(4) 1 } -- "
      pumpPart OBJECT-TYPE SYNTAX OBJECT IDENTIFIER MAX-ACCESS read-only STATUS current DESCRIPTION "one -- or none" ::= { pump 2 }
    END`;
    const path = join(scripts.folder, 'PUMP-MIB.txt');
    writeFileSync(path, mib);
    for (const MIB of [mib, path])
      expect((await runScript('SNMP get', { Host: host, Objects: 'Load=PUMP-MIB::pumpLoad.0, sysUpTime.0', MIB })).report.metrics).toEqual({
        Up: 1,
        Load: 5.606934,
        'sysUpTime.0': 4711,
      });
    expect(await runScript('SNMP get', { Host: host, Objects: 'pumpLoad.0' })).toMatchObject({
      code: 1,
      errors: 'Objects: pumpLoad.0 is neither an object identifier, such as 1.3.6.1.2.1.1.3.0, nor the name of an object in MIB.\n',
    });
    expect((await runScript('SNMP get', { Host: host, Objects: 'pumpLoad.0', MIB: '/no/such' })).errors).toBe(
      'MIB: /no/such cannot be read (ENOENT).\n',
    );
  });

  it('says what is wrong with a parameter', async () => {
    expect(await runScript('SNMP get', { Host: host, Objects: 'Up=1.3.6' })).toMatchObject({
      code: 1,
      errors: 'Objects: Up is a name of the report itself; please choose another one.\n',
    });
    const parameters = { Host: host, Objects: objects, Version: '3', User: 'eva' };
    expect((await runScript('SNMP get', parameters, { CLOUDFIT_SECRET_PRIVACY_KEY: 'x' })).errors).toBe(
      'Privacy needs the secret {Auth key} too.\n',
    );
  });
});

describe('walk', () => {
  it.each(['1', '2c'])('reads what is below an identifier, and says where it was cut, in version %s', async (Version) => {
    const { report } = await runScript('SNMP walk', { Host: host, Below: system, Version, 'At most': '3' });
    const cut = 'Cut at 3 objects: there are more.';
    expect(report).toEqual({
      value: 3,
      metrics: { Up: 1, '3.0': 4711, '7.0': -3 },
      states: { Answers: 'Up', Cut: cut },
      diagnostics: {
        objects: [
          [`${system}.1.0`, 'Pump 7'],
          [`${system}.3.0`, 4711],
          [`${system}.7.0`, -3],
        ],
      },
      message: cut,
    });
    const all = await runScript('SNMP walk', { Host: host, Below: system });
    expect(all.report.value).toBe(4);
    expect(all.report.states).toEqual({ Answers: 'Up' });
  });

  it('says so when a device falls silent in between, or asks for smaller answers', async () => {
    const silent = await deviceBefore((_request, count) => (count > 2 ? 'lost' : undefined));
    const { report } = await runScript('SNMP walk', { Host: silent, Below: system, Version: '1', 'Time limit': '0.4' });
    expect(report).toMatchObject({
      value: 2,
      metrics: { Up: 1 },
      states: { Cut: 'Cut at 2 objects: the device no longer answers.' },
    });
    const small = await deviceBefore((_request, count) => (count <= 2 ? 1 : undefined));
    expect((await runScript('SNMP walk', { Host: small, Below: system })).report.value).toBe(4);
  });
});

// Skipped without Debian's snmpd, which scripts/debian.mjs installs if it may.
describe.skipIf(!existsSync('/usr/sbin/snmpd'))("Debian's snmpd", () => {
  let snmpd: ChildProcess;
  let real: string;
  beforeAll(async () => {
    const port = await freePort();
    real = `127.0.0.1:${port}`;
    const conf = join(scripts.folder, 'snmpd.conf');
    const lines = [
      'rocommunity plant',
      'sysName pump7',
      'createUser eva SHA-256 "key-of-the-user" AES "key-for-privacy"',
      'rouser eva priv',
    ];
    writeFileSync(conf, `${lines.join('\n')}\n`);
    snmpd = spawn('/usr/sbin/snmpd', ['-f', '-Lf', '/dev/null', '-C', '-c', conf, '-p', join(scripts.folder, 'snmpd.pid'), `udp:${real}`], {
      stdio: 'ignore',
      env: { ...process.env, SNMP_PERSISTENT_DIR: join(scripts.folder, 'snmpd') },
    });
    const up = async () => (await runScript('SNMP get', { Host: real, Objects: 'sysName.0', 'Time limit': '1' })).report.metrics?.['Up'];
    for (let tries = 0; tries < 60 && (await up()) !== 1; tries++);
  });
  afterAll(() => ended(snmpd));

  it.each(['1', '2c'])(
    'tells its load, its interfaces by their names, and no object that it does not have, in version %s',
    async (Version) => {
      const got = await runScript('SNMP get', {
        Host: real,
        Version,
        Objects: 'Name=sysName.0,Load=1.3.6.1.4.1.2021.10.1.6.1,No=1.3.6.1.2.1.1.99.0',
      });
      expect(got.report).toMatchObject({
        value: 'pump7',
        metrics: { Up: 1, Load: expect.any(Number) },
        message: 'The device does not have No.',
      });
      const { report } = await runScript('SNMP table', { Host: real, Version });
      expect(report.metrics).toMatchObject({ Up: 1, 'OperStatus lo': 1, 'InOctets lo': expect.any(Number), 'OutErrors lo': 0 });
      expect(report.value).toBeGreaterThan(0);
      const cut = await runScript('SNMP table', { Host: real, Version, Columns: 'Type=ifType, Phantom=1.3.6.1.4.1.99', 'At most': '1' });
      expect(Object.keys(cut.report.metrics ?? {})).toHaveLength(2);
      expect(cut.report.message).toContain('The device does not have Phantom.');
    },
  );

  it('has more objects than a packet: the report of a walk fits, and says that it was cut', async () => {
    for (const max of [undefined, '400']) {
      const { report } = await runScript('SNMP walk', { Host: real, Below: '1.3.6.1', ...(max ? { 'At most': max } : {}) });
      const message = { Metrics: report.metrics, States: report.states, Diagnostics: report.diagnostics };
      expect([messageProblem(message), sizeProblem(message as never, JSON.stringify(message))]).toEqual([undefined, undefined]);
      expect(report.message).toBe(`Cut at ${max ?? 200} objects: there are more.`);
    }
  });

  it('tells the reports of version 3 apart', async () => {
    const reason = async (parameters: Record<string, string>, keys: Record<string, string>) => {
      const secrets = { CLOUDFIT_SECRET_AUTH_KEY: user.authKey, CLOUDFIT_SECRET_PRIVACY_KEY: user.privKey, ...keys };
      const all = {
        Host: real,
        Objects: 'Name=sysName.0',
        Version: '3',
        User: 'eva',
        Authentication: 'sha256',
        Privacy: 'aes',
        'Time limit': '5',
      };
      const { report } = await runScript('SNMP get', { ...all, ...parameters }, secrets);
      return report.metrics?.['Up'] === 1 ? 'Up' : `${report.status}: ${report.states?.['Reason']}`;
    };
    expect(await reason({}, {})).toBe('Up');
    expect(await reason({ User: 'adam' }, {})).toBe('Unknown: The device answers, but it does not know the user.');
    expect(await reason({}, { CLOUDFIT_SECRET_AUTH_KEY: 'another-key' })).toMatch(
      /^Unknown: The device answers, but the signature is wrong/,
    );
    expect(await reason({}, { CLOUDFIT_SECRET_PRIVACY_KEY: 'another-key' })).toMatch(/^Unknown: The device answers, .*Privacy key/);
    expect(await reason({}, { CLOUDFIT_SECRET_AUTH_KEY: '', CLOUDFIT_SECRET_PRIVACY_KEY: '' })).toMatch(
      /^Unknown: The device answers, but it does not/,
    );
  });
});
