/** Memory and swap by `/proc/meminfo` and `/proc/vmstat`, as free and vmstat show them. */
import { figure, increase, percentOf, ranks, type Figure } from './figures.ts';
import type { KernelFiles } from './kernel-files.ts';
import { readMemoryLimit } from './limits.ts';

export interface MemoryUse {
  totalBytes: number;
  /** What programs can still get; caches count as available. */
  availableBytes: number;
  cacheBytes: number | undefined;
  swap: { totalBytes: number; usedBytes: number } | undefined;
  /** The memory of the machine, if a container may use less of it. */
  machineBytes: number | undefined;
}

const sum = (...values: (number | undefined)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** Reads memory and swap; undefined if the kernel's table cannot be read. */
export async function readMemory(files: KernelFiles): Promise<MemoryUse | undefined> {
  const text = await files.read('/proc/meminfo');
  const bytes = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
  };
  const [total, free] = [bytes('MemTotal'), bytes('MemFree')];
  if (total === undefined || free === undefined || total === 0) return undefined;
  const cache = sum(bytes('Buffers'), bytes('Cached'), bytes('SReclaimable'));
  // ZFS has a cache of its own, which the kernel counts as used although it shrinks when programs need memory.
  const arc = await files.read('/proc/spl/kstat/zfs/arcstats');
  const arcBytes = (name: string) => Number(new RegExp(`^${name}\\s+\\d+\\s+(\\d+)$`, 'm').exec(arc ?? '')?.[1] ?? 0);
  const shrinkable = Math.max(0, arcBytes('size') - arcBytes('c_min'));
  // Kernels before 3.14 do not tell what is available.
  const available = Math.min(total, (bytes('MemAvailable') ?? Math.min(total, free + cache)) + shrinkable);
  const [swapTotal, swapFree] = [bytes('SwapTotal'), bytes('SwapFree')];
  const swap = swapTotal && swapFree !== undefined ? { totalBytes: swapTotal, usedBytes: swapTotal - swapFree } : undefined;
  const limit = await readMemoryLimit(files, total);
  if (!limit) return { totalBytes: total, availableBytes: available, cacheBytes: cache + arcBytes('size'), swap, machineBytes: undefined };
  return {
    totalBytes: limit.totalBytes,
    // Within its limit, a container gets no more than the machine has.
    availableBytes: Math.min(available, Math.max(0, limit.totalBytes - limit.usedBytes)),
    cacheBytes: undefined,
    swap,
    machineBytes: total,
  };
}

/** The share of memory in percent that is not available to programs. */
export function memoryPercent({ totalBytes, availableBytes }: MemoryUse): number | undefined {
  return percentOf(totalBytes - availableBytes, totalBytes);
}

export function memoryFigures(memory: MemoryUse): Figure[] {
  const { totalBytes, availableBytes, cacheBytes, swap, machineBytes } = memory;
  return [
    ...figure('Memory', memoryPercent(memory), ranks.machine),
    ...figure('MemoryAvailableBytes', availableBytes, ranks.machine),
    ...figure('MemoryUsedBytes', totalBytes - availableBytes, ranks.machine),
    ...figure('MemoryTotalBytes', totalBytes, ranks.machine),
    ...figure('MemoryCacheBytes', cacheBytes, ranks.machine),
    ...figure('MachineMemoryBytes', machineBytes, ranks.machine),
    ...figure('Swap', percentOf(swap?.usedBytes, swap?.totalBytes), ranks.machine),
    ...figure('SwapUsedBytes', swap?.usedBytes, ranks.machine),
    ...figure('SwapTotalBytes', swap?.totalBytes, ranks.machine),
  ];
}

/** Bytes that were moved from and to swap since the start; undefined if the kernel does not count them. */
export interface SwapTraffic {
  inBytes: number | undefined;
  outBytes: number | undefined;
}

export async function readSwapTraffic(files: KernelFiles): Promise<SwapTraffic> {
  const [counts = '', status = '', sizes = ''] = await Promise.all(
    ['/proc/vmstat', '/proc/self/status', '/proc/self/statm'].map((path) => files.read(path)),
  );
  // Pages are 4 KiB, but 16 or 64 KiB on some machines with ARM or POWER: the size of this process is told in both units.
  const [, kibibytes] = /^VmSize:\s+(\d+) kB/m.exec(status) ?? [];
  const pageBytes = 2 ** Math.round(Math.log2((Number(kibibytes) * 1_024) / Number.parseInt(sizes, 10)));
  const bytes = (name: string) => {
    const pages = Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(counts)?.[1] ?? Number.NaN);
    return Number.isNaN(pages * pageBytes) ? undefined : pages * pageBytes;
  };
  return { inBytes: bytes('pswpin'), outBytes: bytes('pswpout') };
}

export function swapFigures(before: SwapTraffic, now: SwapTraffic, seconds: number): Figure[] {
  const rate = (one: number | undefined, other: number | undefined) => {
    const bytes = increase(one, other);
    return bytes === undefined ? undefined : bytes / seconds;
  };
  return [
    ...figure('SwapInBytesPerSecond', rate(before.inBytes, now.inBytes), ranks.machine, 0),
    ...figure('SwapOutBytesPerSecond', rate(before.outBytes, now.outBytes), ranks.machine, 0),
  ];
}
