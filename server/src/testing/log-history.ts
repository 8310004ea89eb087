/** Random histories of a log that is written, rotated, compressed and read, with a slow model of what is to be read. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { follow } from '../../packages/files-and-logs/follow.mjs';
import { logFiles } from '../../packages/files-and-logs/log-names.mjs';

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const encoders = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-16LE': (text: string) => Buffer.from(text, 'utf16le'),
  'UTF-16BE': (text: string) => Buffer.from(text, 'utf16le').swap16(),
  'Windows-1252': (text: string) => Buffer.from(text, 'latin1'),
};
type EncodingName = keyof typeof encoders;
const names = Object.keys(encoders) as EncodingName[];

/** The slow model: the lines that were written, in a list. */
interface LogHistory {
  steps: string[];
  written: string[];
  read: string[];
  /** What the runs could not read; none is expected. */
  faults: string[];
}

/** Plays the history of a seed in a folder of `root`: steps and runs in random order, and runs at its end that read what is left. */
export async function playLogHistory(root: string, seed: number): Promise<LogHistory> {
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const folder = join(root, String(seed));
  mkdirSync(folder);
  const encoding = pick(names);
  const isDaily = random() < 0.2;
  const lineBreak = random() < 0.3 ? '\r\n' : '\n';
  const path = join(folder, 'app.log');
  let day = 1;
  const dayPath = () => join(folder, `app-2026-11-${String(day).padStart(2, '0')}.log`);
  /** The file that the program has open. */
  let target = isDaily ? dayPath() : path;
  let serial = 0;
  let incomplete = '';
  let now = Date.now();
  let records: unknown[] | undefined;
  const history: LogHistory = { steps: [], written: [], read: [], faults: [] };
  const { steps, written, read, faults } = history;
  const encode = encoders[encoding];

  function write(text: string): void {
    appendFileSync(target, encode(text));
  }
  /** The first line of a history tells how to read it: with or without a byte order mark. */
  function start(): void {
    if (isDaily) symlinkSync(target, path);
    write(encoding.startsWith('UTF-16') && random() < 0.5 ? `\ufefffirst line${lineBreak}` : `first line${lineBreak}`);
  }
  const line = () => {
    const text = `${seed} störung ${++serial} ${'x'.repeat(random() < 0.05 ? 3_000 : Math.floor(random() * 60))}`;
    return text;
  };
  function append(): void {
    for (let count = 1 + Math.floor(random() * 6); count > 0; count--) {
      if (incomplete !== '') {
        write(` and its end${lineBreak}`);
        written.push(`${incomplete} and its end`);
        incomplete = '';
        continue;
      }
      const text = line();
      write(`${text}${lineBreak}`);
      written.push(text);
    }
  }
  function appendIncomplete(): void {
    if (incomplete !== '') return;
    incomplete = line();
    write(incomplete);
  }
  /** What stands at the end of a file that nobody writes to any more is a line of its own. */
  function endFile(): void {
    if (incomplete !== '') written.push(incomplete);
    incomplete = '';
  }
  const rotated = () =>
    readdirSync(folder)
      .map((name) => ({ name, number: Number(/^app\.log\.(\d+)/.exec(name)?.[1] ?? 0) }))
      .filter(({ number }) => number > 0)
      .toSorted((one, other) => other.number - one.number);
  function shift(): void {
    for (const { name, number } of rotated()) renameSync(join(folder, name), join(folder, name.replace(/\.\d+/, `.${number + 1}`)));
  }
  const begin = () => writeFileSync(target, random() < 0.2 ? '' : encode(`first line${lineBreak}`), { flag: 'a' });
  const moves: Record<string, () => void | Promise<void>> = {
    append,
    appendIncomplete,
    rename: () => {
      endFile();
      shift();
      renameSync(path, `${path}.1`);
      begin();
    },
    // The program goes on writing to the renamed file for a while.
    renameLate: () => {
      shift();
      renameSync(path, `${path}.1`);
      target = `${path}.1`;
      append();
      if (random() < 0.5) append();
      endFile();
      target = path;
      begin();
    },
    copyAndTruncate: async () => {
      endFile();
      shift();
      copyFileSync(path, `${path}.1`);
      // A run between the copy and the end of the old file.
      if (random() < 0.2) await run();
      truncateSync(path, 0);
      if (random() < 0.5) begin();
    },
    compress: () => {
      const file = rotated().find(({ name }) => !name.endsWith('.gz'));
      if (!file) return;
      const from = join(folder, file.name);
      writeFileSync(`${from}.gz`, gzipSync(readFileSync(from)));
      unlinkSync(from);
    },
    // A network drive that is away for a run.
    vanish: async () => {
      renameSync(folder, `${folder}-away`);
      mkdirSync(folder);
      await run();
      rmSync(folder, { recursive: true });
      renameSync(`${folder}-away`, folder);
    },
    changeDay: () => {
      endFile();
      day++;
      target = dayPath();
      begin();
      unlinkSync(path);
      symlinkSync(target, path);
    },
    run: () => run(),
  };

  async function run(isLimited = random() < 0.2): Promise<void> {
    now += 1_000;
    const { files } = logFiles(path, (records ?? []) as { path: string; isCurrent?: boolean }[]);
    let bytes = 0;
    const limit = isLimited ? 500 : 1e9;
    const result = await follow({
      files,
      records,
      fromStart: true,
      now,
      encoding: encoding === 'Windows-1252' ? pick(['Automatic', encoding]) : 'Automatic',
      before: 0,
      chunkBytes: 8_192,
      budget: { spend: (count: number) => (bytes += count), isSpent: () => bytes > limit },
      onFile: () => undefined,
      onLine: (text: string) => {
        if (text !== 'first line') read.push(text);
      },
    });
    faults.push(...result.faults);
    records = JSON.parse(JSON.stringify(result.records)) as unknown[];
  }

  start();
  await run();
  const rotations = isDaily ? ['changeDay'] : ['rename', 'renameLate', 'copyAndTruncate', 'compress'];
  for (let count = 2 + Math.floor(random() * 8); count > 0; count--) {
    const name = pick(['append', 'append', 'appendIncomplete', 'run', 'run', 'vanish', ...rotations, pick(rotations)]);
    steps.push(name);
    await moves[name]?.();
  }
  endFile();
  // A line without an end is taken when its file has been at rest.
  for (let count = 0; count < 3; count++) {
    now += 3_600_000;
    await run(false);
  }
  rmSync(folder, { recursive: true });
  return history;
}
