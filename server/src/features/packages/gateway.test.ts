/** The listeners of the package Gateway, as an agent starts them, and Debian's snmptrap, logger, rsyslogd and mosquitto that send to them. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createScripts, ended, type Scripts } from '../../testing/scripts.ts';

const run = promisify(execFile);
const openssl = (cwd: string, ...args: string[]): Buffer => execFileSync('openssl', args, { cwd, stdio: 'pipe' });
let scripts: Scripts;
let count = 0;
const started: Listener[] = [];

beforeAll(async () => {
  scripts = await createScripts(['gateway']);
});
afterEach(async () => {
  for (const listener of started.splice(0)) await listener.stop();
});
afterAll(() => scripts.close());

type Item = Record<string, unknown> & { refusal?: { code: string; message: string }; count?: number };

interface Listener {
  folder: string;
  output(): string;
  errors(): string;
  items(): Item[];
  /** Waits until the items meet a condition, and returns them. */
  until(what: string, isMet: (items: Item[]) => boolean): Promise<Item[]>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  exit: Promise<number | null>;
}

async function until(what: string, isMet: () => boolean, more: () => string): Promise<void> {
  for (const end = Date.now() + 15_000; !isMet();) {
    if (Date.now() > end) throw new Error(`Did not come about: ${what}\n${more()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Starts a listener, and waits until it listens or has ended. */
async function listen(
  operation: string,
  parameters: Record<string, string>,
  secrets: Record<string, string> = {},
  folder?: string,
): Promise<Listener> {
  const cwd = join(scripts.folder, 'gateway', '1.0.0');
  const items = folder ?? join(scripts.folder, `items-${(count += 1)}`);
  const child: ChildProcess = spawn(process.execPath, [join(cwd, 'gateway.mjs')], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      CLOUDFIT_OPERATION: operation,
      CLOUDFIT_PARAMETERS: JSON.stringify({ 'Allowed senders': '127.0.0.0/8', ...parameters }),
      CLOUDFIT_ITEMS: items,
      CLOUDFIT_DEVICE_OPERATION: 'test',
      ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`CLOUDFIT_SECRET_${name}`, value])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  let isOver = false;
  const exit = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      isOver = true;
      resolve(code);
    }),
  );
  const read = (): Item[] =>
    (existsSync(items) ? readdirSync(items) : [])
      .filter((name) => name.endsWith('.ndjson'))
      .toSorted()
      .flatMap((name) => readFileSync(join(items, name), 'utf8').split('\n'))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Item);
  const listener: Listener = {
    folder: items,
    output: () => output,
    errors: () => errors,
    items: read,
    until: async (what, isMet) => {
      await until(
        what,
        () => isMet(read()),
        () => JSON.stringify(read(), null, 1) + output + errors,
      );
      return read();
    },
    stop: async (signal = 'SIGTERM') => {
      if (!isOver) child.kill(signal);
      await exit;
    },
    exit,
  };
  started.push(listener);
  await until(
    'the listener starts',
    () => isOver || output.includes('"Listening"'),
    () => errors,
  );
  return listener;
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

/** Sends datagrams from an address of this machine. */
async function datagrams(port: number, messages: readonly (string | Buffer)[], from = '127.0.0.1'): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, from, resolve));
  for (const message of messages) await new Promise((resolve) => socket.send(message, port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}

const codes = (items: Item[]): string[] => items.flatMap(({ refusal }) => refusal?.code ?? []);
const counted = (items: Item[], code: string): number =>
  items.filter(({ refusal }) => refusal?.code === code).reduce((sum, { count = 0 }) => sum + count, 0);
const texts = (items: Item[]): string[] => items.flatMap(({ text }) => (typeof text === 'string' ? text : []));

describe('syslog', () => {
  it.skipIf(!existsSync('/usr/bin/logger'))('is heard from logger in both forms, over UDP and TCP with both framings', async () => {
    const port = String(await freePort());
    const listener = await listen('Syslog', { 'UDP port': port, 'TCP port': port });
    const log = (...args: string[]) => run('/usr/bin/logger', ['-n', '127.0.0.1', '-P', port, '-p', 'local3.err', '-t', 'app', ...args]);
    await log('-d', 'one');
    await log('-d', '--rfc3164', 'two');
    await log('-T', '--octet-count', 'three');
    await log('-T', 'four');
    const items = await listener.until('four messages', (all) => all.length === 4);
    expect(texts(items).map((text) => /(\w+)\s*$/.exec(text)?.[1])).toEqual(['one', 'two', 'three', 'four']);
    expect(items.every(({ text }) => String(text).startsWith('<155>'))).toBe(true);
    expect(items.map(({ sender, transport }) => [sender, transport])).toEqual(
      ['udp', 'udp', 'tcp', 'tcp'].map((name) => ['127.0.0.1', name]),
    );
  });

  it.skipIf(!existsSync('/usr/sbin/rsyslogd'))(
    'is heard from rsyslogd over TLS, and a client certificate vouches for its name',
    async () => {
      const files = join(scripts.folder, 'tls');
      mkdirSync(files, { recursive: true });
      const at = (name: string): string => join(files, name);
      openssl(
        files,
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=Plant CA',
        '-keyout',
        'ca.key',
        '-out',
        'ca.pem',
      );
      for (const name of ['server', 'web-7']) {
        writeFileSync(at(`${name}.ext`), `subjectAltName=DNS:${name},IP:127.0.0.1\n`);
        openssl(files, 'req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
        openssl(
          files,
          'x509',
          '-req',
          '-in',
          `${name}.csr`,
          '-CA',
          'ca.pem',
          '-CAkey',
          'ca.key',
          '-CAcreateserial',
          '-days',
          '2',
          '-extfile',
          `${name}.ext`,
          '-out',
          `${name}.pem`,
        );
      }
      const [port, input] = [await freePort(), await freePort()];
      const parameters = { 'UDP port': '0', 'TLS port': String(port), 'Certificate file': at('server.pem'), 'Key file': at('server.key') };
      const listener = await listen('Syslog', { ...parameters, 'Client CA file': at('ca.pem') });
      writeFileSync(
        at('rsyslog.conf'),
        `global(workDirectory="${files}" defaultNetstreamDriverCAFile="${at('ca.pem')}" defaultNetstreamDriverCertFile="${at('web-7.pem')}" defaultNetstreamDriverKeyFile="${at('web-7.key')}")
module(load="imudp")
input(type="imudp" port="${input}" address="127.0.0.1")
*.* action(type="omfwd" target="127.0.0.1" port="${port}" protocol="tcp" template="RSYSLOG_SyslogProtocol23Format" TCP_Framing="octet-counted"
  StreamDriver="gtls" StreamDriverMode="1" StreamDriverAuthMode="x509/certvalid")
`,
      );
      let send: NodeJS.Timeout | undefined;
      const program = spawn('/usr/sbin/rsyslogd', ['-n', '-f', at('rsyslog.conf'), '-i', at('pid')], { stdio: 'ignore' });
      try {
        // Until the program listens, datagrams to it are lost.
        send = setInterval(
          () =>
            void datagrams(input, [
              '<29>1 2026-01-01T00:00:00Z web-7 app - - - by TLS',
              '<29>1 2026-01-01T00:00:00Z db-1 app - - - as another',
              '<29>1 2026-01-01T00:00:00Z \u{1F4A5}..*%00 app - - - strange',
            ]),
          200,
        );
        const items = await listener.until(
          'a line by TLS',
          (all) => texts(all).some((text) => text.includes('by TLS')) && texts(all).some((text) => text.includes('strange')),
        );
        const of = (text: string) => items.find((item) => String(item['text']).includes(text))?.['verified'];
        expect([of('by TLS'), of('as another')]).toEqual(['certificate', 'no']);
      } finally {
        clearInterval(send);
        await ended(program);
      }
      // Who has no certificate is refused, and counted.
      connectTls({ port, host: '127.0.0.1', ca: readFileSync(at('ca.pem')), servername: 'server' })
        .on('error', () => undefined)
        .on('secureConnect', function (this: ReturnType<typeof connectTls>) {
          this.write('x');
        });
      await listener.until('a connection without a certificate', (all) => codes(all).includes('TlsFailed'));
    },
  );

  it('is refused from a sender that is not allowed, and for a name of another sender', async () => {
    const port = await freePort();
    const listener = await listen('Syslog', {
      'UDP port': String(port),
      'Allowed senders': '127.0.0.1=web-1|*.plant.example, 127.0.1.0/24',
    });
    const named = (host: string) => `<13>1 - ${host} app - - - x`;
    await datagrams(port, [named('web-1'), named('PUMP.plant.example'), named('db-1'), '<13>app: nobody']);
    await datagrams(port, [named('free-1'), named('web-1')], '127.0.1.9');
    await datagrams(port, [named('web-1'), named('web-1')], '127.0.2.1');
    const items = await listener.until('all messages', (all) => all.length >= 7);
    expect(texts(items).map((text) => text.split(' ').at(text.startsWith('<13>1') ? 2 : 1))).toEqual([
      'web-1',
      'PUMP.plant.example',
      'nobody',
      'free-1',
    ]);
    expect(items.flatMap(({ refusal, sample }) => (refusal ? [[refusal.code, (sample as { text?: string } | null)?.text]] : []))).toEqual([
      ['HostNotAllowed', named('db-1')],
      ['HostNotAllowed', named('web-1')],
      ['SenderNotAllowed', undefined],
    ]);
    // Datagrams vouch for nothing.
    expect(new Set(items.flatMap(({ verified }) => verified ?? []))).toEqual(new Set(['no']));
    await listener.stop();
    expect(counted(listener.items(), 'SenderNotAllowed')).toBe(2);
  });

  it('is refused when it is too long or malformed, and its neighbours on the same connection are not', async () => {
    const port = await freePort();
    const listener = await listen('Syslog', { 'UDP port': String(port), 'TCP port': String(port), 'Longest message': '500' });
    const long = 'x'.repeat(600);
    await datagrams(port, [`<13>${long}`, '', '<999>x', Buffer.from([0x3c, 0x31, 0x33, 0x3e, 1, 0, 2])]);
    const socket = connect(port, '127.0.0.1');
    const one = '<13>1 - h a - - - counted';
    // In pieces that end in the middle of lengths and messages.
    for (const part of [
      `${one.length} ${one}604 <13>${long}2`,
      `5 ${one}<13>line 1\n<13>${long.slice(0, 300)}`,
      `${long}\n<13>line 2\n`,
      '<13>the end',
    ]) {
      socket.write(part);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    socket.end();
    const items = await listener.until('the end', (all) => texts(all).includes('<13>the end'));
    expect(texts(items)).toEqual([one, one, '<13>line 1', '<13>line 2', '<13>the end']);
    await listener.stop();
    expect(counted(listener.items(), 'MessageTooLong')).toBe(3);
    expect(counted(listener.items(), 'MalformedMessage')).toBe(3);
  });

  it('of a flood is refused by the sender, counted, and its neighbours are heard', async () => {
    const port = await freePort();
    const listener = await listen('Syslog', { 'UDP port': String(port), 'Messages a second': '20' });
    const flood = Array.from({ length: 3_000 }, (_, n) => `<13>flood ${n}`);
    const neighbours = Array.from({ length: 20 }, (_, n) => `<13>neighbour ${n}`);
    await Promise.all([datagrams(port, flood, '127.0.0.66'), datagrams(port, neighbours, '127.0.0.2')]);
    await datagrams(port, ['<13>last'], '127.0.0.3');
    await listener.until('the last one', (all) => texts(all).includes('<13>last'));
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    const entry = readFileSync('/proc/net/udp', 'utf8')
      .split('\n')
      .find((line) => line.includes(`:${hex} `));
    const droppedBySystem = Number(entry?.trim().split(/\s+/).at(-1));
    await listener.stop();
    const all = listener.items();
    expect(texts(all).filter((text) => text.includes('flood')).length).toBeLessThan(400);
    expect(texts(all).filter((text) => text.includes('neighbour')).length).toBeGreaterThan(0);
    // What was refused is one item at once and one with the rest; everything is stored or counted.
    expect(all.filter(({ refusal }) => refusal !== undefined).length).toBeLessThan(10);
    expect(all.flatMap(({ refusal }) => refusal?.message ?? []).join('\n')).not.toContain('127.0.0.2 ');
    expect(counted(all, 'TooManyMessages') + texts(all).length + droppedBySystem).toBe(3_021);
  });

  it('says what is wrong with its parameters and its port', async () => {
    const faultOf = async (parameters: Record<string, string>): Promise<string> => {
      const listener = await listen('Syslog', parameters);
      expect(await listener.exit).toBe(1);
      return listener.errors().trim();
    };
    const port = await freePort();
    await listen('Syslog', { 'UDP port': String(port), 'TCP port': String(port) });
    expect(await faultOf({ 'UDP port': String(port) })).toBe(
      `UDP port ${port} cannot be opened: another program of this machine listens there. End it, or choose another port.`,
    );
    expect(await faultOf({ 'UDP port': '0', 'TCP port': String(port) })).toMatch(/^TCP port \d+ cannot be opened: another program/);
    expect(await faultOf({ 'Allowed senders': '10.0.0.0/33' })).toMatch(/^Allowed senders: 10\.0\.0\.0\/33 is neither an address/);
    expect(await faultOf({ 'Allowed senders': ' ' })).toBe('Allowed senders is required.');
    expect(await faultOf({ 'UDP port': '0' })).toBe('Set at least one of UDP port, TCP port and TLS port.');
    expect(await faultOf({ 'TLS port': '6514' })).toMatch(/^TLS port needs a certificate and its key/);
  });
});

const engine = '0x8000000001020304';
const eva = { AUTH_KEY: 'authentic-1', PRIVACY_KEY: 'private-one' };

describe.skipIf(!existsSync('/usr/bin/snmptrap'))('SNMP traps', () => {
  const secrets = { ...eva, COMMUNITY: 'plant' };
  const trap3 = (port: number, args: string[] = [], time?: string) =>
    run('/usr/bin/snmptrap', [
      ...['-v3', '-e', engine, '-u', 'eva', '-l', 'authPriv', '-a', 'SHA-256', '-A', eva.AUTH_KEY, '-x', 'AES', '-X', eva.PRIVACY_KEY],
      ...(time === undefined ? [] : ['-Z', time]),
      ...args,
      `127.0.0.1:${port}`,
      // The uptime of the trap is the time of the engine.
      '',
      '1.3.6.1.6.3.1.1.5.3',
      ...['1.3.6.1.2.1.2.2.1.1.3', 'i', '3', '1.3.6.1.2.1.2.2.1.2.3', 's', 'ge-0/0/3'],
    ]);

  it('are heard in versions 1, 2c and 3, and informs are confirmed', async () => {
    const port = await freePort();
    const listener = await listen('SNMP traps', { Port: String(port), Users: 'eva sha256 aes' }, secrets);
    const to = `127.0.0.1:${port}`;
    await run('/usr/bin/snmptrap', ['-v2c', '-c', 'plant', to, '', '1.3.6.1.6.3.1.1.5.3', '1.3.6.1.2.1.2.2.1.1.3', 'i', '3']);
    await run('/usr/bin/snmptrap', [
      '-v1',
      '-c',
      'plant',
      to,
      '1.3.6.1.4.1.9999',
      '127.0.0.1',
      '6',
      '17',
      '500',
      '1.3.6.1.4.1.9999.1',
      's',
      'a\nb',
    ]);
    await run('/usr/bin/snmptrap', ['-v1', '-c', 'plant', to, '1.3.6.1.4.1.9999', '127.0.0.1', '2', '0', '500']);
    await trap3(port);
    await run('/usr/bin/snmpinform', ['-v2c', '-c', 'plant', to, '', '1.3.6.1.6.3.1.1.5.2']);
    const user = ['-u', 'eva', '-l', 'authPriv', '-a', 'SHA-256', '-A', eva.AUTH_KEY, '-x', 'AES', '-X', eva.PRIVACY_KEY];
    await run('/usr/bin/snmpinform', ['-v3', ...user, to, '', '1.3.6.1.6.3.1.1.5.2']);
    const items = await listener.until('six traps', (all) => all.length === 6);
    const varbinds = [
      { oid: '1.3.6.1.2.1.2.2.1.1.3', value: 3 },
      { oid: '1.3.6.1.2.1.2.2.1.2.3', value: 'ge-0/0/3' },
    ];
    expect(items).toMatchObject([
      { version: '2c', trap: '1.3.6.1.6.3.1.1.5.3', verified: 'no', varbinds: varbinds.slice(0, 1) },
      {
        version: '1',
        trap: '1.3.6.1.4.1.9999.0.17',
        uptime: 500,
        agent: '127.0.0.1',
        varbinds: [{ oid: '1.3.6.1.4.1.9999.1', value: 'a\nb' }],
      },
      { version: '1', trap: '1.3.6.1.6.3.1.1.5.3', varbinds: [] },
      { version: '3', user: 'eva', verified: 'user', trap: '1.3.6.1.6.3.1.1.5.3', varbinds },
      { version: '2c', trap: '1.3.6.1.6.3.1.1.5.2' },
      { version: '3', user: 'eva', trap: '1.3.6.1.6.3.1.1.5.2' },
    ]);
  });

  it('are refused with another community, user or key, without encryption, and as bytes', async () => {
    const port = await freePort();
    const listener = await listen('SNMP traps', { Port: String(port), Users: 'eva sha256 aes' }, secrets);
    await run('/usr/bin/snmptrap', ['-v2c', '-c', 'public', `127.0.0.1:${port}`, '', '1.3.6.1.6.3.1.1.5.3']);
    await trap3(port, ['-u', 'otto']);
    await trap3(port, ['-A', 'another-key']);
    await trap3(port, ['-X', 'another-key']);
    await trap3(port, ['-l', 'authNoPriv']);
    await trap3(port, ['-l', 'noAuthNoPriv']);
    await datagrams(port, [Buffer.from('3003020101', 'hex'), Buffer.alloc(1_400, 0x30), '']);
    const items = await listener.until('refusals', (all) => codes(all).length >= 5);
    await listener.stop();
    const all = listener.items();
    expect(all.every(({ refusal }) => refusal)).toBe(true);
    expect(Object.fromEntries([...new Set(codes(all))].map((code) => [code, counted(all, code)]))).toEqual({
      WrongCommunity: 1,
      WrongUser: 1,
      WrongKey: 2,
      NotProtected: 2,
      MalformedTrap: 3,
    });
    // A guess may be almost right.
    expect(JSON.stringify(items)).not.toMatch(/public|another-key|plant/);
  });

  it('that come again are refused: the same bytes, an earlier time or start of the engine, also after a restart', async () => {
    const port = await freePort();
    const parameters = { Port: String(port), Users: 'eva sha256 aes' };
    const listener = await listen('SNMP traps', parameters, secrets);
    // Records what the sender sends, as somebody on the way would.
    const recorded: Buffer[] = [];
    const recorder = createSocket('udp4');
    const recorderPort = await scripts.bound(recorder);
    const caught = () => new Promise<Buffer>((resolve) => recorder.once('message', resolve));
    for (const time of ['5,1000', '5,1100', '4,5000', '5,700']) {
      const message = caught();
      await trap3(recorderPort, [], time);
      recorded.push(await message);
    }
    const [first, second, earlierStart, tooOld] = recorded as [Buffer, Buffer, Buffer, Buffer];
    await datagrams(port, [first, second, first, second, earlierStart, tooOld]);
    await listener.until('four refusals', (all) => counted(all, 'Replayed') > 0);
    await listener.stop('SIGTERM');
    expect(listener.items().filter(({ trap }) => trap !== undefined)).toHaveLength(2);
    expect(counted(listener.items(), 'Replayed')).toBe(4);
    const again = await listen('SNMP traps', parameters, secrets, listener.folder);
    await datagrams(port, [first, tooOld, earlierStart]);
    await again.until('refusals after a restart', (all) => counted(all, 'Replayed') > 4);
    await again.stop();
    expect(counted(again.items(), 'Replayed')).toBe(7);
    expect(again.items().filter(({ trap }) => trap !== undefined)).toHaveLength(2);
  });

  it('do not speak for a neighbour, and those with many engines are refused before they cost', async () => {
    const port = await freePort();
    const listener = await listen(
      'SNMP traps',
      { Port: String(port), Users: 'eva sha256 aes', 'Allowed senders': '127.0.0.0/24, 127.0.0.9=127.0.0.*' },
      secrets,
    );
    const spoofed = ['-v1', '-c', 'plant', `127.0.0.1:${port}`, '1.3.6.1.4.1.9999', '127.0.0.7', '6', '17', '500'];
    await run('/usr/bin/snmptrap', spoofed);
    await listener.until('a refusal', (all) => codes(all).includes('HostNotAllowed'));
    // The engine id of a recorded trap is changed: each is another engine.
    const recorder = createSocket('udp4');
    const recorderPort = await scripts.bound(recorder);
    const message = new Promise<Buffer>((resolve) => recorder.once('message', resolve));
    await trap3(recorderPort);
    const recorded = await message;
    const at = recorded.indexOf(Buffer.from(engine.slice(2), 'hex'));
    const many = Array.from({ length: 60 }, (_, n) => {
      const copy = Buffer.from(recorded);
      copy.writeUInt32BE(n, at + 4);
      return copy;
    });
    await datagrams(port, many);
    await listener.until('a refusal of engines', (all) => codes(all).includes('TooManyEngines'));
    await listener.stop();
    expect(counted(listener.items(), 'WrongKey')).toBe(20);
    expect(counted(listener.items(), 'TooManyEngines')).toBe(40);
  });

  it('need somebody who may send', async () => {
    const faultOf = async (parameters: Record<string, string>, secrets: Record<string, string>): Promise<string> => {
      const listener = await listen('SNMP traps', parameters, secrets);
      expect(await listener.exit).toBe(1);
      return listener.errors().trim();
    };
    expect(await faultOf({}, {})).toMatch(/^Nobody could send: give the secret {Community}/);
    expect(await faultOf({ Users: 'eva sha256 aes' }, { AUTH_KEY_EVA: 'long-enough' })).toMatch(
      /^The user eva needs the secret {Privacy key eva}/,
    );
    expect(await faultOf({ Users: 'eva sha1024' }, eva)).toMatch(/^Users: the authentication of eva must be one of md5/);
  });
});

describe.skipIf(!existsSync('/usr/sbin/mosquitto'))('MQTT', () => {
  const brokers: ChildProcess[] = [];
  afterEach(async () => {
    for (const broker of brokers.splice(0)) await ended(broker);
  });

  async function mosquitto(port: number): Promise<ChildProcess> {
    const files = join(scripts.folder, 'mqtt');
    mkdirSync(files, { recursive: true });
    if (!existsSync(join(files, 'ca.pem'))) {
      openssl(
        files,
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost,IP:127.0.0.1',
        '-keyout',
        'key.pem',
        '-out',
        'ca.pem',
      );
      writeFileSync(join(files, 'passwords'), '');
      await run('/usr/bin/mosquitto_passwd', ['-b', join(files, 'passwords'), 'eva', 'se cret']);
      writeFileSync(join(files, 'acl'), 'user eva\ntopic plant/#\n');
      await run('chmod', ['-R', 'a+rX', files]);
      await run('chmod', ['a+rX', scripts.folder]);
    }
    writeFileSync(
      join(files, 'mosquitto.conf'),
      `listener ${port} 127.0.0.1\ncafile ${files}/ca.pem\ncertfile ${files}/ca.pem\nkeyfile ${files}/key.pem\npassword_file ${files}/passwords\nallow_anonymous false\nuser root\npersistence false\n`,
    );
    const broker = spawn('/usr/sbin/mosquitto', ['-c', join(files, 'mosquitto.conf')], { stdio: 'pipe' });
    brokers.push(broker);
    let log = '';
    broker.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    broker.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await until(
      'the broker starts',
      () => log.includes('running'),
      () => log,
    );
    return broker;
  }

  it('is heard by TLS and password; what comes while the listener is away comes afterwards, and retained values once', async () => {
    const port = await freePort();
    await mosquitto(port);
    const ca = join(scripts.folder, 'mqtt', 'ca.pem');
    const publish = (topic: string, payload: string, ...args: string[]) =>
      run('/usr/bin/mosquitto_pub', [
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '--cafile',
        ca,
        '-u',
        'eva',
        '-P',
        'se cret',
        '-q',
        '1',
        '-t',
        topic,
        '-m',
        payload,
        ...args,
      ]);
    await publish('plant/kept', '1', '-r');
    const parameters = { Broker: `mqtts://127.0.0.1:${port}`, Topics: 'plant/#', User: 'eva', 'CA file': ca };
    const listener = await listen('MQTT', parameters, { PASSWORD: 'se cret' });
    await publish('plant/press-1/temperature', '21.5');
    await publish('plant/press-1/text', 'läuft');
    await publish('other', 'not asked for');
    await listener.until('three messages', (all) => all.length === 3);
    await listener.stop('SIGKILL');
    await publish('plant/press-1/temperature', '22');
    const again = await listen('MQTT', parameters, { PASSWORD: 'se cret' }, listener.folder);
    const items = await again.until('the message of meanwhile', (all) => all.length >= 4);
    expect(items.map(({ topic, payload, retain }) => [topic, payload, retain])).toEqual([
      ['plant/kept', '1', true],
      ['plant/press-1/temperature', '21.5', false],
      ['plant/press-1/text', 'läuft', false],
      ['plant/press-1/temperature', '22', false],
    ]);
    await run('/usr/bin/mosquitto_pub', [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '--cafile',
      ca,
      '-u',
      'eva',
      '-P',
      'se cret',
      '-t',
      'plant/image',
      '-f',
      '/bin/true',
    ]);
    await again.until('a refusal', (all) => codes(all).length > 0);
    expect(codes(again.items())).toEqual([expect.stringMatching(/^(NoText|MessageTooLong)$/)]);
  });

  it('says why it does not reach its broker, goes on, and is there again with the broker', async () => {
    const port = await freePort();
    const ca = join(scripts.folder, 'mqtt', 'ca.pem');
    const parameters = { Broker: `mqtts://127.0.0.1:${port}`, Topics: 'plant/#', User: 'eva', 'CA file': ca };
    const away = await listen('MQTT', { ...parameters, 'CA file': '' }, { PASSWORD: 'se cret' });
    expect(away.output()).toContain('The connection was refused');
    await mosquitto(port);
    await until('the certificate is not trusted', () => away.output().includes('is not trusted'), away.output);
    const wrong = await listen('MQTT', parameters, { PASSWORD: 'wrong' });
    expect(wrong.output()).toContain('the broker does not ');
    const faultOf = async (more: Record<string, string>): Promise<string> => {
      const listener = await listen('MQTT', { ...parameters, ...more });
      expect(await listener.exit).toBe(1);
      return listener.errors().trim();
    };
    expect(await faultOf({ Broker: 'broker.example' })).toMatch(/^Broker: broker.example is not an address such as mqtts/);
    expect(await faultOf({ Broker: 'mqtt://eva:secret@b' })).toMatch(/^Broker: give the user as User, and the password as the secret/);
    expect(await faultOf({ Topics: 'plant/#/x' })).toMatch(/^Topics: plant\/#\/x is no filter/);
  });
});
