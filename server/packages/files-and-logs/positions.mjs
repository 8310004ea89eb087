/** Where the last run of an operation ended, in a file beside the folders of the package's versions, so that an update keeps it. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const nameOf = (folder, key) => join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);

/** Reads a stored position; undefined if there is none. */
async function stored(name) {
  try {
    return JSON.parse(await readFile(name, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return { isDamaged: true };
    throw new Error(`The position of the last run cannot be read (${error.code}).`, { cause: error });
  }
}

/**
 * Opens the position of an operation. What a run has found counts when the agent has stored its result, which CLOUDFIT_LAST_RUN tells
 * the next run; what was lost is read again. `legacyKey` is that of version 1.0.0.
 */
export async function openPosition({ folder, key, legacyKey, env = process.env }) {
  const { CLOUDFIT_DEVICE_OPERATION: operation = '', CLOUDFIT_RUN: run, CLOUDFIT_LAST_RUN: lastRun } = env;
  const name = nameOf(folder, `${operation}\0${key}`);
  // An older agent does not tell the operation.
  const last = (await stored(name)) ?? (await stored(nameOf(folder, `\0${key}`)));
  const legacy = last ? undefined : await stored(nameOf(folder, legacyKey));
  const isLost = last?.run !== undefined && lastRun !== undefined && last.run !== lastRun;
  const previous = legacy?.ino === undefined ? undefined : [{ id: `:${legacy.ino}`, position: legacy.position }];
  const position = (isLost ? last.previous : last?.position) ?? previous;
  return {
    position,
    isDamaged: last?.isDamaged ?? false,
    /** Stores the position after a run; `isResult`: the run has found something, which must not get lost. */
    save: async (next, isResult) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const content = isResult && lastRun !== undefined ? { position: next, previous: position, run } : { position: next };
      await writeFile(`${name}.new`, JSON.stringify(content), { mode: 0o600, flush: true });
      await rename(`${name}.new`, name);
    },
  };
}
