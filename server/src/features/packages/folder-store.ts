/** Stores uploaded files in the data folder. Several servers must share that folder, or use an S3-compatible store. */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileStore } from '../../platform/file-store.ts';

/** One folder for the first two characters of names, so that no folder grows too large. */
const pathOf = (folder: string, name: string): string => join(folder, name.slice(0, 2), name);

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function folderStore(folder: string): FileStore {
  return {
    keep: async (name, path) => {
      const target = pathOf(folder, name);
      const parent = join(target, '..');
      await mkdir(parent, { recursive: true, mode: 0o700 });
      // The file and its directory entry are flushed to disk before a row names the file.
      await sync(path);
      await rename(path, target);
      await sync(parent);
    },
    open: async (name, range) => {
      const handle = await open(pathOf(folder, name), 'r');
      return createReadStream('', { fd: handle, ...range });
    },
    remove: (name) => rm(pathOf(folder, name), { force: true }),
    keptBefore: async function* (then) {
      for (const part of await readdir(folder).catch(() => [])) {
        for (const name of await readdir(join(folder, part))) {
          const stats = await stat(pathOf(folder, name)).catch(() => undefined);
          if (stats && stats.ctimeMs < then.getTime()) yield name;
        }
      }
    },
  };
}
