/**
 * What the control group of a container may use. Only the group at the root of the file system of groups counts: the root of
 * a machine has no limit there, and a limit of the agent's service is not one of the machine.
 */
import { readNumber, type KernelFiles } from './kernel-files.ts';

const root = '/sys/fs/cgroup';

export interface CpuLimit {
  /** How many processors may be used; half a one is 0.5. */
  cores: number;
  usedSeconds: number;
  /** Periods of the scheduler in which the group ran, and those in which it had to wait because of its limit. */
  periods: number | undefined;
  throttledPeriods: number | undefined;
}

export interface MemoryLimit {
  totalBytes: number;
  /** What programs use, without the files that the kernel can drop from its cache. */
  usedBytes: number;
}

const fieldOf = (text: string | undefined, name: string): number | undefined => {
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '')?.[1];
  return value === undefined ? undefined : Number(value);
};

/** Returns the limit of processors by version 2 or 1 of control groups; undefined if all `processors` may be used. */
export async function readCpuLimit(files: KernelFiles, processors: number): Promise<CpuLimit | undefined> {
  const [, quota2, period2] = /^(\d+) (\d+)$/m.exec((await files.read(`${root}/cpu.max`)) ?? '') ?? [];
  const isVersion2 = quota2 !== undefined;
  const quota = isVersion2 ? Number(quota2) : await readNumber(files, `${root}/cpu/cpu.cfs_quota_us`);
  const period = isVersion2 ? Number(period2) : await readNumber(files, `${root}/cpu/cpu.cfs_period_us`);
  if (quota === undefined || period === undefined || quota <= 0 || period <= 0) return undefined;
  const cores = quota / period;
  if (cores >= processors) return undefined;
  const statistics = await files.read(isVersion2 ? `${root}/cpu.stat` : `${root}/cpu/cpu.stat`);
  const microseconds = fieldOf(statistics, 'usage_usec');
  const nanoseconds = isVersion2 ? undefined : await readNumber(files, `${root}/cpuacct/cpuacct.usage`);
  const usedSeconds = isVersion2 ? microseconds && microseconds / 1e6 : nanoseconds && nanoseconds / 1e9;
  if (usedSeconds === undefined) return undefined;
  return { cores, usedSeconds, periods: fieldOf(statistics, 'nr_periods'), throttledPeriods: fieldOf(statistics, 'nr_throttled') };
}

/** Returns the limit of memory; undefined if all `totalBytes` of the machine may be used. */
export async function readMemoryLimit(files: KernelFiles, totalBytes: number): Promise<MemoryLimit | undefined> {
  const version2 = await readNumber(files, `${root}/memory.max`);
  const limit = version2 ?? (await readNumber(files, `${root}/memory/memory.limit_in_bytes`));
  if (limit === undefined || limit >= totalBytes) return undefined;
  const [usage, statistics, inactive] =
    version2 === undefined
      ? ([`${root}/memory/memory.usage_in_bytes`, `${root}/memory/memory.stat`, 'total_inactive_file'] as const)
      : ([`${root}/memory.current`, `${root}/memory.stat`, 'inactive_file'] as const);
  const used = await readNumber(files, usage);
  if (used === undefined) return undefined;
  const cache = fieldOf(await files.read(statistics), inactive) ?? 0;
  return { totalBytes: limit, usedBytes: Math.max(0, used - cache) };
}
