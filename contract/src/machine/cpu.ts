/** The processors by `/proc/stat`, as top and mpstat show them. */
import { figure, increase, percentOf, ranks, type Figure } from './figures.ts';
import { readUptime, type KernelFiles } from './kernel-files.ts';
import { readCpuLimit, type CpuLimit } from './limits.ts';

/** The columns of `/proc/stat` in their order. The time of guests is also part of `user` and `nice`. */
const columns = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest'] as const;
type CpuColumn = (typeof columns)[number];
const busyColumns: readonly CpuColumn[] = ['user', 'nice', 'system', 'irq', 'softirq'];
const countedColumns = columns.indexOf('guest');
const maxCores = 64;

/** Clock ticks of one processor, or of all, by column. Old kernels have fewer columns. */
type CpuTicks = readonly number[];

/** Percent of the time by column; `busy` is the time in which programs or the kernel ran. */
export type CpuShares = Partial<Record<CpuColumn, number>> & { busy: number };

export interface CpuSnapshot {
  uptime: number;
  all: CpuTicks;
  cores: Readonly<Record<string, CpuTicks>>;
  /** Counts since the start: `ctxt`, `intr`, `processes`; and of this moment: `procs_running`, `procs_blocked`. */
  counts: Readonly<Record<string, number>>;
  limit: CpuLimit | undefined;
}

/** Reads the processors; undefined if the kernel's table cannot be read. */
export async function readCpu(files: KernelFiles): Promise<CpuSnapshot | undefined> {
  const [text = '', uptime] = await Promise.all([files.read('/proc/stat'), readUptime(files)]);
  const lines = [...text.matchAll(/^cpu(\d*)\s+([\d ]+)$/gm)].map(
    ([, core = '', ticks = '']) => [core, ticks.trim().split(/\s+/).map(Number)] as const,
  );
  const all = lines.find(([core]) => core === '')?.[1];
  if (!all || all.length < 4 || uptime === undefined) return undefined;
  const cores = Object.fromEntries(lines.filter(([core]) => core !== ''));
  const counts = Object.fromEntries(
    [...text.matchAll(/^(ctxt|intr|processes|procs_running|procs_blocked) (\d+)/gm)].map(([, name = '', count]) => [name, Number(count)]),
  );
  return { uptime, all, cores, counts, limit: await readCpuLimit(files, Object.keys(cores).length) };
}

/** Returns how the time between two readings was spent; undefined if none has passed, or the counters were reset. */
export function cpuShares(before: CpuTicks, now: CpuTicks): CpuShares | undefined {
  const length = Math.min(before.length, now.length);
  const sum = (ticks: CpuTicks) => ticks.slice(0, Math.min(length, countedColumns)).reduce((total, tick) => total + tick, 0);
  if (sum(now) <= sum(before)) return undefined;
  // The kernel corrects single columns backwards, as `idle` and `iowait` of processors that slept.
  const spent = now.slice(0, length).map((ticks, column) => Math.max(0, ticks - (before[column] ?? 0)));
  const total = sum(spent);
  const share = (column: CpuColumn) => percentOf(spent[columns.indexOf(column)], total);
  return {
    ...Object.fromEntries(columns.flatMap((column) => (columns.indexOf(column) < length ? [[column, share(column)]] : []))),
    busy: Math.min(
      100,
      busyColumns.reduce((busy, column) => busy + (share(column) ?? 0), 0),
    ),
  };
}

/**
 * Returns the use of the processors in percent. In a container with a limit it is the use of what the container may use,
 * because `/proc/stat` is about the whole machine.
 */
export function cpuPercent(before: CpuSnapshot, now: CpuSnapshot): number | undefined {
  if (!now.limit) return cpuShares(before.all, now.all)?.busy;
  const used = increase(before.limit?.usedSeconds, now.limit.usedSeconds);
  return percentOf(used, now.limit.cores * (now.uptime - before.uptime));
}

/** Returns the figures of the processors between two readings. Waiting for disks and stolen time have figures of their own. */
export function cpuFigures(before: CpuSnapshot, now: CpuSnapshot): Figure[] {
  const shares = cpuShares(before.all, now.all);
  const seconds = now.uptime - before.uptime;
  const rate = (name: string) => {
    const count = increase(before.counts[name], now.counts[name]);
    return count === undefined || seconds <= 0 ? undefined : count / seconds;
  };
  const cores = Object.keys(now.cores);
  return [
    ...figure('Cpu', cpuPercent(before, now), ranks.machine),
    ...columns.flatMap((column) => figure(`Cpu${column.charAt(0).toUpperCase()}${column.slice(1)}`, shares?.[column], ranks.machine)),
    ...figure('CpuCores', cores.length || undefined, ranks.machine),
    ...figure('CpuLimitCores', now.limit?.cores, ranks.machine, 2),
    ...figure(
      'CpuThrottledPercent',
      percentOf(increase(before.limit?.throttledPeriods, now.limit?.throttledPeriods), increase(before.limit?.periods, now.limit?.periods)),
      ranks.machine,
    ),
    ...figure('ContextSwitchesPerSecond', rate('ctxt'), ranks.machine, 0),
    ...figure('InterruptsPerSecond', rate('intr'), ranks.machine, 0),
    ...figure('ForksPerSecond', rate('processes'), ranks.machine),
    ...figure('ProcessesRunnable', now.counts['procs_running'], ranks.machine),
    ...figure('ProcessesBlocked', now.counts['procs_blocked'], ranks.machine),
    ...cores
      .slice(0, maxCores)
      .flatMap((core) => figure(`Cpu ${core}`, cpuShares(before.cores[core] ?? [], now.cores[core] ?? [])?.busy, ranks.core)),
  ];
}

/** Returns the load averages by `/proc/loadavg`. */
export async function loadFigures(files: KernelFiles): Promise<Figure[]> {
  const averages = /^([\d.]+) ([\d.]+) ([\d.]+) /.exec((await files.read('/proc/loadavg')) ?? '')?.slice(1) ?? [];
  return averages.flatMap((average, n) => figure(['Load1', 'Load5', 'Load15'][n] ?? '', Number(average), ranks.machine, 2));
}
