/** The scripts of TCP check, DNS check and Ping against real targets, and programs of the machine that say what is rare. */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScripts, ended, type Scripts } from '../../testing/scripts.ts';

let scripts: Scripts;
beforeAll(async () => {
  scripts = await createScripts(['tcp-check', 'dns-check', 'ping']);
});
afterAll(() => scripts.close());

it('TCP check tells the time of the connection and the answer', async () => {
  const port = await scripts.listening(
    createTcpServer((socket) => {
      socket.write('220 mail ready\r\n');
      socket.on('data', (part) => socket.write(`250 ${part.toString().trim()}\r\n`));
      socket.on('error', () => undefined);
    }),
  );
  const check = (parameters: Record<string, string>) =>
    scripts.run('tcp-check', 'TCP check', { Host: '127.0.0.1', Port: String(port), ...parameters });
  const plain = await check({});
  expect(plain.report).toMatchObject({ metrics: { Up: 1 }, states: { Reachable: 'Up' } });
  expect(plain.report.value).toBeGreaterThanOrEqual(0);
  expect((await check({ Send: 'EHLO x', Expect: '250 EHLO' })).report).toMatchObject({
    states: { Reachable: 'Up', Answer: '220 mail ready' },
  });
  expect((await check({ Expect: 'imap', 'Time limit': '3' })).report).toMatchObject({
    metrics: { Up: 0 },
    states: { Reachable: 'Down', Reason: 'No such answer within the time limit' },
  });
  expect((await check({ Port: String(await scripts.closedPort()) })).report).toMatchObject({
    metrics: { Up: 0 },
    states: { Reachable: 'Down', Reason: 'The connection was refused' },
  });
  // A broadcast address is refused by this machine, whatever is there.
  const refused = await check({ Host: '255.255.255.255', 'Time limit': '2' });
  expect(refused.report).toMatchObject({
    status: 'Unknown',
    states: { Reachable: 'Unknown', Reason: expect.stringMatching(/^This machine/) },
  });
  expect(refused.report.metrics).toBeUndefined();
  expect(await check({ Port: '70000' })).toMatchObject({ code: 1, errors: 'Port must be a number from 1 to 65535.\n' });
});

it.each(['127.0.0.1:80', 'https://localhost/', 'http://127.0.0.1', '[::1]:80', 'two words', '-f'])(
  'TCP check and Ping refuse the host %s, which is no name, instead of saying that it does not exist',
  async (Host) => {
    const errors = 'Host must be a name or an address, without a port or https://, such as www.example.com.\n';
    expect(await scripts.run('tcp-check', 'TCP check', { Host, Port: '80' })).toMatchObject({ code: 1, errors });
    expect(await scripts.run('ping', 'Ping', { Host })).toMatchObject({ code: 1, errors });
  },
);

it('TCP check takes an address of IPv6 with and without brackets', async () => {
  const port = await scripts.listening(
    createTcpServer((socket) => socket.end()),
    '::1',
  );
  for (const Host of ['::1', '[::1]'])
    expect((await scripts.run('tcp-check', 'TCP check', { Host, Port: String(port) })).report).toMatchObject({ metrics: { Up: 1 } });
});

