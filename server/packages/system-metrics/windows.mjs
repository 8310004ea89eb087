import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem, uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { diskFigures } from '@cloudfit/contract/machine/file-systems.ts';
import { figure, percentOf, ranks } from '@cloudfit/contract/machine/figures.ts';
import { windowsCounterScript, windowsFigures, windowsProcesses, windowsProcessScript } from '@cloudfit/contract/machine/windows.ts';

const execute = promisify(execFile);

async function powershell(script) {
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  const args = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encoded];
  const { stdout } = await execute('powershell', args, { timeout: 45_000, maxBuffer: 64 * 1024 ** 2, windowsHide: true });
  return stdout;
}

/** Windows itself tells these times; it does not count waiting for disks as time of a processor. */
export async function runtimeCpu(sampleMs = 1_000) {
  const read = () => {
    const times = cpus().map((item) => item.times);
    const idle = times.reduce((sum, time) => sum + time.idle, 0);
    return { idle, all: times.reduce((sum, time) => sum + time.user + time.nice + time.sys + time.irq + time.idle, 0) };
  };
  const before = read();
  await sleep(sampleMs);
  const now = read();
  const idle = percentOf(now.idle - before.idle, now.all - before.all);
  return figure('Cpu', idle === undefined ? undefined : 100 - idle, ranks.machine);
}

/** Processors and drives by calls of Windows, where its counters are damaged. */
async function withoutCounters() {
  const drives = 'CDEFGHIJKLMNOPQRSTUVWXYZ'.split('').map(async (letter) => {
    const sizes = await statfs(`${letter}:\\`).catch(() => undefined);
    return sizes ? diskFigures(`${letter}:\\`, sizes) : [];
  });
  return [...(await runtimeCpu()), ...(await Promise.all(drives)).flat()];
}

export async function windowsMetrics() {
  let [counted, unread] = [[], []];
  try {
    counted = windowsFigures(await powershell(windowsCounterScript));
  } catch (error) {
    unread = [
      `performance counters (${
        String(error.stderr || error.message)
          .trim()
          .split('\n')[0]
      })`,
    ];
  }
  // Without the figure of the processors, the counters are damaged (lodctr /R repairs them).
  const hasCpu = counted.some(({ name }) => name === 'Cpu');
  if (!hasCpu && unread.length === 0) unread = ['performance counters of the processors'];
  const [total, available] = [totalmem(), freemem()];
  return {
    figures: [
      ...(hasCpu ? [] : await withoutCounters()),
      ...counted,
      ...figure('Memory', percentOf(total - available, total), ranks.machine),
      ...figure('MemoryAvailableBytes', available, ranks.machine),
      ...figure('MemoryUsedBytes', total - available, ranks.machine),
      ...figure('MemoryTotalBytes', total, ranks.machine),
      ...figure('UptimeSeconds', uptime(), ranks.machine, 0),
    ],
    unread,
    // Windows has neither a load average nor a measure of pressure.
    unavailable: [],
  };
}

export async function windowsProcessList() {
  return { processes: windowsProcesses(await powershell(windowsProcessScript)), isPartial: false };
}
