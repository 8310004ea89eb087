/** Copies uploaded files into the archive, and back from it. */
import { createReadStream, existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ArchiveStore } from '../../platform/archive-store.ts';
import { folderArchive } from './folder-store.ts';
import { keepJson, keepStream, readJson } from './files.ts';

const folderName = 'uploads/';
const removedName = 'removed-uploads.json';

/** Returns a function that copies new uploaded files; between two calls it remembers which files the archive has. */
export function mirrorOfUploads(source: string, store: ArchiveStore): (oldestCopy: string | undefined) => Promise<void> {
  let archivedPaths: Set<string> | undefined;
  let removed: Record<string, string> | undefined;
  return async (oldestCopy) => {
    const entries = await readdir(source, { recursive: true, withFileTypes: true }).catch(() => []);
    const here = entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(source.length + 1)
          .replaceAll('\\', '/'),
      );
    const there = (archivedPaths ??= new Set((await store.list(folderName)).map((name) => name.slice(folderName.length))));
    for (const path of here.filter((item) => !there.has(item))) {
      await keepStream(store, folderName + path, createReadStream(join(source, path)));
      there.add(path);
    }
    const existing = new Set(here);
    const before: Record<string, string> = removed ?? (await readJson(store, removedName)) ?? {};
    const after: Record<string, string> = {};
    // Uploaded files never change. A deleted file stays in the archive while a restore of the oldest base copy may need it.
    for (const path of [...there].filter((item) => !existing.has(item))) {
      const at = before[path] ?? new Date().toISOString();
      if (oldestCopy === undefined || at >= oldestCopy) {
        after[path] = at;
        continue;
      }
      await store.remove(folderName + path);
      there.delete(path);
    }
    if (JSON.stringify(after) !== JSON.stringify(before)) await keepJson(store, removedName, after);
    removed = after;
  };
}

/** Copies archived files that `target` does not have. */
export async function fetchUploads(store: ArchiveStore, target: string): Promise<void> {
  const folder = folderArchive(target);
  for (const name of await store.list(folderName)) {
    const path = name.slice(folderName.length);
    if (existsSync(join(target, path))) continue;
    const file = await store.open(name);
    if (file) await keepStream(folder, path, file);
  }
  await rm(folder.drafts, { recursive: true, force: true });
}

/** Returns a function that opens an archived file by the last part of its name. */
export async function archivedUploads(store: ArchiveStore): Promise<(name: string) => Promise<Readable | undefined>> {
  const paths = new Map((await store.list(folderName)).map((path) => [path.split('/').at(-1), path]));
  return async (name) => {
    const path = paths.get(name);
    return path === undefined ? undefined : store.open(path);
  };
}