describe('DNS check', () => {
  /** Answers 192.0.2.7 for pump.test and an error code for the other names; `lost` questions get no answer. */
  async function nameServer(lost: number, code = 3): Promise<{ port: number; questions: () => number }> {
    const server = createSocket('udp4');
    let questions = 0;
    server.on('message', (query: Buffer, from: RemoteInfo) => {
      if (++questions <= lost) return;
      const isThere = query.includes('\x04pump\x04test\x00');
      const question = query.subarray(12, query.indexOf(0, 12) + 5);
      const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 | (isThere ? 0 : code), 0, 1, 0, isThere ? 1 : 0, 0, 0, 0, 0]);
      const record = isThere ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]) : Buffer.alloc(0);
      server.send(Buffer.concat([head, question, record]), from.port, from.address);
    });
    return { port: await scripts.bound(server), questions: () => questions };
  }
  const check = (port: number, parameters: Record<string, string> = {}) =>
    scripts.run('dns-check', 'DNS check', { Name: 'pump.test', Server: `127.0.0.1:${port}`, ...parameters });

  it('tells the answers of a name server, and why there is none', async () => {
    const { port } = await nameServer(0);
    expect((await check(port, { Expect: '192.0.2.7' })).report).toMatchObject({
      metrics: { Up: 1, Answers: 1 },
      states: { Resolves: 'Up', Answers: '192.0.2.7' },
    });
    expect((await check(port, { Expect: '192.0.2.8' })).report).toMatchObject({
      metrics: { Up: 0 },
      states: { Resolves: 'Down', Reason: 'The expected answer is missing' },
    });
    expect((await check(port, { Name: 'other.test' })).report).toMatchObject({
      value: null,
      metrics: { Up: 0 },
      states: { Resolves: 'Down', Reason: 'The name does not exist' },
    });
    const failing = await nameServer(0, 2);
    expect((await check(failing.port, { Name: 'other.test' })).report.states).toMatchObject({ Reason: 'The name server failed' });
    expect(await check(port, { Type: 'X' })).toMatchObject({ code: 1 });
  });

  it('asks again when a question or its answer was lost', async () => {
    for (const lost of [1, 2]) {
      const server = await nameServer(lost);
      expect((await check(server.port, { 'Time limit': '3' })).report).toMatchObject({ metrics: { Up: 1 } });
      expect(server.questions()).toBe(lost + 1);
    }
    const silent = await nameServer(Infinity);
    expect((await check(silent.port, { 'Time limit': '1' })).report).toMatchObject({
      metrics: { Up: 0 },
      states: { Resolves: 'Down', Reason: expect.stringMatching(/^The name server did not answer/) },
    });
    expect(silent.questions()).toBe(3);
  });

  // Skipped without dnsmasq, which scripts/debian.mjs installs if it may.
  it.skipIf(!existsSync('/usr/sbin/dnsmasq'))('reads what dnsmasq answers', async () => {
    const port = await scripts.closedPort();
    const args = [
      '--keep-in-foreground',
      '--no-resolv',
      '--no-hosts',
      '--bind-interfaces',
      '--listen-address=127.0.0.1',
      '--conf-file=/dev/null',
    ];
    const rows = [
      '--host-record=pump.test,192.0.2.9,2001:db8::9',
      '--mx-host=test,mail.test,10',
      '--txt-record=pump.test,a b',
      '--local=/test/',
    ];
    const dnsmasq = spawn('/usr/sbin/dnsmasq', [...args, ...rows, `--port=${port}`, '--user=', '--group=', '--pid-file='], {
      stdio: 'ignore',
    });
    try {
      for (let tries = 0; tries < 100 && (await check(port)).report.metrics?.['Up'] !== 1; tries++);
      const answers = async (Name: string, Type: string) => (await check(port, { Name, Type })).report.states;
      expect(await answers('pump.test', 'A')).toEqual({ Resolves: 'Up', Answers: '192.0.2.9' });
      expect(await answers('pump.test', 'AAAA')).toEqual({ Resolves: 'Up', Answers: '2001:db8::9' });
      expect(await answers('test', 'MX')).toEqual({ Resolves: 'Up', Answers: '10 mail.test' });
      expect(await answers('pump.test', 'TXT')).toEqual({ Resolves: 'Up', Answers: 'a b' });
      expect(await answers('pump.test', 'SRV')).toEqual({ Resolves: 'Down', Reason: 'The name has no record of this type' });
      expect(await answers('other.test', 'A')).toEqual({ Resolves: 'Down', Reason: 'The name does not exist' });
    } finally {
      await ended(dnsmasq);
    }
  });
});

