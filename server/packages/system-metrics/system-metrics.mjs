import { execFile } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, platform, totalmem, uptime } from 'node:os';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { number, report, round, run } from './operation.mjs';

const execute = promisify(execFile);
const isLinux = platform() === 'linux';
const isWindows = platform() === 'win32';
/** Time between the two samples from which rates are calculated. */
const sampleMs = 1_000;

function cpuTimes() {
  const sum = { busy: 0, all: 0 };
  for (const { times } of cpus()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    sum.busy += busy;
    sum.all += busy + times.idle;
  }
  return sum;
}

async function memory() {
  const lines = isLinux ? await readFile('/proc/meminfo', 'utf8') : '';
  const kib = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(lines)?.[1] ?? Number.NaN) * 1_024;
  const total = isLinux ? kib('MemTotal') : totalmem();
  const available = isLinux ? kib('MemAvailable') : freemem();
  const swap = kib('SwapTotal') > 0 ? { Swap: round((100 * (kib('SwapTotal') - kib('SwapFree'))) / kib('SwapTotal')) } : {};
  return { Memory: round((100 * (total - available)) / total), MemoryAvailableBytes: available, ...swap };
}

/** Returns the mount points to report: on Windows all drives, on Linux block devices and the root, each device once. */
async function mounts() {
  if (isWindows) return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').map((letter) => `${letter}:\\`);
  if (!isLinux) return ['/'];
  const devices = new Map();
  for (const line of (await readFile('/proc/self/mounts', 'utf8')).split('\n')) {
    const [device = '', path = ''] = line.split(' ');
    const mount = path.replaceAll(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
    if ((device.startsWith('/dev/') && !device.startsWith('/dev/loop')) || mount === '/')
      if (!devices.has(device) || mount.length < devices.get(device).length) devices.set(device, mount);
  }
  return [...new Set(devices.values())];
}

async function disks() {
  const metrics = {};
  for (const mount of await mounts()) {
    const sizes = await statfs(mount).catch(() => undefined);
    if (!sizes || sizes.blocks === 0) continue;
    const used = sizes.blocks - sizes.bfree;
    metrics[`Disk ${mount}`] = round((100 * used) / Math.max(used + sizes.bavail, 1));
    metrics[`DiskFreeBytes ${mount}`] = sizes.bavail * sizes.bsize;
  }
  return metrics;
}

/** Bytes since the start of the machine, over all interfaces except the loopback. */
async function networkBytes() {
  if (isLinux) {
    const sum = { received: 0, sent: 0 };
    for (const line of (await readFile('/proc/net/dev', 'utf8')).split('\n').slice(2)) {
      const [name = '', counters = ''] = line.split(':');
      if (counters === '' || name.trim() === 'lo') continue;
      const fields = counters.trim().split(/\s+/).map(Number);
      sum.received += fields[0];
      sum.sent += fields[8];
    }
    return sum;
  }
  if (!isWindows) return undefined;
  // Finds the first line with two numbers, because the labels are translated.
  const { stdout } = await execute('netstat', ['-e']);
  const [, received, sent] = /^\D*?(\d+)\s+(\d+)\s*$/m.exec(stdout) ?? [];
  return received === undefined ? undefined : { received: Number(received), sent: Number(sent) };
}

async function processes() {
  if (isLinux) {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const rows = await Promise.all(
      ids.map(async (id) => {
        const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => undefined);
        if (status === undefined) return [];
        const field = (name) => new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1] ?? '';
        return [{ id: Number(id), name: field('Name'), memoryBytes: (Number.parseInt(field('VmRSS'), 10) || 0) * 1_024 }];
      }),
    );
    return rows.flat();
  }
  if (isWindows) {
    const { stdout } = await execute('tasklist', ['/fo', 'csv', '/nh'], { maxBuffer: 16 * 1024 ** 2 });
    return [...stdout.matchAll(/^"([^"]+)","(\d+)","[^"]*","[^"]*","([^"]*)"/gm)].map(([, name, id, size]) => ({
      id: Number(id),
      name,
      memoryBytes: Number(size.replaceAll(/\D/g, '')) * 1_024,
    }));
  }
  const { stdout } = await execute('ps', ['-axo', 'pid=,rss=,comm=']);
  return [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(.+)$/gm)].map(([, id, rss, name]) => ({
    id: Number(id),
    name,
    memoryBytes: Number(rss) * 1_024,
  }));
}

async function systemMetrics() {
  const [cpuBefore, networkBefore] = [cpuTimes(), await networkBytes()];
  const startedAt = performance.now();
  await sleep(sampleMs);
  const [cpuAfter, networkAfter] = [cpuTimes(), await networkBytes()];
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = round((100 * (cpuAfter.busy - cpuBefore.busy)) / Math.max(cpuAfter.all - cpuBefore.all, 1));
  const [load1, load5, load15] = loadavg();
  report({
    value: cpu,
    metrics: {
      Cpu: cpu,
      ...(await memory()),
      ...(await disks()),
      ...(networkBefore && networkAfter
        ? {
            NetworkInBytesPerSecond: Math.round((networkAfter.received - networkBefore.received) / seconds),
            NetworkOutBytesPerSecond: Math.round((networkAfter.sent - networkBefore.sent) / seconds),
          }
        : {}),
      // Windows has no load average.
      ...(isWindows ? {} : { Load1: round(load1, 2), Load5: round(load5, 2), Load15: round(load15, 2) }),
      Processes: (await processes()).length,
      UptimeSeconds: Math.round(uptime()),
    },
  });
}

async function largestProcesses() {
  const count = number('Count', { fallback: 10, min: 1, max: 100 });
  const all = await processes();
  const largest = all.toSorted((a, b) => b.memoryBytes - a.memoryBytes).slice(0, count);
  report({ value: all.length, metrics: { Processes: all.length }, diagnostics: { processes: largest } });
}

await run({ 'System metrics': systemMetrics, 'Largest processes': largestProcesses });
