/** Syslog that is sent by Debian's logger and rsyslogd, and by attackers. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../testing/server-process.ts';
import { createListeners, codes, counted, datagrams, type Listeners, openssl, texts } from './listening.ts';
import { ended } from '../../../testing/scripts.ts';

const run = promisify(execFile);
let listeners: Listeners;
beforeAll(async () => {
  listeners = await createListeners();
});
afterEach(() => listeners.stopAll());
afterAll(() => listeners.scripts.close());
const listen: Listeners['listen'] = (...args) => listeners.listen(...args);

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
      const files = join(listeners.scripts.folder, 'tls');
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
