/** Keeps the archive for restoring to a point in time in a folder. */
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArchiveStore } from '../../platform/archive-store.ts';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export function folderArchive(folder: string): ArchiveStore {
  return {
    name: folder,
    drafts: join(folder, '.drafts'),
    keep: async (name, path) => {
      const target = join(folder, name);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(path, target);
    },
    open: async (name) => {
      const stream = createReadStream(join(folder, name));
      return new Promise((done, failed) => {
        stream.once('open', () => done(stream));
        stream.once('error', (error) => (isMissing(error) ? done(undefined) : failed(error)));
      });
    },
    remove: async (name) => {
      await rm(join(folder, name), { force: true });
      // Removes the folders above that have become empty; stops at the first folder that is not empty.
      for (let above = dirname(name); above.includes('/'); above = dirname(above))
        try {
          await rmdir(join(folder, above));
        } catch {
          return;
        }
    },
    list: async (prefix) => {
      try {
        const entries = await readdir(join(folder, prefix), { recursive: true, withFileTypes: true });
        return entries
          .filter((entry) => entry.isFile())
          .map((entry) => prefix + join(entry.parentPath, entry.name).slice(join(folder, prefix).length).replaceAll('\\', '/'))
          .filter((name) => !name.slice(prefix.length).startsWith('.'));
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    close: () => {},
  };
}
