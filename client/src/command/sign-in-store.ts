/** Stores the sign-in of the command in the home of its user, readable by that user alone. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredSignIn } from '../sign-in.ts';
import { OutcomeError, type PartContext, type Surroundings } from './command.ts';

function pathOf({ env, platform, home }: Surroundings): string {
  const folder =
    platform === 'win32' ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming')) : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'));
  return join(folder, 'cloudfit', 'sign-in.json');
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export function openSignInStore(surroundings: Surroundings): PartContext['store'] {
  const path = pathOf(surroundings);
  const read = async (): Promise<StoredSignIn | undefined> => {
    try {
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw new OutcomeError(`The sign-in in ${path} cannot be read. Sign in again: cloudfit login`);
    }
  };
  return {
    read,
    write: async (stored) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Renamed into its place, so that two commands at once leave one whole file.
      const next = `${path}.${process.pid}`;
      await writeFile(next, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
      await rename(next, path);
    },
    remove: async () => {
      const had = (await read().catch(() => undefined)) !== undefined;
      await rm(path, { force: true });
      return had;
    },
  };
}
