/** The figures of this machine, compared with those of the tools that come with Debian. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { valuesOf } from '../testing/kernel-tables.ts';
import { cpuFigures, loadFigures, readCpu } from './cpu.ts';
import { diskWorkFigures, readDisks } from './disk-io.ts';
import { diskFigures, fileSystemsOf } from './file-systems.ts';
import { kernelFilesOf, readUptime } from './kernel-files.ts';
import { memoryFigures, readMemory } from './memory.ts';
import { readInterfaces } from './network.ts';
import { countProcesses, readProcesses } from './processes.ts';

const files = kernelFilesOf({ readFile, readdir, readlink });

/** Skips the test if this machine does not have a tool. */
function requireTool(context: TestContext, tool: string, debianPackage: string): void {
  if (spawnSync(tool, ['--version']).error) context.skip(`${tool} is not installed (Debian: ${debianPackage}).`);
}

const run = (tool: string, ...args: string[]): string => execFileSync(tool, args, { env: { ...process.env, LC_ALL: 'C' } }).toString();

function expectBetween(value: number | undefined, lower: number | undefined, upper: number | undefined): void {
  expect(value).toBeGreaterThanOrEqual(lower ?? Number.NaN);
  expect(value).toBeLessThanOrEqual(upper ?? Number.NaN);
}

