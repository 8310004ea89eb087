import { cpus } from 'node:os';

interface CpuTimes {
  busy: number;
  all: number;
}

function read(): CpuTimes {
  const sum = { busy: 0, all: 0 };
  for (const { times } of cpus()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    sum.busy += busy;
    sum.all += busy + times.idle;
  }
  return sum;
}

/** Returns a function that returns the CPU usage in percent, over all processors, since its previous call. */
export function createCpuMeter(readTimes: () => CpuTimes = read): () => number {
  let last = readTimes();
  let percent = 0;
  return () => {
    const now = readTimes();
    const all = now.all - last.all;
    // Without a new clock tick, returns the previous percentage. Counters that decrease (a processor was removed) only set
    // a new baseline.
    if (all > 0) percent = Math.min(100, Math.max(0, (100 * (now.busy - last.busy)) / all));
    if (all !== 0) last = now;
    return percent;
  };
}
