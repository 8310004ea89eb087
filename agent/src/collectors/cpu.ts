import { cpus } from 'node:os';
import { cpuPercent, cpuShares, readCpu, type CpuSnapshot } from '@cloudfit/contract/machine/cpu.ts';
import { kernelFiles } from './kernel-files.ts';

export interface CpuUse {
  busy: number;
  /** On Linux: the time in which a processor had nothing to do but to wait for disks. */
  iowait?: number | undefined;
  /** On Linux: the time that another virtual machine got. */
  steal?: number | undefined;
}

/** Windows and macOS tell Node the same times as other programs, and do not count waiting for disks as use. */
function readElsewhere(): CpuSnapshot {
  const sum = [0, 0, 0, 0];
  for (const { times } of cpus())
    [times.user, times.nice, times.sys + times.irq, times.idle].forEach((ms, n) => (sum[n] = (sum[n] ?? 0) + ms));
  return { uptime: performance.now() / 1_000, all: sum, cores: {}, counts: {}, limit: undefined };
}

const readHere = (): Promise<CpuSnapshot | undefined> =>
  process.platform === 'linux' ? readCpu(kernelFiles) : Promise.resolve(readElsewhere());

/**
 * Returns a function that returns the use of all processors since its previous call, at first since the start. Its result is
 * undefined if the processors cannot be read, or were reset meanwhile, because no figure is better than a wrong one.
 */
export function createCpuMeter(read: () => Promise<CpuSnapshot | undefined> = readHere): () => Promise<CpuUse | undefined> {
  let last = read();
  return async () => {
    const [before, now] = [await last, await read()];
    last = Promise.resolve(now ?? before);
    if (!before || !now) return undefined;
    const [busy, shares] = [cpuPercent(before, now), cpuShares(before.all, now.all)];
    return busy === undefined ? undefined : { busy, iowait: shares?.iowait, steal: shares?.steal };
  };
}
