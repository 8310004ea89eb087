import { mkdir, readdir, readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadFigures } from '@cloudfit/contract/machine/cpu.ts';
import { diskFigures, fileSystemsOf } from '@cloudfit/contract/machine/file-systems.ts';
import { figure, ranks } from '@cloudfit/contract/machine/figures.ts';
import { kernelFilesOf, readUptime } from '@cloudfit/contract/machine/kernel-files.ts';
import { memoryFigures, readMemory } from '@cloudfit/contract/machine/memory.ts';
import { pressureFigures } from '@cloudfit/contract/machine/pressure.ts';
import { countProcesses, hasEnded, readProcesses } from '@cloudfit/contract/machine/processes.ts';
import { rateFigures, readCounters, secondsBetween } from '@cloudfit/contract/machine/rates.ts';
import { readSensors } from '@cloudfit/contract/machine/sensors.ts';
import { sizesOf } from './file-system-sizes.mjs';

const files = kernelFilesOf({ readFile, readdir, readlink });

/** Rates are of the time since the run before, unless that was a moment or more than an hour ago. */
const minSeconds = 5;
const maxSeconds = 3_600;
const sampleMs = 1_000;

/** Beside the folders of the package versions, so that an update keeps it. */
const folder = join(import.meta.dirname, '..', 'data');
const countersFile = join(folder, 'counters.json');

async function readTwice() {
  const stored = await readFile(countersFile, 'utf8').then(JSON.parse, () => undefined);
  const first = await readCounters(files);
  const seconds = stored && secondsBetween(stored, first);
  if (seconds >= minSeconds && seconds <= maxSeconds) return [stored, first];
  await sleep(sampleMs);
  return [first, await readCounters(files)];
}

async function store(counters) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const next = `${countersFile}.${process.pid}`;
  await writeFile(next, JSON.stringify(counters), { mode: 0o600 });
  await rename(next, countersFile);
}

/** Each file system at the first of its paths that is a folder: a container has single files of its host. */
async function fileSystemFigures() {
  const mountInfo = await files.read('/proc/self/mountinfo');
  if (mountInfo === undefined) return { figures: [], unread: ['file systems'] };
  const results = await Promise.all(
    fileSystemsOf(mountInfo).map(async (fileSystem) => {
      const { path, sizes, problem } = await sizesOf(fileSystem);
      const answers = fileSystem.isRemote ? figure(`DiskAnswers ${path}`, sizes ? 1 : 0, ranks.part) : [];
      if (!sizes) return { figures: answers, unread: problem ? [`${path} (${problem})`] : [] };
      return { figures: [...diskFigures(path, sizes, fileSystem.isReadOnly), ...answers], unread: [] };
    }),
  );
  return { figures: results.flatMap((result) => result.figures), unread: results.flatMap((result) => result.unread) };
}

export async function linuxMetrics() {
  const [before, now] = await readTwice();
  // A full disk must not keep the machine from telling that it is full.
  await store(now).catch(() => undefined);
  const rates = rateFigures(before, now);
  const [memory, load, fileSystems, pressure, sensors, processes, uptime] = await Promise.all([
    readMemory(files),
    loadFigures(files),
    fileSystemFigures(),
    pressureFigures(files),
    readSensors(files),
    countProcesses(files),
    readUptime(files),
  ]);
  return {
    figures: [
      ...rates.figures,
      ...(memory ? memoryFigures(memory) : []),
      ...load,
      ...figure('Processes', processes?.processes, ranks.machine),
      ...figure('Zombies', processes?.zombies, ranks.machine),
      ...figure('UptimeSeconds', uptime, ranks.machine, 0),
      ...pressure,
      ...fileSystems.figures,
      ...sensors.figures,
    ],
    unread: [
      ...rates.missing,
      ...(memory ? [] : ['memory']),
      ...(load.length > 0 ? [] : ['load']),
      ...(processes ? [] : ['number of processes']),
      ...(uptime === undefined ? ['time since the start'] : []),
      ...fileSystems.unread,
      ...sensors.silent,
    ],
    unavailable: [
      ...(pressure.length > 0 ? [] : ['Pressure: this kernel does not measure it']),
      ...(sensors.figures.length > 0 ? [] : ['Temperatures and fans: this machine shows no sensors']),
    ],
  };
}

export async function linuxProcesses() {
  const list = await readProcesses(files);
  if (!list) throw new Error('The processes of this machine cannot be read.');
  return { processes: list.processes.filter((process) => !hasEnded(process)), isPartial: list.isPartial };
}
