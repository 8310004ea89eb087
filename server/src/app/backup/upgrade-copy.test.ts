/**
 * The backup before an upgrade: made if the database has data and the disk has room; those of three versions are kept; a
 * setting disables it.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../db/connection.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { readManifest } from './backup-folder.ts';
import { removeLeftovers } from './leftovers.ts';
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

const copy = (over: { copyBeforeUpgrade?: boolean; freeBytes?: number; missing?: string[] } = {}) =>
  copyBeforeUpgrade(
    {
      config: { dataDir, copyBeforeUpgrade: over.copyBeforeUpgrade ?? true },
      url: test.url,
      log: (line) => lines.push(line),
      ...(over.freeBytes === undefined ? {} : { freeBytes: () => Promise.resolve(over.freeBytes ?? 0) }),
    },
    over.missing ?? ['0099-later.sql', '0100-latest.sql'],
  );
const copies = () => readdir(join(dataDir, 'upgrades')).catch(() => []);

it('is not made of an empty installation', async () => {
  expect(await copy()).toBeUndefined();
  expect(await copies()).toEqual([]);
});

it('is made, and told with its place', async () => {
  const database = openDatabase({ url: test.url, max: 1, onError: () => undefined });
  await database.scoped('all').query({ text: "insert into tenant (name) values ('Northwind')" });
  await database.close();
  const folder = (await copy()) ?? '';
  expect(folder).toMatch(/upgrades\/\d{8}T\d{6}Z-before-0099-later$/);
  expect(lines.join('\n')).toMatch(/Copying the database before 2 migrations change it/);
  expect(lines.join('\n')).toContain(`are in ${folder}; npm run admin -- restore reads them.`);
  expect((await readManifest(folder)).tables.find(({ name }) => name === 'tenant')?.rows).toBe(1);
});

it('is kept for the last three versions, whatever kills leave of one upgrade', async () => {
  const parent = join(dataDir, 'upgrades');
  const [whole = ''] = await copies();
  const sound = JSON.parse(await readFile(join(parent, whole, 'manifest.json'), 'utf8')) as { migrations: string[] };
  await rm(join(parent, whole), { recursive: true });
  const all = sound.migrations;
  /** A copy of a database that had run so many migrations, made on the way to `upgrade`. */
  const earlier = async (name: string, migrations: number, upgrade: string): Promise<void> => {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'manifest.json'), JSON.stringify({ ...sound, migrations: all.slice(0, migrations), upgrade }));
  };
  await earlier('20260101T000000Z-before-0011-a', 10, '0020-x.sql');
  await earlier('20260201T000000Z-before-0021-b', 20, '0030-x.sql');
  await earlier('20260301T000000Z-before-0031-c', 30, '0100-latest.sql');
  // The upgrade from version 30 was killed three times between migrations, and once before the first of them.
  await earlier('20260301T000001Z-before-0031-c', 30, '0100-latest.sql');
  await earlier('20260301T000002Z-before-0041-d', 40, '0100-latest.sql');
  await earlier('20260301T000003Z-before-0051-e', 50, '0100-latest.sql');
  const last = ((await copy()) ?? '').slice(parent.length + 1);
  expect((await copies()).toSorted()).toEqual([
    '20260101T000000Z-before-0011-a',
    '20260201T000000Z-before-0021-b',
    '20260301T000001Z-before-0031-c',
    last,
  ]);
  // The next upgrade begins at a version again.
  await rm(join(parent, last), { recursive: true });
  const next = ((await copy({ missing: ['0999-next.sql'] })) ?? '').slice(parent.length + 1);
  expect((await copies()).toSorted()).toEqual(['20260201T000000Z-before-0021-b', '20260301T000001Z-before-0031-c', next]);
});

it('leaves nothing of a copy whose process was killed', async () => {
  const half = join(dataDir, 'upgrades/.20260101T000000Z-before-0011-a.999999999');
  await mkdir(join(half, 'database'), { recursive: true });
  await copy({ copyBeforeUpgrade: false });
  expect(await copies()).not.toContain(half.slice(half.lastIndexOf('/') + 1));
  const [dead, earlierOwn, living] = ['.x.999999999', `.y.${process.pid}`, `.z.${process.ppid}`].map((name) =>
    join(dataDir, 'upgrades', name),
  );
  const drill = join(dataDir, 'verify-999999999');
  const old = new Date(Date.now() - 3_600_000);
  for (const folder of [dead, earlierOwn, living, drill]) {
    await mkdir(folder ?? '', { recursive: true });
    await utimes(folder ?? '', old, old);
  }
  await removeLeftovers({ dataDir, backupDir: undefined });
  expect((await copies()).filter((name) => name.startsWith('.'))).toEqual([`.z.${process.ppid}`]);
  expect(await readdir(dataDir)).not.toContain('verify-999999999');
  await rm(living ?? '', { recursive: true });
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
