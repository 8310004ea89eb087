/** Secrets at rest: values of tenants, keys in settings, the rotation of the master key, and where a secret may be used. */
import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { signedText } from '@cloudfit/contract/packages/signature.ts';
import type { Ctx } from '../context/ctx.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { masterKeysInUse } from './keys-in-use.ts';
import { masterKeyId, masterKeyOf } from './master-key.ts';
import { loadPackageKey } from './package-key.ts';
import { loadPushKey } from './push/key.ts';
import { addMasterKey, forgetMasterKeys, rewrapAll } from './rotate-master-key.ts';
import { hostOf, namesSecret, policyProblem, secretUseProblem } from './secret-use.ts';
import { openTenantSecrets, purposeOf } from './tenant-secrets.ts';

const newKey = () => randomBytes(32).toString('base64');
const masterKey = masterKeyOf([newKey()]);
let test: TestDatabase;
let database: Database;
let db: Db;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await test.close();
});
const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
const idOf = async (text: string, ...values: unknown[]) => (await db.query<{ id: string }>({ text, values }))[0]?.id ?? '';
const tenant = () => idOf('insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id as id');

async function secret(tenantId: string, name: string, versions: readonly string[], by = masterKey): Promise<string> {
  const secretId = await idOf(
    'insert into tenant_secret (tenant_id, name, latest_version) values ($1, $2, $3) returning id',
    tenantId,
    name,
    versions.length,
  );
  for (const [i, value] of versions.entries()) await openTenantSecrets(by).write(db, { tenantId, secretId, version: i + 1 }, value, 'Ada');
  return secretId;
}

describe('the secrets of a tenant', () => {
  const secrets = openTenantSecrets(masterKey);

  it('are read by version, by name, and the newest first', async () => {
    const [home, away] = [await tenant(), await tenant()];
    const secretId = await secret(home, 'Api', ['one', 'two', 'three']);
    await secret(home, 'Other', ['other']);
    await secret(away, 'Api', ['theirs']);
    const read = async (tenantId: string, version: number) => (await secrets.read(db, { tenantId, secretId, version }))?.value;
    expect([await read(home, 1), await read(home, 3), await read(home, 4), await read(away, 1)]).toEqual([
      'one',
      'three',
      undefined,
      undefined,
    ]);
    await rows(`update tenant_secret set allowed_hosts = 'a.example', allowed_actions = '["x"]' where id = $1`, secretId);
    expect([...(await secrets.latest(db, home, ['Api', 'None']))]).toEqual([
      ['Api', { id: secretId, name: 'Api', value: 'three', allowedHosts: 'a.example', allowedActions: ['x'] }],
    ]);
    expect((await secrets.latest(db, home, ['Other'])).get('Other')).toMatchObject({ allowedHosts: null, allowedActions: null });
    const recent = await secrets.recent(db, home, 'Api', 2);
    expect(recent.map(({ value, version }) => [value, version])).toEqual([
      ['three', 3],
      ['two', 2],
    ]);
    expect(await secrets.recent(db, home, 'None', 2)).toEqual([]);
  });

  it('cannot be read as those of another tenant, secret or version', async () => {
    const [home, away] = [await tenant(), await tenant()];
    const [one, other] = [await secret(home, 'One', ['one']), await secret(away, 'Other', ['other'])];
    await rows(
      'update tenant_secret_version set envelope = (select envelope from tenant_secret_version where tenant_secret_id = $1) where tenant_secret_id = $2',
      one,
      other,
    );
    await expect(secrets.read(db, { tenantId: away, secretId: other, version: 1 })).rejects.toThrow(/authenticate/);
    expect(purposeOf({ tenantId: 't', secretId: 's', version: 2 })).toBe('t|s|2');
  });
});

