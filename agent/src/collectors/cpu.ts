import { cpus } from 'node:os';

interface Times {
  busy: number;
  all: number;
}

function read(): Times {
  const sum = { busy: 0, all: 0 };
  for (const { times } of cpus()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    sum.busy += busy;
    sum.all += busy + times.idle;
  }
  return sum;
}

/** Answers the percentage of all processors' time that was used since the last call (or since it was made). */
export function createCpuMeter(readTimes: () => Times = read): () => number {
  let last = readTimes();
  let percent = 0;
  return () => {
    const now = readTimes();
    const all = now.all - last.all;
    // Between two ticks of the clock nothing is known yet; counters that went back (a processor was taken away) start anew.
    if (all > 0) percent = Math.min(100, Math.max(0, (100 * (now.busy - last.busy)) / all));
    if (all !== 0) last = now;
    return percent;
  };
}
