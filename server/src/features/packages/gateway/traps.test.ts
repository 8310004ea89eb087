/** Traps that are sent by Debian's snmptrap, and that come again as an attacker would send them. */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../testing/server-process.ts';
import { createListeners, codes, counted, datagrams, type Listeners } from './listening.ts';

const run = promisify(execFile);
let listeners: Listeners;
beforeAll(async () => {
  listeners = await createListeners();
});
afterEach(() => listeners.stopAll());
afterAll(() => listeners.scripts.close());
const listen: Listeners['listen'] = (...args) => listeners.listen(...args);

const engine = '0x8000000001020304';
const eva = { AUTH_KEY: 'authentic-1', PRIVACY_KEY: 'private-one' };
const asEva = ['-u', 'eva', '-l', 'authPriv', '-a', 'SHA-256', '-A', eva.AUTH_KEY, '-x', 'AES', '-X', eva.PRIVACY_KEY];
const linkObjects = ['1.3.6.1.2.1.2.2.1.1.3', 'i', '3', '1.3.6.1.2.1.2.2.1.2.3', 's', 'ge-0/0/3'];

describe.skipIf(!existsSync('/usr/bin/snmptrap'))('SNMP traps', () => {
  const secrets = { ...eva, COMMUNITY: 'plant' };
  const trap3 = (port: number, args: string[] = [], time?: string) =>
    run('/usr/bin/snmptrap', [
      '-v3',
      '-e',
      engine,
      ...asEva,
      ...(time === undefined ? [] : ['-Z', time]),
      ...args,
      `127.0.0.1:${port}`,
      // The uptime of the trap is the time of the engine.
      '',
      '1.3.6.1.6.3.1.1.5.3',
      ...linkObjects,
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
    await run('/usr/bin/snmpinform', ['-v3', ...asEva, to, '', '1.3.6.1.6.3.1.1.5.2']);
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
    // An inform gets a report, which its sender shows; here it is counted like a trap.
    const inform = ['-v3', ...asEva, '-l', 'authNoPriv', '-r', '0', '-t', '1', `127.0.0.1:${port}`, '', '1.3.6.1.6.3.1.1.5.2'];
    await expect(run('/usr/bin/snmpinform', inform)).rejects.toThrow(/./);
    await datagrams(port, [Buffer.from('3003020101', 'hex'), Buffer.alloc(1_400, 0x30), '']);
    const items = await listener.until('refusals', (all) => codes(all).length >= 5);
    await listener.stop();
    const all = listener.items();
    expect(all.every(({ refusal }) => refusal)).toBe(true);
    expect(Object.fromEntries([...new Set(codes(all))].map((code) => [code, counted(all, code)]))).toEqual({
      WrongCommunity: 1,
      WrongUser: 1,
      WrongKey: 2,
      NotProtected: 3,
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
    const recorderPort = await listeners.scripts.bound(recorder);
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
    const recorderPort = await listeners.scripts.bound(recorder);
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
