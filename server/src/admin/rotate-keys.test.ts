/** Rotation of the master key: while servers run, and after a rotation that was killed. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDirectorySecret, writeDirectorySecret } from '../auth/directories/directory-secret.ts';
import { sampleDirectory } from '../testing/sample-directory.ts';
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey, masterKeyId, type MasterKey } from '../auth/master-key.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { runAdmin } from './run.ts';

let test: TestDatabase;
let database: Database;
let dataDir: string;
let file: string;
let server: MasterKey;
let tenantId: string;
const secretIds: string[] = [];

const db = () => database.scoped('all');
const load = async (folder = dataDir) =>
  loadMasterKey({ dataDir: folder, log: { warn: () => undefined }, inUse: await masterKeysInUse(db()) });
const secret = (secretId: string) => ({ tenantId, secretId, version: 1 });

async function keep(value: string): Promise<void> {
  const [row] = await db().query<{ id: string }>({
    text: "insert into tenant_secret (tenant_id, name, latest_version) values ($1, 'S' || uuidv7(), 1) returning id",
    values: [tenantId],
  });
  await openTenantSecrets(server).write(db(), secret(row?.id ?? ''), value, 'test');
  secretIds.push(row?.id ?? '');
}

async function rotate(...options: string[]): Promise<{ code: number; json: Record<string, unknown>; err: string }> {
  let [out, err] = ['', ''];
  const code = await runAdmin(
    ['rotate-keys', ...options, '--json'],
    { DATABASE_URL: test.url, DATA_DIR: dataDir },
    {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: () => Promise.resolve(''),
    },
  );
  return { code, err, json: out === '' ? {} : (JSON.parse(out) as Record<string, unknown>) };
}

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
  dataDir = await mkdtemp(join(tmpdir(), 'cloudfit-keys-'));
  file = join(dataDir, 'master.key');
  server = await load();
  const [row] = await db().query<{ tenant_id: string }>({ text: "insert into tenant (name) values ('Acme') returning tenant_id" });
  tenantId = row?.tenant_id ?? '';
  for (const value of ['one', 'two', 'three']) await keep(value);
});
afterAll(async () => {
  await database.close();
  await test.close();
  await rm(dataDir, { recursive: true, force: true });
});

const values = async (key: MasterKey): Promise<unknown[]> =>
  Promise.all(secretIds.map(async (id) => (await openTenantSecrets(key).read(db(), secret(id)))?.value));

describe('rotate-keys', () => {
  it('wraps all data keys again while a server runs, and leaves the values as they were', async () => {
    const before = await db().query<{ ct: string }>({ text: "select envelope ->> 'ct' as ct from tenant_secret_version order by 1" });
    const [oldId] = server.ids();
    const { code, json } = await rotate();
    expect({ code, ...json }).toMatchObject({ code: 0, madeKey: true, rewrapped: 3, kept: [oldId], forgotten: [] });
    expect(await masterKeysInUse(db())).toEqual([json['kid']]);
    expect(await db().query({ text: "select envelope ->> 'ct' as ct from tenant_secret_version order by 1" })).toEqual(before);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    // A server that was started before the rotation decrypts with the old key and encrypts with the new one.
    expect(await values(server)).toEqual(['one', 'two', 'three']);
    await keep('four');
    expect(await masterKeysInUse(db())).toEqual([json['kid']]);
    expect(await db().query({ text: "select 1 from audit where entity = 'masterKeys'" })).toHaveLength(1);
  });

  it('finishes what a killed rotation had begun instead of making one key more', async () => {
    const key = randomBytes(32).toString('base64');
    await writeFile(file, `${key}\n${await readFile(file, 'utf8')}`);
    const { json } = await rotate();
    expect(json).toMatchObject({ kid: masterKeyId(key), madeKey: false, rewrapped: 4 });
    expect(await values(await load())).toEqual(['one', 'two', 'three', 'four']);
  });

  it('wraps the secrets of directories too', async () => {
    const [row] = await db().query<{ id: string }>({ text: sampleDirectory, values: ['keys'] });
    const id = row?.id ?? '';
    await writeDirectorySecret(db(), server, id, 'five');
    const { json } = await rotate();
    expect(json).toMatchObject({ madeKey: true, rewrapped: 5 });
    expect(await readDirectorySecret(db(), await load(), id)).toBe('five');
    // Its key is needed as long as the secret is there.
    await db().query({ text: 'delete from directory where directory_id = $1', values: [id] });
  });

  it('forgets keys that nothing needs when asked', async () => {
    const { json } = await rotate('--no-new-key', '--forget-unused');
    expect(json['forgotten']).toHaveLength(3);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(await values(await load())).toEqual(['one', 'two', 'three', 'four']);
  });

  it('does not start without the key that ciphertexts need, and makes no new one', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'cloudfit-keys-'));
    await expect(load(empty)).rejects.toThrow(/were encrypted with the master key [0-9a-f]{12}, which is missing/);
    await expect(stat(join(empty, 'master.key'))).rejects.toThrow('ENOENT');
    await writeFile(join(empty, 'master.key'), `${randomBytes(32).toString('base64')}\n`);
    await expect(load(empty)).rejects.toThrow(/which is missing: set MASTER_KEY or MASTER_KEY_FILE/);
    await rm(empty, { recursive: true });
  });
});
