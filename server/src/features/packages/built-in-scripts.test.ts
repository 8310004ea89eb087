/** The scripts of the built-in packages, started as an agent starts them, against real targets. */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { arch, cpus, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import snmp from 'net-snmp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageProblem, sizeProblem } from '../../ingest/check-message.ts';
import { unpackBuiltIns, type BuiltInScripts } from '../../testing/built-in-scripts.ts';

let folder: string;
let runScript: BuiltInScripts['runScript'];
const servers: (Server | HttpServer | Socket)[] = [];

beforeAll(async () => {
  ({ folder, runScript } = await unpackBuiltIns());
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listening<T extends Server | HttpServer>(server: T): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('system metrics', () => {
  it('tell processors, memory, each disk, network, load and processes', async () => {
    const { report, code } = await runScript('system-metrics', 'System metrics');
    expect(code).toBe(0);
    const metrics = report.metrics ?? {};
    expect(Object.keys(metrics)).toEqual(
      expect.arrayContaining([
        'Cpu',
        'Memory',
        'Disk /',
        'DiskFreeBytes /',
        'NetworkInBytesPerSecond',
        'NetworkOutBytesPerSecond',
        'Load1',
        'Processes',
      ]),
    );
    expect(report.value).toBe(metrics['Cpu']);
    for (const name of ['Cpu', 'Memory', 'Disk /']) {
      expect(metrics[name]).toBeGreaterThanOrEqual(0);
      expect(metrics[name]).toBeLessThanOrEqual(100);
    }
    const df = execFileSync('df', ['--output=pcent', '/']).toString();
    expect(Math.abs((metrics['Disk /'] ?? 0) - Number(/(\d+)%/.exec(df)?.[1]))).toBeLessThanOrEqual(1.5);
    expect(metrics['Processes']).toBeGreaterThan(1);
    const largest = await runScript('system-metrics', 'Largest processes', { Count: '3' });
    const processes = largest.report.diagnostics?.['processes'] as { memoryBytes: number; name: string }[];
    expect(processes).toHaveLength(3);
    expect(processes.map((one) => one.memoryBytes)).toEqual(processes.map((one) => one.memoryBytes).toSorted((a, b) => b - a));
  });
});

describe('inventory', () => {
  it('tells system, hardware, software and addresses', async () => {
    const { report } = await runScript('inventory', 'Inventory');
    expect(report.value).toBe(/^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]);
    expect(report.states).toMatchObject({ HostName: hostname(), Architecture: arch() });
    expect(report.metrics).toMatchObject({ Processors: cpus().length, MemoryBytes: totalmem() });
    const software = report.diagnostics?.['software'] as [name: string, version: string][];
    const bash = execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'bash']).toString();
    expect(software.find(([name]) => name === 'bash')).toEqual(['bash', bash]);
    expect(report.metrics?.['Software']).toBe(software.length);
    // The report of a machine with this many programs is within the limits of a packet.
    const many = Array.from({ length: 3_000 }, (_, n) => software[n % software.length]);
    const message = { States: report.states, Metrics: report.metrics, Diagnostics: { ...report.diagnostics, software: many } };
    expect([messageProblem(message), sizeProblem(message as never, JSON.stringify(message))]).toEqual([undefined, undefined]);
  });
});

