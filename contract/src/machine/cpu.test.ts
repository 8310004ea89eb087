import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kernelTables, valuesOf } from '../testing/kernel-tables.ts';
import { cpuFigures, cpuPercent, cpuShares, loadFigures, readCpu, type CpuSnapshot } from './cpu.ts';

async function snapshot(stat: string, uptime: number, more: Record<string, string> = {}): Promise<CpuSnapshot> {
  const read = await readCpu(kernelTables({ '/proc/stat': stat, '/proc/uptime': `${uptime}.00 1.00\n`, ...more }));
  if (!read) throw new Error('no figures');
  return read;
}

async function figuresOf(before: string, now: string, seconds = 10): Promise<Record<string, number>> {
  return valuesOf(cpuFigures(await snapshot(before, 100), await snapshot(now, 100 + seconds)));
}

describe('processors', () => {
  it('do not count waiting for a disk as use, and show it', async () => {
    // A backup on bare metal: 5 % user, 5 % system, 90 % waiting for the disk.
    const figures = await figuresOf('cpu  1000 0 1000 8000 0 0 0 0 0 0\n', 'cpu  1050 0 1050 8000 900 0 0 0 0 0\n');
    expect(figures).toMatchObject({ Cpu: 10, CpuUser: 5, CpuSystem: 5, CpuIowait: 90, CpuIdle: 0, CpuSteal: 0 });
  });

  it('show time that a virtual machine did not get, and interrupts', async () => {
    const figures = await figuresOf('cpu  0 0 0 0 0 0 0 0 0 0\n', 'cpu  200 100 100 300 50 30 20 200 40 10\n');
    expect(figures).toMatchObject({ Cpu: 45, CpuNice: 10, CpuIrq: 3, CpuSoftirq: 2, CpuSteal: 20, CpuIowait: 5, CpuGuest: 4 });
  });

  it('are shown one by one, with what the kernel counts', async () => {
    const table = (user0: number, idle1: number, ctxt: number) =>
      `cpu  ${user0} 0 0 ${idle1} 0 0 0 0 0 0\ncpu0 ${user0} 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 ${idle1} 0 0 0 0 0 0\nintr ${ctxt} 1 2\nctxt ${ctxt}\nbtime 1\nprocesses ${ctxt}\nprocs_running 3\nprocs_blocked 1\n`;
    expect(await figuresOf(table(100, 100, 1_000), table(200, 200, 6_000))).toMatchObject({
      Cpu: 50,
      'Cpu 0': 100,
      'Cpu 1': 0,
      CpuCores: 2,
      ContextSwitchesPerSecond: 500,
      ForksPerSecond: 500,
      ProcessesRunnable: 3,
      ProcessesBlocked: 1,
    });
  });

  it('have no figure when no time has passed, after a reset, or when nothing can be read', async () => {
    const names = async (before: string, now: string) => Object.keys(await figuresOf(before, now)).filter((name) => name.startsWith('Cpu'));
    expect(await names('cpu  5 0 5 90\n', 'cpu  5 0 5 90\n')).toEqual([]);
    expect(await names('cpu  500 0 500 9000\n', 'cpu  5 0 5 90\n')).toEqual([]);
    expect(await readCpu(kernelTables({}))).toBeUndefined();
    expect(await readCpu(kernelTables({ '/proc/stat': 'cpu garbage\n', '/proc/uptime': '5.00 1.00\n' }))).toBeUndefined();
  });

  it('have only the columns that an old kernel has', async () => {
    expect(await figuresOf('cpu  0 0 0 0\n', 'cpu  10 0 0 90\n')).toEqual({ Cpu: 10, CpuUser: 10, CpuNice: 0, CpuSystem: 0, CpuIdle: 90 });
  });

  it('are those of a container within its limit, by version 2 and 1 of control groups', async () => {
    const host = (ticks: number) => ['', '0', '1', '2', '3'].map((core) => `cpu${core} ${ticks} 0 0 ${ticks} 0 0 0 0 0 0\n`).join('');
    const version2 = (seconds: number) => ({
      '/sys/fs/cgroup/cpu.max': '50000 100000\n',
      '/sys/fs/cgroup/cpu.stat': `usage_usec ${seconds * 1e6}\nuser_usec 1\nnr_periods ${seconds * 10}\nnr_throttled ${seconds * 4}\n`,
    });
    const version1 = (seconds: number) => ({
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/cpu.stat': `nr_periods ${seconds * 10}\nnr_throttled ${seconds * 4}\nthrottled_time 7\n`,
      '/sys/fs/cgroup/cpuacct/cpuacct.usage': `${seconds * 1e9}\n`,
    });
    for (const group of [version2, version1]) {
      const figures = cpuFigures(await snapshot(host(100), 100, group(20)), await snapshot(host(200), 110, group(24)));
      // Four of ten seconds on half a processor.
      expect(valuesOf(figures)).toMatchObject({ Cpu: 80, CpuLimitCores: 0.5, CpuThrottledPercent: 40, CpuUser: 50, 'Cpu 2': 50 });
    }
    const unlimited = { '/sys/fs/cgroup/cpu.max': 'max 100000\n', '/sys/fs/cgroup/cpu.stat': 'usage_usec 1\n' };
    expect(cpuPercent(await snapshot(host(100), 100, unlimited), await snapshot(host(200), 110, unlimited))).toBe(50);
  });

  it('agree with a count of single ticks, also when idle times are corrected backwards', () => {
    const tick = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7);
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 8 }),
        fc.array(tick, { minLength: 1, maxLength: 400 }),
        (start, ticks) => {
          const now = start.map((count, column) => count + ticks.filter((tick) => tick === column).length);
          const shares = cpuShares(start, now);
          const share = (...of: number[]) => (100 * ticks.filter((tick) => of.includes(tick)).length) / ticks.length;
          expect(shares?.busy).toBeCloseTo(share(0, 1, 2, 5, 6), 6);
          expect(shares?.iowait).toBeCloseTo(share(4), 6);
          expect(shares?.steal).toBeCloseTo(share(7), 6);
          const corrected = cpuShares(start, now.with(4, start[4] === 0 ? 0 : (start[4] ?? 0) - 1));
          for (const value of Object.values(corrected ?? {})) expect(value >= 0 && value <= 100).toBe(true);
        },
      ),
    );
  });
});

it('load averages are those of the kernel, or missing', async () => {
  const loads = async (text: string) => valuesOf(await loadFigures(kernelTables({ '/proc/loadavg': text })));
  expect(await loads('0.52 12.58 0.59 2/1234 99\n')).toEqual({ Load1: 0.52, Load5: 12.58, Load15: 0.59 });
  expect(await loads('n/a\n')).toEqual({});
});
