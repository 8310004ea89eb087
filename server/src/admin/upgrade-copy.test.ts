/** The backup before an upgrade: made if the database has data and the disk has room; three are kept; a setting disables it. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../db/connection.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { readManifest } from './backup-folder.ts';
import { copyBeforeUpgrade } from './upgrade-copy.ts';

let test: TestDatabase;
let dataDir: string;
const lines: string[] = [];

beforeAll(async () => {
  test = await testDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'cloudfit-copy-'));
});
afterAll(async () => {
  await test.close();
  await rm(dataDir, { recursive: true, force: true });
});

const copy = (over: { copyBeforeUpgrade?: boolean; freeBytes?: number } = {}) =>
  copyBeforeUpgrade(
    {
      config: { dataDir, copyBeforeUpgrade: over.copyBeforeUpgrade ?? true },
      url: test.url,
      log: (line) => lines.push(line),
      ...(over.freeBytes === undefined ? {} : { freeBytes: () => Promise.resolve(over.freeBytes ?? 0) }),
    },
    ['0099-later.sql', '0100-latest.sql'],
  );
const copies = () => readdir(join(dataDir, 'upgrades')).catch(() => []);

it('is not made of an empty installation', async () => {
  expect(await copy()).toBeUndefined();
  expect(await copies()).toEqual([]);
});

it('is made, told with its place, and the newest three are kept', async () => {
  const database = openDatabase({ url: test.url, max: 1, onError: () => undefined });
  await database.scoped('all').query({ text: "insert into tenant (name) values ('Northwind')" });
  await database.close();
  const folder = (await copy()) ?? '';
  expect(folder).toMatch(/upgrades\/\d{8}T\d{6}Z-before-0099-later$/);
  expect(lines.join('\n')).toMatch(/Copying the database before 2 migrations change it/);
  expect(lines.join('\n')).toContain(`are in ${folder}; npm run admin -- restore reads them.`);
  expect((await readManifest(folder)).tables.find(({ name }) => name === 'tenant')?.rows).toBe(1);
  await rm(folder, { recursive: true });
  const folders: string[] = [];
  for (let n = 0; n < 4; n++) {
    // Repeats until a second has passed, because the name of a backup has a resolution of one second.
    await expect
      .poll(() =>
        copy().then(
          (name) => (name ? folders.push(name) : 0),
          () => 0,
        ),
      )
      .toBe(n + 1);
  }
  expect((await copies()).toSorted()).toEqual(folders.slice(1).map((name) => name.slice(name.lastIndexOf('/') + 1)));
});

it('stops the start when there is no room, and says how to go on', async () => {
  await expect(copy({ freeBytes: 1024 })).rejects.toThrow(
    /needs up to \d+ MiB in .*upgrades, and 1 MiB are free\. Make room; or make a backup of your own and start with COPY_BEFORE_UPGRADE=off/,
  );
});

it('is left out by the setting', async () => {
  const before = await copies();
  expect(await copy({ copyBeforeUpgrade: false })).toBeUndefined();
  expect(await copies()).toEqual(before);
});
