/** The scripts that measure the machine, started as an agent starts them, on the machine of the test. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageProblem, sizeProblem } from '../../ingest/check-message.ts';
import { createScripts, type ScriptRun, type Scripts } from '../../testing/scripts.ts';
import { sizesOf } from '../../../packages/system-metrics/file-system-sizes.mjs';

let scripts: Scripts;
let folder: string;
beforeAll(async () => {
  scripts = await createScripts(['system-metrics', 'processes-and-services']);
  ({ folder } = scripts);
});
afterAll(() => scripts.close());

async function run(name: string, operation: string, parameters: Record<string, string> = {}, path = process.env['PATH'] ?? '') {
  const { report, code, errors } = await scripts.run(name, operation, parameters, { PATH: path });
  return { code, errors, metrics: {} as Record<string, number>, states: {}, diagnostics: {}, ...report };
}
const metrics = run.bind(undefined, 'system-metrics');
const services = run.bind(undefined, 'processes-and-services');

/** Puts a program in front of all others. */
function withProgram(name: string, script: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:${process.env['PATH']}`;
}

function expectStorable({ metrics: Metrics, states: States, diagnostics: Diagnostics }: ScriptRun['report']): void {
  const message = {
    Metrics: { ...Metrics, RunSeconds: 1 },
    States: { ...States, RunStatus: 'Success' },
    Diagnostics: { ...Diagnostics, Message: 'x' },
  };
  expect([messageProblem(message), sizeProblem(message as never, JSON.stringify(message))]).toEqual([undefined, undefined]);
}

describe('system metrics', () => {
  it('tell processors, memory, each disk, network, load and processes', async () => {
    const measured = await metrics('System metrics');
    expect(measured.code).toBe(0);
    expect(Object.keys(measured.metrics)).toEqual(
      expect.arrayContaining(
        ['Cpu', 'CpuIowait', 'CpuSteal', 'Cpu 0', 'Memory', 'MemoryAvailableBytes', 'Disk /', 'DiskFreeBytes /', 'DiskReadOnly /'].concat([
          'NetworkInBytesPerSecond',
          'NetworkOutBytesPerSecond',
          'Load1',
          'Load5',
          'Load15',
          'Processes',
          'Zombies',
          'UptimeSeconds',
        ]),
      ),
    );
    expect(measured.value).toBe(measured.metrics['Cpu']);
    for (const name of ['Cpu', 'Memory', 'Disk /']) {
      expect(measured.metrics[name]).toBeGreaterThanOrEqual(0);
      expect(measured.metrics[name]).toBeLessThanOrEqual(100);
    }
    const df = execFileSync('df', ['--output=pcent', '/']).toString();
    expect(Math.abs((measured.metrics['Disk /'] ?? 0) - Number(/(\d+)%/.exec(df)?.[1]))).toBeLessThanOrEqual(1.5);
    expect(measured.metrics['Processes']).toBeGreaterThan(1);
    expectStorable(measured);
  });

  it('measure the time since the run before, and a second if that is of another start of the machine', async () => {
    const counters = join(folder, 'system-metrics/data/counters.json');
    const stored = JSON.parse(readFileSync(counters, 'utf8')) as { boot: string; cpu: { uptime: number; all: number[] } };
    const [user = 0, ...rest] = stored.cpu.all;
    const earlier = { ...stored, cpu: { ...stored.cpu, uptime: stored.cpu.uptime - 100, all: [user - 1e9, ...rest] } };
    writeFileSync(counters, JSON.stringify(earlier));
    // A billion ticks in user mode since then.
    expect((await metrics('System metrics')).metrics['CpuUser']).toBeGreaterThan(99);
    writeFileSync(counters, JSON.stringify({ ...earlier, boot: 'another' }));
    expect((await metrics('System metrics')).metrics['CpuUser']).toBeLessThanOrEqual(100);
    expect(JSON.parse(readFileSync(counters, 'utf8'))).toMatchObject({ boot: stored.boot });
  });

  it('do not wait for a server of files that does not answer', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = withProgram('stat', 'sleep 60');
    try {
      const startedAt = performance.now();
      expect(await sizesOf({ paths: ['/mnt/nas'], isRemote: true })).toEqual({ path: '/mnt/nas', problem: 'no answer within 5 s' });
      expect(performance.now() - startedAt).toBeLessThan(30_000);
    } finally {
      process.env['PATH'] = path;
    }
    expect(await sizesOf({ paths: ['/'], isRemote: true })).toMatchObject({ path: '/', sizes: { bsize: expect.any(Number) } });
    expect(await sizesOf({ paths: ['/no/such'], isRemote: true })).toEqual({ path: '/no/such', problem: 'No such file or directory' });
  });

  it('take the first path of a file system that is a folder', async () => {
    expect(await sizesOf({ paths: ['/etc/hostname', '/etc'], isRemote: false })).toMatchObject({ path: '/etc', sizes: {} });
    expect(await sizesOf({ paths: ['/etc/hostname'], isRemote: false })).toEqual({ path: '/etc/hostname' });
    expect(await sizesOf({ paths: ['/no/such'], isRemote: false })).toEqual({ path: '/no/such', problem: 'ENOENT' });
  });
});

describe('the largest processes', () => {
  it('are named by their program, and fit into a packet', async () => {
    const measured = await metrics('Largest processes', { Count: '3' });
    const processes = measured.diagnostics['processes'] as { memoryBytes: number; name: string; command: string; user: string }[];
    expect(processes).toHaveLength(3);
    expect(processes.map((process) => process.memoryBytes)).toEqual(
      processes.map((process) => process.memoryBytes).toSorted((a, b) => b - a),
    );
    for (const one of processes) {
      expect(one.name).not.toBe('MainThread');
      expect(one.user).not.toBe('');
    }
    const many = await metrics('Largest processes', { Count: '100' });
    expect(many.message).toBe('Only 75 processes fit into a packet.');
    expectStorable(many);
  });
});

describe('the health of disks', () => {
  it('is unknown without smartctl', async () => {
    const nowhere = mkdtempSync(join(folder, 'empty-'));
    expect(await metrics('Disk health', {}, nowhere)).toMatchObject({
      value: null,
      status: 'Unknown',
      metrics: {},
      states: { Health: 'Unknown' },
      message: 'SMART is not available: smartctl is not installed (package smartmontools).',
    });
  });

  it('is that of the worst disk, and a disk that may not be read is unknown', async () => {
    const scan = '{"smartctl":{"exit_status":0},"devices":[{"name":"/dev/sda","type":"sat"},{"name":"/dev/sdb","type":"sat"}]}';
    const passed = '{"smartctl":{"exit_status":0},"smart_status":{"passed":true},"temperature":{"current":31}}';
    const refused = '{"smartctl":{"exit_status":2,"messages":[{"string":"Permission denied"}]}}';
    const script = `case "$*" in *--scan*) echo '${scan}';; *sda) echo '${passed}';; *) echo '${refused}'; exit 2;; esac`;
    expect(await metrics('Disk health', {}, withProgram('smartctl', script))).toMatchObject({
      value: null,
      metrics: { 'Temperature sda': 31 },
      states: { Health: 'Unknown', 'Health sda': 'Passed', 'Health sdb': 'Unknown' },
      message: 'sdb: Permission denied.',
    });
  });
});

describe('a process', () => {
  const check = (parameters: Record<string, string>) => services('Process', parameters);

  it('is running or not, by name, command line and user', async () => {
    const running = await check({ Name: 'node' });
    expect(running.states).toEqual({ Process: 'Running' });
    expect(running.value).toBeGreaterThan(0);
    expect(await check({ Name: 'no-such-program' })).toMatchObject({ value: 0, metrics: { Up: 0 }, states: { Process: 'Stopped' } });
    const user = execFileSync('id', ['-un']).toString().trim();
    const sleeping = spawn('sleep', ['98765'], { stdio: 'ignore' });
    try {
      expect(await check({ 'Command line': 'sleep 98765', User: user })).toMatchObject({ value: 1, states: { Process: 'Running' } });
      expect(await check({ 'Command line': 'sleep 98765', User: 'nobody-else' })).toMatchObject({ value: 0 });
      sleeping.kill('SIGSTOP');
      await expect.poll(async () => (await check({ 'Command line': 'sleep 98765' })).states).toEqual({ Process: 'Suspended' });
    } finally {
      sleeping.kill('SIGKILL');
    }
    expect(await check({})).toMatchObject({ code: 1, errors: 'Name, Command line, Unit or User is required.\n' });
  });

  it('that has ended and is still listed does not run', async () => {
    const name = `zombie${process.pid}`.slice(0, 15);
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    // The parent becomes another program, which never asks for the end of its child.
    const parent = spawn('sh', ['-c', `"${join(folder, name)}" & exec sleep 60`], { stdio: 'ignore' });
    try {
      await expect.poll(async () => (await check({ Name: name })).metrics['Zombies']).toBe(1);
      expect(await check({ Name: name })).toMatchObject({
        value: 0,
        metrics: { Up: 0, Processes: 0, Zombies: 1 },
        states: { Process: 'Stopped' },
      });
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('a service', () => {
  it('is told by systemd', async () => {
    const answer = (active: string, sub: string) => `echo LoadState=loaded; echo ActiveState=${active}; echo SubState=${sub}`;
    const script = `case "$4" in up) ${answer('active', 'running')};; again) ${answer('reloading', 'reload')};; odd) ${answer('dreaming', 'deep')};; bad) ${answer('failed', 'failed')};; *) echo LoadState=not-found; echo ActiveState=inactive; echo SubState=dead;; esac`;
    const path = withProgram('systemctl', script);
    const check = (Name: string) => services('Service', { Name }, path);
    expect(await check('up')).toMatchObject({
      value: 'Running',
      metrics: { Up: 1 },
      states: { Service: 'Running', ActiveState: 'active', SubState: 'running' },
    });
    expect(await check('again')).toMatchObject({ value: 'Reloading', metrics: { Up: 1 } });
    expect(await check('bad')).toMatchObject({ value: 'Failed', metrics: { Up: 0 } });
    expect(await check('gone')).toMatchObject({ value: 'Missing', metrics: { Up: 0 } });
    expect(await check('odd')).toMatchObject({
      value: null,
      status: 'Unknown',
      metrics: {},
      states: { Service: 'Unknown', ActiveState: 'dreaming' },
      message: 'The state of the service is not known: systemd says dreaming.',
    });
  });
});
