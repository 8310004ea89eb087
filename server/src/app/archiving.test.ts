/** What a start does with the archive of another server, and with files that a killed process left in it. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../db/db.ts';
import { removeLostDrafts } from '../db/archive/files.ts';
import { folderArchive } from '../db/archive/folder-store.ts';
import type { Storage } from '../db/storage.ts';
import type { ArchiveStore } from '../platform/archive-store.ts';
import { startArchiving } from './archiving.ts';

let home: string;
let store: ArchiveStore;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'archiving-'));
  store = folderArchive(join(home, 'archive'));
  await mkdir(store.drafts, { recursive: true });
  await writeFile(join(store.drafts, 'being-written'), 'x');
});
afterAll(() => rm(home, { recursive: true, force: true }));

it('a server whose archive belongs to another database leaves the files that the other one is writing', async () => {
  await writeFile(join(home, 'archive/archive.json'), JSON.stringify({ database: '1' }));
  await mkdir(join(home, 'data/postgres/global'), { recursive: true });
  await writeFile(join(home, 'data/postgres/global/pg_control'), Buffer.alloc(8, 7));
  const error = await new Promise<string | null>((done) => {
    const archiving = startArchiving({
      url: '',
      db: {} as Db,
      dataDir: join(home, 'data'),
      archive: store.name,
      store,
      storage: { onLog: (state) => void archiving.stop().then(() => done(state.error)) } as Storage,
      log: pino({ level: 'silent' }),
    });
  });
  expect(error).toContain('belongs to another database');
  expect(await readdir(store.drafts)).toEqual(['being-written']);
});

it('only what nobody has written to for an hour is removed', async () => {
  await writeFile(join(store.drafts, 'of-a-killed-process'), 'x');
  const before = new Date(Date.now() - 3_700_000);
  await utimes(join(store.drafts, 'of-a-killed-process'), before, before);
  await removeLostDrafts(store);
  expect(await readdir(store.drafts)).toEqual(['being-written']);
  await removeLostDrafts(folderArchive(join(home, 'nowhere')));
});
