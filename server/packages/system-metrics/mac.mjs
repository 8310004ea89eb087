import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { freemem, loadavg, totalmem, uptime } from 'node:os';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { diskFigures } from '@cloudfit/contract/machine/file-systems.ts';
import { figure, percentOf, ranks } from '@cloudfit/contract/machine/figures.ts';
import { runtimeCpu } from './windows.mjs';

const execute = promisify(execFile);

export async function macProcesses() {
  const { stdout } = await execute('ps', ['-axo', 'pid=,rss=,stat=,user=,comm='], { maxBuffer: 16 * 1024 ** 2 });
  const processes = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(\S+)\s+(.+)$/gm)].flatMap(([, id, rss, state, user, path]) =>
    state === 'Z' ? [] : [{ id: Number(id), title: basename(path), commandLine: path, user, memoryBytes: Number(rss) * 1_024 }],
  );
  return { processes, isPartial: false };
}

export async function macMetrics() {
  const [cpu, sizes, { processes }] = await Promise.all([runtimeCpu(), statfs('/'), macProcesses()]);
  const [total, available] = [totalmem(), freemem()];
  return {
    figures: [
      ...cpu,
      ...figure('Memory', percentOf(total - available, total), ranks.machine),
      ...figure('MemoryAvailableBytes', available, ranks.machine),
      ...diskFigures('/', sizes),
      ...loadavg().flatMap((average, n) => figure(`Load${[1, 5, 15][n]}`, average, ranks.machine, 2)),
      ...figure('Processes', processes.length, ranks.machine),
      ...figure('UptimeSeconds', uptime(), ranks.machine, 0),
    ],
    unread: [],
    unavailable: ['Network, disks and sensors: they are read on Linux and Windows only'],
  };
}