describe('Ping', () => {
  const check = (Host: string, path?: string) => scripts.run('ping', 'Ping', { Host, Count: '3' }, path ? { PATH: path } : {});

  /** A program of the name ping that prints what others have printed. */
  function printing(stdout: string, stderr: string, exitCode: number): string {
    const folder = mkdtempSync(join(scripts.folder, 'bin-'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'out'), stdout);
    writeFileSync(join(folder, 'err'), stderr);
    writeFileSync(join(folder, 'ping'), `#!/bin/sh\ncat ${folder}/out\ncat ${folder}/err >&2\nexit ${exitCode}\n`, { mode: 0o755 });
    return `${folder}:${process.env['PATH']}`;
  }
  const head = 'PING 10.0.0.9 (10.0.0.9) 56(84) bytes of data.\n';
  const tail = (counts: string) => `\n--- 10.0.0.9 ping statistics ---\n${counts}\n`;
  const line = (sequence: number, ms: number, mark = '') => `64 bytes from 10.0.0.9: icmp_seq=${sequence} ttl=64 time=${ms} ms${mark}\n`;

  const windows = (answers: string, counts: string) =>
    `\r\nPinging 10.0.0.9 with 32 bytes of data:\r\n${answers}\r\nPing statistics for 10.0.0.9:\r\n    ${counts}\r\nApproximate round trip times in milli-seconds:\r\n    Minimum = 0ms, Maximum = 12ms, Average = 6ms\r\n`;

  it.each([
    [
      'duplicates are no answers',
      head +
        line(1, 1.1) +
        line(1, 60.5, ' (DUP!)') +
        line(3, 1.3) +
        tail(
          '3 packets transmitted, 2 received, +1 duplicates, 33.3333% packet loss, time 402ms\nrtt min/avg/max/mdev = 1.100/20.967/60.500/27.9 ms',
        ),
      { Up: 1, LossPercent: 33.3, Duplicates: 1, MinMs: 1.1, AverageMs: 1.2, MaxMs: 1.3 },
    ],
    [
      'answers out of order',
      head + line(2, 5) + line(1, 250) + line(3, 6) + tail('3 packets transmitted, 3 received, 0% packet loss, time 402ms'),
      { Up: 1, LossPercent: 0, MinMs: 5, AverageMs: 87, MaxMs: 250 },
    ],
    [
      'BusyBox',
      'PING 10.0.0.9 (10.0.0.9): 56 data bytes\n64 bytes from 10.0.0.9: seq=0 ttl=64 time=0.500 ms\n64 bytes from 10.0.0.9: seq=0 ttl=64 time=9.500 ms (DUP!)\n' +
        tail('3 packets transmitted, 1 packets received, 1 duplicates, 66% packet loss\nround-trip min/avg/max = 0.500/5.000/9.500 ms'),
      { Up: 1, LossPercent: 66.7, Duplicates: 1, MinMs: 0.5, AverageMs: 0.5, MaxMs: 0.5 },
    ],
    [
      'IPv6',
      'PING fe80::1%eth0(fe80::1%eth0) 56 data bytes\n64 bytes from fe80::1%eth0: icmp_seq=1 ttl=64 time=0.05 ms\n64 bytes from fe80::1%eth0: icmp_seq=2 ttl=64 time=0.07 ms\n' +
        tail('3 packets transmitted, 2 received, 33% packet loss, time 400ms'),
      { Up: 1, LossPercent: 33.3, MinMs: 0.05, AverageMs: 0.06, MaxMs: 0.07 },
    ],
    [
      'Windows in English, where a router says no in between',
      windows(
        'Reply from 10.0.0.9: bytes=32 time<1ms TTL=64\r\nReply from 10.0.0.1: Destination host unreachable.\r\nReply from 10.0.0.9: bytes=32 time=12ms TTL=64\r\n',
        'Packets: Sent = 3, Received = 3, Lost = 0 (0% loss),',
      ),
      { Up: 1, LossPercent: 33.3, MinMs: 1, AverageMs: 6.5, MaxMs: 12 },
    ],
    [
      'Windows in French',
      windows(
        'Réponse de 10.0.0.9 : octets=32 temps=12 ms TTL=117\r\nDélai d’attente de la demande dépassé.\r\n',
        'Paquets : envoyés = 2, reçus = 1, perdus = 1 (perte 50%),',
      ),
      { Up: 1, LossPercent: 50, MinMs: 12, AverageMs: 12, MaxMs: 12 },
    ],
    [
      'Windows in Russian',
      windows(
        'Ответ от 10.0.0.9: число байт=32 время=12мс TTL=117\r\n',
        'Пакетов: отправлено = 1, получено = 1, потеряно = 0\r\n    (0% потерь)',
      ),
      { Up: 1, LossPercent: 0, MinMs: 12, AverageMs: 12, MaxMs: 12 },
    ],
  ])('reads %s', async (_what, output, metrics) => {
    const { report } = await check('10.0.0.9', printing(output, '', 0));
    expect(report.metrics).toEqual(metrics);
    expect(report.states).toEqual({ Reachable: 'Up' });
  });

  it.each([
    ['no answer', head + tail('3 packets transmitted, 0 received, 100% packet loss, time 2040ms'), '', 1, 'No answer'],
    [
      'a router that says no',
      `${head}From 10.0.0.1 icmp_seq=1 Destination Host Unreachable\n${tail('3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 2040ms')}`,
      '',
      1,
      '10.0.0.1: Destination Host Unreachable',
    ],
    [
      'a router that says no to Windows, which counts that as received',
      windows(
        'Reply from 10.0.0.1: Destination host unreachable.\r\nRequest timed out.\r\nReply from 10.0.0.1: TTL expired in transit.\r\n',
        'Packets: Sent = 3, Received = 2, Lost = 1 (33% loss),',
      ),
      '',
      0,
      '10.0.0.1: Destination host unreachable.',
    ],
    [
      'a router that says no to Windows in German',
      windows(
        'Antwort von 10.0.0.1: Zielhost nicht erreichbar.\r\n',
        'Pakete: Gesendet = 1, Empfangen = 1, Verloren = 0\r\n    (0% Verlust),',
      ),
      '',
      0,
      'No answer',
    ],
    [
      'a router that says no to macOS',
      `92 bytes from 10.0.0.1: Time to live exceeded\n${tail('3 packets transmitted, 0 packets received, 100.0% packet loss')}`,
      '',
      2,
      '10.0.0.1: Time to live exceeded',
    ],
  ])('says Down for %s', async (_what, output, errors, exitCode, Reason) => {
    const { report } = await check('10.0.0.9', printing(output, errors, exitCode));
    expect(report).toMatchObject({ value: null, metrics: { Up: 0, LossPercent: 100 }, states: { Reachable: 'Down', Reason } });
  });

  it.each([
    ['no right', '', 'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\n', 2, 'ping: socktype: SOCK_RAW'],
    ['no right (BusyBox)', head, 'ping: permission denied (are you root?)\n', 1, 'ping: permission denied (are you root?)'],
    ['no route', '', 'ping: connect: Network is unreachable\n', 2, 'ping: connect: Network is unreachable'],
    [
      'a firewall of this machine',
      head + tail('3 packets transmitted, 0 received, 100% packet loss'),
      'ping: sendmsg: Operation not permitted\n',
      1,
      'ping: sendmsg: Operation not permitted',
    ],
    ['nothing', '', '', 127, 'ping printed nothing.'],
  ])('says Unknown for %s', async (_what, output, errors, exitCode, Reason) => {
    const { report, code } = await check('127.0.0.1', printing(output, errors, exitCode));
    expect(report).toEqual({ value: null, message: Reason, status: 'Unknown', states: { Reachable: 'Unknown', Reason } });
    expect(code).toBe(0);
  });

  // Skipped without ping, which Debian has in iputils-ping.
  it.skipIf(!existsSync('/usr/bin/ping') && !existsSync('/bin/ping'))('tells the round trip and the loss of real ones', async () => {
    for (const host of ['127.0.0.1', ...(hasIPv6() ? ['::1'] : [])])
      expect((await check(host)).report).toMatchObject({ metrics: { Up: 1, LossPercent: 0 }, states: { Reachable: 'Up' } });
    expect((await check('no-such-host.invalid')).report).toMatchObject({ status: 'Unknown', states: { Reachable: 'Unknown' } });
    expect((await check('127.0.0.1', mkdtempSync(join(scripts.folder, 'empty-')))).report.states).toEqual({
      Reachable: 'Unknown',
      Reason: 'This machine has no ping program.',
    });
    expect(await check('-f')).toMatchObject({ code: 1 });
  });
});

function hasIPv6(): boolean {
  try {
    execFileSync('ping', ['-n', '-c', '1', '::1'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
