import { open, stat } from 'node:fs/promises';
import { reasonOf } from './log-faults.mjs';
import { journalPattern, logPattern } from './log-pattern.mjs';
import { encodingOf, linesOf } from './log-text.mjs';
import { report, required, run } from './operation.mjs';

const textMax = 4_000;

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
  let stats;
  try {
    stats = await stat(path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return failWith(path, error);
  }
  if (!stats?.isFile()) {
    report({ value: null, metrics: { Exists: 0 }, states: { File: stats ? 'No file' : 'Missing' } });
    return;
  }
  const bytes = await readPart(path, 0, Math.min(stats.size, textMax * 4)).catch((error) => failWith(path, error));
  if (!bytes) return;
  report({
    value: linesOf(bytes, encodingOf(bytes)).join('\n').slice(0, textMax).trimEnd(),
    metrics: { Exists: 1, Bytes: stats.size, AgeSeconds: Math.max(0, Math.round((Date.now() - stats.mtimeMs) / 1_000)) },
    states: { File: 'Present' },
  });
}

/** A file that cannot be read is neither present nor missing. */
function failWith(path, error) {
  const message = `${path} cannot be read (${reasonOf(error)}).`;
  report({ value: null, states: { File: 'Unknown' }, status: 'Unknown', message });
  throw new Error(message, { cause: error });
}

await run({ File: file, 'Log pattern': logPattern, 'Journal pattern': journalPattern });