describe('a key in the settings', () => {
  it('is made once, whoever asks, and is stored encrypted', async () => {
    const packageKeys = await Promise.all([loadPackageKey(db, masterKey), loadPackageKey(db, masterKey)]);
    const pushKeys = await Promise.all([loadPushKey(db, masterKey), loadPushKey(db, masterKey)]);
    const [{ publicKey, sign }, again] = packageKeys;
    expect([again.publicKey, pushKeys[1]]).toEqual([publicKey, pushKeys[0]]);
    expect((await loadPackageKey(db, masterKey)).publicKey).toBe(publicKey);
    expect(pushKeys[0].publicKey).not.toBe(pushKeys[0].privateKey);
    const version = { packageId: 'p', packageVersionId: 'v', sha256: 's' };
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    expect(verify(null, Buffer.from(signedText(version)), key, Buffer.from(sign(version), 'base64'))).toBe(true);
    const stored = await rows<{ name: string; value: string }>(
      "select name, value::text as value from setting where name in ('packages.key', 'push.key') order by 1",
    );
    expect(stored.map(({ name, value }) => [name, value.includes('wrappedKey'), value.includes(pushKeys[0].privateKey)])).toEqual([
      ['packages.key', true, false],
      ['push.key', true, false],
    ]);
  });
});

describe('a rotation of the master key', () => {
  it('wraps every envelope that an earlier key holds, and leaves the others', async () => {
    const [before, after] = [newKey(), newKey()];
    const [old, both, next] = [masterKeyOf([before]), masterKeyOf([after, before]), masterKeyOf([after])];
    await rows('delete from setting');
    await rows('delete from tenant_secret');
    await rows('delete from totp');
    const home = await tenant();
    const secretIds = [await secret(home, 'A', ['a1', 'a2'], old), await secret(home, 'B', ['b'], old)];
    await secret(home, 'C', ['c'], next);
    await loadPushKey(db, old);
    await loadPackageKey(db, next);
    await rows(`insert into setting (name, value) values ('plain', '{"kid": "no envelope"}')`);
    const person = await idOf("insert into person (name, user_name) values ('P', gen_random_uuid()::text) returning person_id as id");
    await rows('insert into totp (person_id, envelope) values ($1, $2)', person, JSON.stringify(old.seal('seed', `totp ${person}`)));
    expect(await masterKeysInUse(db)).toEqual([masterKeyId(before), masterKeyId(after)].toSorted());
    const fine = () => rows("select * from tenant_secret_version where envelope ->> 'kid' = $1 order by 1, 2", masterKeyId(after));
    const untouched = await fine();
    expect(await db.transaction((tx) => rewrapAll(tx, both))).toBe(5);
    expect(await masterKeysInUse(db)).toEqual([masterKeyId(after)]);
    expect(await fine()).toEqual(expect.arrayContaining(untouched));
    expect(await db.transaction((tx) => rewrapAll(tx, both))).toBe(0);
    const read = async (i: number, version: number) =>
      (await openTenantSecrets(next).read(db, { tenantId: home, secretId: secretIds[i] ?? '', version }))?.value;
    expect([await read(0, 1), await read(0, 2), await read(1, 1)]).toEqual(['a1', 'a2', 'b']);
    expect((await loadPushKey(db, next)).publicKey).toHaveLength(87);
    const [totp] = await rows<{ envelope: never }>('select envelope from totp where person_id = $1', person);
    expect(next.open(totp?.envelope as never, `totp ${person}`)).toBe('seed');
  });

  it('puts the new key in front of the file, keeps its user and hides it from the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cloudfit-rotate-'));
    const file = join(folder, 'master.key');
    const [one, two] = [newKey(), newKey()];
    await writeFile(file, `${one}\n${two}\n`);
    await chmod(file, 0o644);
    const id = await addMasterKey(file);
    const keys = (await readFile(file, 'utf8')).trim().split('\n');
    expect([keys.length, masterKeyId(keys[0] ?? ''), ...keys.slice(1)]).toEqual([3, id, one, two]);
    expect(Buffer.from(keys[0] ?? '', 'base64')).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { ino } = await stat(file);
    expect(await forgetMasterKeys(file, ['none'])).toEqual([]);
    expect((await stat(file)).ino).toBe(ino);
    // The first key encrypts, so it stays.
    expect(await forgetMasterKeys(file, [id, masterKeyId(one)])).toEqual([masterKeyId(one)]);
    expect(await readFile(file, 'utf8')).toBe(`${keys[0]}\n${two}\n`);
    expect(await readdir(folder)).toEqual(['master.key']);
    await rm(folder, { recursive: true });
  });
});

