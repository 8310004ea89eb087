import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { reasonOf } from './log-faults.mjs';
import { matcher } from './log-names.mjs';
import { journalPattern, logPattern } from './log-pattern.mjs';
import { encodingOf, linesOf } from './log-text.mjs';
import { number, report, reportDown, reportUp, required, run, text } from './operation.mjs';

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

/** The file at a path; of those that a pattern as last part names, the one that was written last. Undefined if there is none. */
async function newest(path) {
  const name = basename(path);
  const names = /[*?]/.test(name) ? (await readdir(dirname(path))).filter((item) => matcher(name).test(item)) : [name];
  const candidates = await Promise.all(
    names.map(async (item) => {
      const at = join(dirname(path), item);
      return {
        at,
        stats: await stat(at).catch((error) => (names.length > 1 && error.code === 'ENOENT' ? undefined : Promise.reject(error))),
      };
    }),
  );
  const files = candidates.filter(({ stats }) => stats?.isFile());
  return files.toSorted((a, b) => b.stats.mtimeMs - a.stats.mtimeMs)[0] ?? (names.length === 1 ? candidates[0] : undefined);
}

async function file() {
  const pattern = required('Path');
  const hours = text('Oldest age') === '' ? undefined : number('Oldest age', { fallback: 0, min: 0, max: 100_000 });
  let chosen;
  try {
    chosen = await newest(pattern);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return failWith(pattern, error);
  }
  const { at: path = pattern, stats } = chosen ?? {};
  if (!stats?.isFile()) {
    const metrics = { Exists: 0 };
    if (hours === undefined) return report({ value: null, metrics, states: { File: stats ? 'No file' : 'Missing' } });
    return reportDown('File', `${pattern} is ${stats ? 'no file' : 'missing'}`, { metrics });
  }
  const ageSeconds = Math.max(0, Math.round((Date.now() - stats.mtimeMs) / 1_000));
  if (hours !== undefined) {
    const parts = { value: basename(path), metrics: { Exists: 1, Bytes: stats.size, AgeSeconds: ageSeconds } };
    if (ageSeconds <= hours * 3_600) return reportUp('File', parts);
    return reportDown('File', `${path} was written ${Math.round(ageSeconds / 360) / 10} hours ago`, parts);
  }
  const bytes = await readPart(path, 0, Math.min(stats.size, textMax * 4)).catch((error) => failWith(path, error));
  if (!bytes) return;
  report({
    value: linesOf(bytes, encodingOf(bytes)).join('\n').slice(0, textMax).trimEnd(),
    metrics: { Exists: 1, Bytes: stats.size, AgeSeconds: ageSeconds },
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
