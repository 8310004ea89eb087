/** The scripts of the built-in packages, started as an agent starts them, against real targets. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageProblem, sizeProblem } from '../../ingest/check-message.ts';
import { createScripts, type Scripts } from '../../testing/scripts.ts';

let scripts: Scripts;
let folder: string;
const runScript: Scripts['run'] = (...run) => scripts.run(...run);

beforeAll(async () => {
  scripts = await createScripts();
  ({ folder } = scripts);
});
afterAll(() => scripts.close());

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