describe('HTTP check', () => {
  const check = (parameters: Record<string, string>) => runScript('http-check', 'HTTP check', parameters);

  it('tells status, phases and whether the text is there', async () => {
    const port = await listening(
      createHttpServer((request, response) => {
        const end = () => response.writeHead(request.url === '/bad' ? 503 : 200).end('The pump is healthy');
        if (request.url !== '/slow') setTimeout(end, 80);
      }),
    );
    const url = `http://127.0.0.1:${port}/`;
    const up = await check({ Address: url, Text: 'healthy' });
    expect(up.report).toMatchObject({ metrics: { Up: 1, StatusCode: 200, Bytes: 19 }, states: { Reachable: 'Up' } });
    expect(up.report.metrics?.['WaitMs']).toBeGreaterThanOrEqual(75);
    expect(up.report.value).toBe(up.report.metrics?.['TotalMs']);
    expect((await check({ Address: url, Text: 'broken' })).report).toMatchObject({
      metrics: { Up: 0 },
      states: { Reachable: 'Down', Reason: 'The text is missing' },
    });
    expect((await check({ Address: `${url}bad` })).report).toMatchObject({ states: { Reachable: 'Down', Reason: 'Status 503' } });
    expect((await check({ Address: `${url}bad`, Status: '503' })).report).toMatchObject({ states: { Reachable: 'Up' } });
    expect((await check({ Address: `${url}slow`, 'Time limit': '0.2' })).report).toMatchObject({
      states: { Reachable: 'Down', Reason: 'No answer within the time limit' },
    });
    expect((await check({ Address: `http://127.0.0.1:${await closedPort()}/` })).report).toMatchObject({
      value: null,
      states: { Reachable: 'Down', Reason: 'ECONNREFUSED' },
    });
  });

  it('tells the days that a certificate has left, and that it is not trusted', async () => {
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '40',
      '-subj',
      '/CN=localhost',
      '-keyout',
      keyFile,
      '-out',
      certFile,
    ];
    execFileSync('openssl', args, { stdio: 'ignore' });
    const port = await listening(
      createHttpsServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (_request, response) => response.end('ok')),
    );
    const Address = `https://localhost:${port}/`;
    const trusted = await check({ Address, Certificate: 'Ignore' });
    expect(trusted.report).toMatchObject({ metrics: { Up: 1, CertificateDays: 39 }, states: { Reachable: 'Up' } });
    expect(trusted.report.metrics?.['TlsMs']).toBeGreaterThan(0);
    expect((await check({ Address })).report).toMatchObject({ states: { Reachable: 'Down', Reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  });

  it('says what is wrong with its parameters', async () => {
    expect(await check({})).toMatchObject({ code: 1, errors: 'Address is required.\n' });
    expect(await check({ Address: 'ftp://x' })).toMatchObject({ code: 1, errors: 'Address must start with http:// or https://.\n' });
    expect(await check({ Address: 'http://x', 'Time limit': '-1' })).toMatchObject({
      code: 1,
      errors: 'Time limit must be a number from 0.1 to 300.\n',
    });
  });
});

it('TCP check tells the time of the connection and the answer', async () => {
  const port = await listening(
    createTcpServer((socket) => {
      socket.write('220 mail ready\r\n');
      socket.on('data', (part) => socket.write(`250 ${part.toString().trim()}\r\n`));
      socket.on('error', () => undefined);
    }),
  );
  const check = (parameters: Record<string, string>) =>
    runScript('tcp-check', 'TCP check', { Host: '127.0.0.1', Port: String(port), ...parameters });
  const plain = await check({});
  expect(plain.report).toMatchObject({ metrics: { Up: 1 }, states: { Reachable: 'Up' } });
  expect(plain.report.value).toBeGreaterThanOrEqual(0);
  expect((await check({ Send: 'EHLO x', Expect: '250 EHLO' })).report).toMatchObject({
    states: { Reachable: 'Up', Answer: '220 mail ready' },
  });
  expect((await check({ Expect: 'imap', 'Time limit': '0.3' })).report).toMatchObject({
    states: { Reachable: 'Down', Reason: 'No such answer within the time limit' },
  });
  expect((await check({ Port: String(await closedPort()) })).report).toMatchObject({
    states: { Reachable: 'Down', Reason: 'ECONNREFUSED' },
  });
  expect(await check({ Port: '70000' })).toMatchObject({ code: 1, errors: 'Port must be a number from 1 to 65535.\n' });
});

it('DNS check tells the answers of a name server', async () => {
  const server = createSocket('udp4');
  servers.push(server);
  server.on('message', (query, from) => {
    // The answer to a DNS query with one question: 192.0.2.7 for pump.test, NXDOMAIN for other names.
    const isKnown = query.includes('\x04pump\x04test\x00');
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, isKnown ? 1 : 0, 0, 0, 0, 0]);
    const record = isKnown ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]) : Buffer.alloc(0);
    server.send(Buffer.concat([head, question, record]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  const check = (parameters: Record<string, string>) =>
    runScript('dns-check', 'DNS check', { Name: 'pump.test', Server: `127.0.0.1:${server.address().port}`, ...parameters });
  expect((await check({ Expect: '192.0.2.7' })).report).toMatchObject({
    metrics: { Up: 1, Answers: 1 },
    states: { Resolves: 'Up', Answers: '192.0.2.7' },
  });
  expect((await check({ Expect: '192.0.2.8' })).report).toMatchObject({
    states: { Resolves: 'Down', Reason: 'The expected answer is missing' },
  });
  expect((await check({ Name: 'other.test' })).report).toMatchObject({ value: null, states: { Resolves: 'Down', Reason: 'ENOTFOUND' } });
  expect(await check({ Type: 'X' })).toMatchObject({ code: 1 });
});

it('ping tells the round trip and the loss', async () => {
  expect((await runScript('ping', 'Ping', { Host: '127.0.0.1', Count: '2' })).report).toMatchObject({
    metrics: { Up: 1, LossPercent: 0 },
    states: { Reachable: 'Up' },
  });
  expect((await runScript('ping', 'Ping', { Host: 'no-such-host.invalid', Count: '1' })).report).toMatchObject({
    metrics: { Up: 0, LossPercent: 100 },
    states: { Reachable: 'Down' },
  });
  expect(await runScript('ping', 'Ping', { Host: '-f' })).toMatchObject({ code: 1 });
});

it('a process is running or not', async () => {
  const check = (Name: string) => runScript('processes-and-services', 'Process', { Name });
  const running = await check('node');
  expect(running.report.states).toEqual({ Process: 'Running' });
  expect(running.report.value).toBeGreaterThan(0);
  expect((await check('no-such-program')).report).toMatchObject({ value: 0, metrics: { Up: 0 }, states: { Process: 'Stopped' } });
});

it('a service is told by systemd', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const answers =
    'case "$5" in up) echo LoadState=loaded; echo ActiveState=active;; bad) echo LoadState=loaded; echo ActiveState=failed;; *) echo LoadState=not-found;; esac';
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\nset -- x "$@"\n${answers}\n`, { mode: 0o755 });
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  try {
    const check = async (Name: string) => (await runScript('processes-and-services', 'Service', { Name })).report;
    expect(await check('up')).toEqual({ value: 'Running', metrics: { Up: 1 }, states: { Service: 'Running' } });
    expect(await check('bad')).toMatchObject({ value: 'Failed', metrics: { Up: 0 } });
    expect(await check('gone')).toMatchObject({ value: 'Missing' });
  } finally {
    process.env['PATH'] = path;
  }
});

it('a plugin speaks for itself', async () => {
  const Plugin = join(folder, 'check_pump');
  writeFileSync(Plugin, '#!/bin/sh\necho "PUMP WARNING - $# $2 | level=$1;5;9"\nexit 1\n', { mode: 0o755 });
  expect(await runScript('plugin-runner', 'Plugin', { Plugin, Arguments: '7 "two words"' })).toMatchObject({
    code: 1,
    output: 'PUMP WARNING - 2 two words | level=7;5;9\n',
  });
  expect(await runScript('plugin-runner', 'Plugin', { Plugin: `${Plugin}_no` })).toMatchObject({
    code: 3,
    output: 'UNKNOWN - the plugin could not be started (ENOENT)\n',
  });
});

describe('SNMP', () => {
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
  let host: string;

  beforeAll(async () => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const { port } = socket.address();
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    host = `127.0.0.1:${port}`;
    agent = snmp.createAgent({ port, address: '127.0.0.1' }, () => undefined);
    agent.getAuthorizer().addCommunity('plant');
    agent.getAuthorizer().addUser(user);
    const mib = agent.getMib();
    const scalars = [
      ['descr', `${system}.1`, snmp.ObjectType.OctetString, 'Pump 7'],
      ['uptime', `${system}.3`, snmp.ObjectType.TimeTicks, 4711],
      ['services', `${system}.7`, snmp.ObjectType.Integer, -3],
      ['octets', `${system}.8`, snmp.ObjectType.Counter64, Buffer.from('000000012a05f200', 'hex')],
    ] as const;
    for (const [name, oid, scalarType, value] of scalars) {
      mib.registerProvider({ name, type: snmp.MibProviderType.Scalar, oid, scalarType, maxAccess: snmp.MaxAccess['read-only'] });
      mib.setScalarValue(name, value);
    }
  });
  afterAll(() => agent.close());

  const objects = `Descr=${system}.1.0, Uptime = ${system}.3.0, ${system}.9.0`;

  it('reads numbers as metrics and texts as states, and says what the device does not have', async () => {
    const { report, code } = await runScript(
      'snmp',
      'SNMP get',
      { Host: host, Objects: objects, Version: '2c' },
      { CLOUDFIT_SECRET_COMMUNITY: 'plant' },
    );
    expect(code).toBe(0);
    expect(report).toEqual({
      value: 'Pump 7',
      metrics: { Up: 1, Uptime: 4711 },
      states: { Answers: 'Up', Descr: 'Pump 7' },
      message: `The device does not have ${system}.9.0.`,
    });
  });

  it('signs and encrypts with the keys of a user in version 3', async () => {
    const parameters = { Host: host, Objects: `Octets=${system}.8.0`, Version: '3', User: 'eva', Authentication: 'sha256', Privacy: 'aes' };
    const keys = { CLOUDFIT_SECRET_AUTH_KEY: user.authKey, CLOUDFIT_SECRET_PRIVACY_KEY: user.privKey };
    expect((await runScript('snmp', 'SNMP get', parameters, keys)).report).toMatchObject({
      value: 5_000_000_000,
      metrics: { Octets: 5_000_000_000 },
    });
    const wrong = await runScript(
      'snmp',
      'SNMP get',
      { ...parameters, 'Time limit': '0.5' },
      { ...keys, CLOUDFIT_SECRET_AUTH_KEY: 'another-key' },
    );
    expect(wrong.report).toMatchObject({ value: null, metrics: { Up: 0 }, states: { Answers: 'Down' } });
  });

  it('walks what is below an identifier, up to a number of objects', async () => {
    const parameters = { Host: host, Below: system, Version: '2c', 'At most': '3' };
    const { report } = await runScript('snmp', 'SNMP walk', parameters, { CLOUDFIT_SECRET_COMMUNITY: 'plant' });
    expect(report).toEqual({
      value: 3,
      metrics: { Up: 1, '3.0': 4711, '7.0': -3 },
      states: { Answers: 'Up' },
      diagnostics: {
        objects: [
          { oid: `${system}.1.0`, value: 'Pump 7' },
          { oid: `${system}.3.0`, value: 4711 },
          { oid: `${system}.7.0`, value: -3 },
        ],
      },
      message: 'There are more than 3 objects.',
    });
  });

  it('says that a device does not answer, and what is wrong with a parameter', async () => {
    const silent = await runScript('snmp', 'SNMP get', { Host: host, Objects: objects, Version: '1', 'Time limit': '0.3' });
    expect([silent.code, silent.report]).toMatchObject([0, { value: null, states: { Answers: 'Down', Reason: 'Request timed out' } }]);
    const wrong = await runScript('snmp', 'SNMP get', { Host: host, Objects: 'Uptime', Version: '2c' });
    expect([wrong.code, wrong.errors]).toEqual([1, 'Objects: Uptime is not an object identifier, such as Uptime=1.3.6.1.2.1.1.3.0.\n']);
    const keyless = await runScript(
      'snmp',
      'SNMP get',
      { Host: host, Objects: objects, Version: '3', User: 'eva' },
      { CLOUDFIT_SECRET_PRIVACY_KEY: 'x' },
    );
    expect(keyless.errors).toBe('Privacy needs the secret {Auth key} too.\n');
  });
});