describe.skipIf(process.platform !== 'linux')('on this machine', () => {
  it('memory is that of free', async (context) => {
    requireTool(context, 'free', 'procps');
    const memory = await readMemory(files);
    const figures = valuesOf(memory ? memoryFigures(memory) : []);
    if (figures['MachineMemoryBytes'] !== undefined) return context.skip('This container has less memory than its machine.');
    const output = run('free', '-b', '-w');
    const [total = 0, , , , , , available = 0] = /^Mem: +(.*)$/m.exec(output)?.[1]?.split(/ +/).map(Number) ?? [];
    const [swapTotal = 0, swapUsed = 0] = /^Swap: +(.*)$/m.exec(output)?.[1]?.split(/ +/).map(Number) ?? [];
    expect(figures['MemoryTotalBytes']).toBe(total);
    // Other programs take and give back memory between both readings.
    expect(Math.abs((figures['MemoryAvailableBytes'] ?? 0) - available) / total).toBeLessThan(0.1);
    expect(figures['SwapTotalBytes'] ?? 0).toBe(swapTotal);
    expect(Math.abs((figures['SwapUsedBytes'] ?? 0) - swapUsed)).toBeLessThanOrEqual(Math.max(swapTotal / 10, 0));
  });

  it('file systems are those of df', async (context) => {
    requireTool(context, 'df', 'coreutils');
    const listed = fileSystemsOf((await files.read('/proc/self/mountinfo')) ?? '').filter(({ isRemote }) => !isRemote);
    expect(listed.length).toBeGreaterThan(0);
    for (const { paths } of listed) {
      const [path = ''] = paths;
      if (!(await stat(path)).isDirectory()) continue;
      const before = valuesOf(diskFigures(path, await statfs(path)));
      const [, row = ''] = run('df', '--block-size=1', '--output=size,used,avail,pcent,itotal,iused,target', path).trim().split('\n');
      const [size, used, available, percent, inodes, usedInodes] = row.trim().split(/[ %]+/).map(Number);
      expect(row.endsWith(` ${path}`)).toBe(true);
      expect(before[`DiskTotalBytes ${path}`]).toBe(size);
      const slack = (size ?? 0) / 50;
      expectBetween(before[`DiskUsedBytes ${path}`], (used ?? 0) - slack, (used ?? 0) + slack);
      expectBetween(before[`DiskFreeBytes ${path}`], (available ?? 0) - slack, (available ?? 0) + slack);
      // df rounds up.
      expectBetween(before[`Disk ${path}`], (percent ?? 0) - 3, (percent ?? 0) + 2);
      if (inodes) {
        expectBetween(before[`DiskInodesTotal ${path}`], inodes * 0.98, inodes * 1.02);
        expectBetween(before[`DiskInodesUsed ${path}`], (usedInodes ?? 0) - inodes / 50, (usedInodes ?? 0) + inodes / 50);
      }
    }
    const disks = run('df', '--output=source,target')
      .split('\n')
      .filter((line) => line.startsWith('/dev/') && !line.startsWith('/dev/loop'));
    const paths = new Set(listed.flatMap((item) => item.paths));
    for (const line of disks) expect(paths).toContain(/^\S+\s+(.*)$/.exec(line)?.[1]);
  });

  it('interfaces are those of ip', async (context) => {
    requireTool(context, 'ip', 'iproute2');
    const before = (await readInterfaces(files)) ?? {};
    const rows = JSON.parse(run('ip', '-s', '-j', 'link', 'show')) as {
      ifname: string;
      ifindex: number;
      stats64: Record<'rx' | 'tx', { bytes: number; packets: number; errors: number; dropped: number }>;
    }[];
    const now = (await readInterfaces(files)) ?? {};
    expect(rows.map(({ ifname }) => ifname).toSorted()).toEqual(Object.keys(before).toSorted());
    for (const { ifname, ifindex, stats64 } of rows) {
      const { rx, tx } = stats64;
      if (now[ifname]?.index !== undefined) expect(now[ifname].index).toBe(ifindex);
      const columns = [
        rx.bytes,
        rx.packets,
        rx.errors,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        tx.bytes,
        tx.packets,
        tx.errors,
        tx.dropped,
      ];
      for (const [column, count] of columns.entries())
        if (count !== undefined) expectBetween(count, before[ifname]?.counters[column], now[ifname]?.counters[column]);
    }
  });

  it('the work of disks is that of iostat', async (context) => {
    requireTool(context, 'iostat', 'sysstat');
    const zero = (disks: Awaited<ReturnType<typeof readDisks>>) =>
      Object.fromEntries(Object.entries(disks ?? {}).map(([name, disk]) => [name, { ...disk, counters: disk.counters.map(() => 0) }]));
    const reading = async () => {
      const [disks, uptime] = [await readDisks(files), await readUptime(files)];
      return valuesOf(diskWorkFigures(zero(disks), disks ?? {}, uptime ?? 1));
    };
    const before = await reading();
    // The first report is about the time since the start.
    const output = JSON.parse(run('iostat', '-x', '-k', '-N', '-o', 'JSON')) as {
      sysstat: { hosts: { statistics: { disk: (Record<string, number> & { disk_device: never })[] }[] }[] };
    };
    const after = await reading();
    const disks = output.sysstat.hosts[0]?.statistics[0]?.disk ?? [];
    const names = Object.keys(after).flatMap((name) => (name.startsWith('DiskUtilization ') ? name.slice('DiskUtilization '.length) : []));
    let compared = 0;
    for (const disk of disks.filter(({ disk_device: name }) => names.includes(name))) {
      for (const [name, column, factor] of [
        ['DiskReadBytesPerSecond', 'rkB/s', 1_024],
        ['DiskWriteBytesPerSecond', 'wkB/s', 1_024],
        ['DiskReadsPerSecond', 'r/s', 1],
        ['DiskWritesPerSecond', 'w/s', 1],
        ['DiskReadAwaitMs', 'r_await', 1],
        ['DiskWriteAwaitMs', 'w_await', 1],
        ['DiskUtilization', 'util', 1],
        ['DiskQueue', 'aqu-sz', 1],
      ] as const) {
        const values = [before, after].flatMap((item) => item[`${name} ${disk.disk_device}`] ?? []);
        // iostat shows 0 where there was no request.
        if (values.length < 2) continue;
        const slack = Math.max(...values) * 0.02 + 0.06 * factor;
        expectBetween((disk[column] ?? Number.NaN) * factor, Math.min(...values) - slack, Math.max(...values) + slack);
        compared += 1;
      }
    }
    if (compared === 0) context.skip('This machine has no disk that iostat shows.');
  });

  it('processors are those of mpstat, and loads those of uptime', async (context) => {
    requireTool(context, 'mpstat', 'sysstat');
    const reading = async () => {
      const now = await readCpu(files);
      if (!now) throw new Error('The processors cannot be read.');
      const zero = (ticks: readonly number[]) => ticks.map(() => 0);
      const cores = Object.fromEntries(Object.entries(now.cores).map(([core, ticks]) => [core, zero(ticks)]));
      return valuesOf(cpuFigures({ ...now, uptime: 0, all: zero(now.all), cores }, { ...now, limit: undefined }));
    };
    const before = await reading();
    // The first report is about the time since the start.
    const output = JSON.parse(run('mpstat', '-P', 'ALL', '-o', 'JSON')) as {
      sysstat: { hosts: { statistics: { 'cpu-load': (Record<string, number> & { cpu: never })[] }[] }[] };
    };
    const [all, ...cores] = output.sysstat.hosts[0]?.statistics[0]?.['cpu-load'] ?? [];
    const pairs = {
      CpuNice: 'nice',
      CpuSystem: 'sys',
      CpuIowait: 'iowait',
      CpuIrq: 'irq',
      CpuSoftirq: 'soft',
      CpuSteal: 'steal',
      CpuIdle: 'idle',
    };
    for (const [name, column] of Object.entries(pairs)) expectBetween(all?.[column], (before[name] ?? 0) - 0.6, (before[name] ?? 0) + 0.6);
    expectBetween((all?.['usr'] ?? 0) + (all?.['guest'] ?? 0), (before['CpuUser'] ?? 0) - 0.6, (before['CpuUser'] ?? 0) + 0.6);
    expect(before['CpuCores']).toBe(cores.length);
    for (const core of cores) {
      const busy = 100 - (core['idle'] ?? 0) - (core['iowait'] ?? 0) - (core['steal'] ?? 0);
      expectBetween(busy, (before[`Cpu ${core.cpu}`] ?? 0) - 0.6, (before[`Cpu ${core.cpu}`] ?? 0) + 0.6);
    }
    const load = valuesOf(await loadFigures(files));
    const [, fifteen] = /load average: [\d.]+, [\d.]+, ([\d.]+)/.exec(run('uptime')) ?? [];
    expectBetween(load['Load15'], Number(fifteen) - 1, Number(fifteen) + 1);
  });

  it('processes are those of ps', async (context) => {
    requireTool(context, 'ps', 'procps');
    const before = (await countProcesses(files))?.processes ?? Number.NaN;
    const count = run('ps', '-e', '-o', 'pid=').trim().split('\n').length;
    const list = await readProcesses(files);
    // Other tests start and end processes meanwhile.
    expect(Math.abs(count - before)).toBeLessThanOrEqual(25);
    const self = list?.processes.find(({ id }) => id === process.pid);
    const [user, uid, unitName] = ['user:40', 'uid', 'unit'].map((column) =>
      run('ps', '-o', `${column}=`, '-p', String(process.pid)).trim(),
    );
    expect([user, uid]).toContain(self?.user);
    if (unitName !== '-' && unitName !== '' && self?.unit !== undefined) expect(self.unit).toBe(unitName);
    const kibibytes = Number(run('ps', '-o', 'rss=', '-p', String(process.pid)));
    expectBetween((self?.memoryBytes ?? 0) / 1_024, kibibytes * 0.5, kibibytes * 2);
    expect(self?.commandLine).toContain('node');
  });
});
