import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { report, required, run } from './operation.mjs';

const textMax = 4_000;
/** Maximum number of bytes of a log that one run reads; the next run continues after them. */
const chunkBytes = 8 * 1024 ** 2;
const samples = 5;

async function readPart(path, from, bytes) {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function file() {
  const path = required('Path');
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) {
    report({ value: null, metrics: { Exists: 0 }, states: { File: stats ? 'No file' : 'Missing' } });
    return;
  }
  const content = (await readPart(path, 0, Math.min(stats.size, textMax * 4))).toString().slice(0, textMax);
  report({
    value: content.trimEnd(),
    metrics: { Exists: 1, Bytes: stats.size, AgeSeconds: Math.max(0, Math.round((Date.now() - stats.mtimeMs) / 1_000)) },
    states: { File: 'Present' },
  });
}

/**
 * Loads the position at which the last run ended. Its file lies beside the folders of the package versions, so that an update
 * keeps it.
 */
async function openPosition(path, pattern) {
  const folder = join(import.meta.dirname, '..', 'data');
  const name = join(folder, `${createHash('sha256').update(`${path}\0${pattern}`).digest('hex').slice(0, 32)}.json`);
  const stored = await readFile(name, 'utf8').then(JSON.parse, () => undefined);
  return {
    stored,
    save: async (position) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${name}.new`, JSON.stringify(position), { mode: 0o600 });
      await rename(`${name}.new`, name);
    },
  };
}

async function logPattern() {
  const [path, pattern] = [required('Path'), required('Pattern')];
  const expression = new RegExp(pattern, 'u');
  const { size, ino } = await stat(path);
  const { stored, save } = await openPosition(path, pattern);
  // Another inode, or a file shorter than the stored position, means that the log was rotated: it is read from its beginning.
  const from = stored === undefined ? size : stored.ino === ino && stored.position <= size ? stored.position : 0;
  const part = await readPart(path, from, Math.min(size - from, chunkBytes));
  // An incomplete last line is left for the next run, unless the line fills the whole part.
  const complete = part.lastIndexOf(0x0a) + 1 || (part.length === chunkBytes ? part.length : 0);
  const lines = part
    .subarray(0, complete)
    .toString()
    .split('\n')
    .filter((line) => expression.test(line));
  await save({ ino, position: from + complete });
  report({
    value: lines.length,
    metrics: { Matches: lines.length, BytesRead: complete, BytesLeft: size - from - complete },
    ...(lines.length > 0
      ? {
          states: { LastLine: lines.at(-1).slice(0, 1_000) },
          diagnostics: { lines: lines.slice(-samples).map((line) => line.slice(0, 1_000)) },
        }
      : {}),
  });
}

await run({ File: file, 'Log pattern': logPattern });