describe('the use of a secret', () => {
  const [action, host] = [randomUUID(), 'api.example.com'];
  const problem = (
    allowedHosts: string | null,
    allowedActions: string[] | null,
    use: { action?: string | undefined; host?: string } = {},
  ) =>
    policyProblem(
      { name: 'Key', allowedHosts, allowedActions },
      { actionDefinitionId: 'action' in use ? use.action : action, host: use.host },
    );

  it('is for the actions that its policy names', () => {
    const refused = 'The secret Key may be used only by the actions it names, and this is not one of them.';
    expect([problem(null, null, { action: undefined }), problem(null, [action])]).toEqual([undefined, undefined]);
    for (const use of [{ action: randomUUID() }, { action: undefined }]) expect(problem(null, [action], use)).toBe(refused);
    expect(problem(null, [])).toBe(refused);
  });

  it('is for the hosts that its policy names, and never for a mail then', () => {
    const to = (allowedHosts: string, item: string) => problem(allowedHosts, null, { host: item }) === undefined;
    expect([to('api.example.com', host), to('other.example, API.example.com ', 'API.Example.com')]).toEqual([true, true]);
    expect([to('*.example.com', host), to('*.example.com', 'example.com'), to('*.example.com', 'evilexample.com')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([to('example.com', host), to('api.example.com.evil.org', host), to('', host)]).toEqual([false, false, false]);
    // An address without a host matches no policy.
    expect([to('', ''), to('api.example.com,', '')]).toEqual([false, false]);
    expect(problem('a.example', null, { host })).toBe('The secret Key may be sent only to a.example, and not to api.example.com.');
    expect(problem('a.example', null)).toBe('The secret Key may be sent only to a.example, and not by mail.');
    expect([problem(null, null), problem(null, null, { host })]).toEqual([undefined, undefined]);
  });

  it('is seen in a text in any case, and sent to the host before the placeholders', () => {
    expect([namesSecret('a {secret:x}'), namesSecret('{Secret}'), namesSecret(5), namesSecret(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const addresses = ['https://api.example.com/{a}?b={c}', 'https://{a}.example.com/', '{a}', null, undefined];
    expect(addresses.map(hostOf)).toEqual(['api.example.com', 'x.example.com', '', '', '']);
  });

  it('needs the permission to edit the tenant, and is judged by the policies of its secrets', async () => {
    const [home, away] = [await tenant(), await tenant()];
    const [bound] = [await secret(home, 'Bound', []), await secret(home, 'Free', []), await secret(away, 'Theirs', [])];
    await rows(`update tenant_secret set allowed_hosts = 'a.example' where id = $1 or name = 'Theirs'`, bound);
    const ctx = { db, permissions: new Map([[home, new Set(['CloudFit.CFS.Tenants:edit'])]]) } as unknown as Ctx;
    const use = (texts: unknown[], tenantId: string | null = home, id: string | undefined = action) =>
      secretUseProblem(ctx, tenantId, texts, { actionDefinitionId: id, host });
    const refused = 'The secret Bound may be sent only to a.example, and not to api.example.com.';
    expect(await use(['no secret', 5, null], away)).toBeUndefined();
    expect(await use(['{Secret:Free}', '{Secret:Theirs} {Secret:None}', 7])).toBeUndefined();
    expect(await use([7, '{Secret:Free} {Secret:Bound}'])).toBe(refused);
    expect(await use(['{Secret:Free}'], away)).toBe('Only a person who may edit the tenant may name its secrets in an action.');
    expect(await use(['{Secret:Free}'], null, builtInAction.email)).toBe(
      'Only a person who may edit the tenant may name its secrets in a mail.',
    );
    const everywhere = { ...ctx, permissions: new Map([['*', new Set(['CloudFit.CFS.Tenants:edit'])]]) } as unknown as Ctx;
    expect(await secretUseProblem(everywhere, null, ['{Secret:Bound}'], { actionDefinitionId: action, host })).toBeUndefined();
  });
});
