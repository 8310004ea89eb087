import { readFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';

/** The share of memory in percent that is not available to programs. On Linux caches count as available, as `free` shows them. */
export async function memoryPercent(): Promise<number> {
  const text = process.platform === 'linux' ? await readFile('/proc/meminfo', 'utf8').catch(() => '') : '';
  const total = kib(text, 'MemTotal') ?? totalmem() / 1_024;
  const available = kib(text, 'MemAvailable') ?? freemem() / 1_024;
  return Math.min(100, Math.max(0, (100 * (total - available)) / total));
}

function kib(text: string, name: string): number | undefined {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes);
}
