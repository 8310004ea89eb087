/** A backup and a trial of its restore as the page Installation starts them: real processes that store progress and outcome. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunKind } from '@cloudfit/contract/actions/installation-work.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { beginRun, readRun } from '../features/installation/run.ts';
import { loadConfig } from '../platform/config.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { installationRuns } from './installation-work.ts';

let test: TestDatabase;
let database: Database;
let home: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
  home = await mkdtemp(join(tmpdir(), 'cloudfit-runs-'));
  env = {
    PATH: process.env['PATH'],
    DATABASE_URL: test.url,
    DATA_DIR: join(home, 'data'),
    BACKUP_DIR: join(home, 'backups'),
    MASTER_KEY: randomBytes(32).toString('base64'),
  };
  await database.scoped('all').query({ text: "insert into tenant (name) values ('Northwind')" });
});
afterAll(async () => {
  await database.close();
  await test.close();
  await rm(home, { recursive: true, force: true });
});

async function run(kind: RunKind) {
  const db = database.scoped('all');
  const runs = installationRuns(loadConfig(env), env);
  const begun = { id: randomUUID(), kind, folder: await runs.folderFor(kind, db) };
  expect(await beginRun(db, { ...begun, by: 'ada@example.com' })).toBe(true);
  const failed = await runs.start(begun);
  return { failed, ...begun, outcome: await readRun(db) };
}

it('make a backup where the setting says, then restore it, and refuse a trial without a backup', async () => {
  await expect(run('drill')).rejects.toThrow('There is no backup on the machine of this server');
  const backup = await run('backup');
  expect(backup.failed).toBeUndefined();
  expect(backup.outcome).toMatchObject({ id: backup.id, state: 'done', outcome: expect.stringMatching(/^Backup of \d+ rows/) as string });
  expect(await readdir(backup.folder ?? '')).toContain('manifest.json');
  expect((await stat(join(home, 'backups'))).mode & 0o077).toBe(0);
  const drill = await run('drill');
  expect([drill.failed, drill.folder]).toEqual([undefined, backup.folder]);
  expect(drill.outcome).toMatchObject({ state: 'done', outcome: expect.stringMatching(/answers of the API are the same/) as string });
  await rm(join(backup.folder ?? '', 'database/tenant.copy.gz'));
  const damaged = await run('drill');
  expect(damaged.outcome).toMatchObject({ state: 'failed', outcome: expect.stringContaining('tenant.copy.gz') as string });
  expect(await readdir(join(home, 'data'))).toEqual([]);
}, 400_000);
