/** Tenant tokens: what each permits, when it is refused, and how long an answer is cached. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { createIntegrationToken } from './integration-token.ts';
import { createTokenGrants, type TokenGrants } from './token-grants.ts';

const view = 'CloudFit.CFS.Rules:view';
const edit = 'CloudFit.CFS.Rules:edit';
let test: TestDatabase;
let database: Database;
let db: Db;
let tenantId: string;
let grants: TokenGrants;

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
const idOf = async (text: string, ...values: unknown[]) => (await db.query<{ id: string }>({ text, values }))[0]?.id ?? '';
const newTenant = () => idOf('insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id as id');
const setOf = (...permissions: string[]) =>
  idOf(
    'insert into permission_set (name, permissions) values (gen_random_uuid()::text, $1) returning permission_set_id as id',
    JSON.stringify(permissions),
  );

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 4, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await test.close();
});
beforeEach(async () => {
  tenantId = await newTenant();
  grants = createTokenGrants({ database, log: pino({ level: 'silent' }) });
});
afterEach(() => vi.useRealTimers());

interface TokenColumns {
  tenant_id?: string | null;
  scopes?: string[];
  permission_set_id?: string;
  owner_id?: string;
  expires_on?: string;
  revoked_on?: string;
  last_used?: string;
  networks?: string[];
}

async function tokenOf(columns: TokenColumns = {}): Promise<{ id: string; token: string }> {
  const { token, hash, hint } = createIntegrationToken();
  const { tenant_id: home = tenantId, scopes = ['agent', 'ingest'], networks = [] } = columns;
  const id = await idOf(
    `insert into token_grant (tenant_id, name, token_hash, token_hint, scopes, networks, permission_set_id, owner_id, expires_on, revoked_on, last_used)
      values ($1, 'agents', $2, $3, $4, $5, $6, $7, $8, $9, $10) returning token_grant_id as id`,
    home,
    hash,
    hint,
    JSON.stringify(scopes),
    JSON.stringify(networks),
    columns.permission_set_id ?? null,
    columns.owner_id ?? null,
    columns.expires_on ?? null,
    columns.revoked_on ?? null,
    columns.last_used ?? null,
  );
  return { id, token };
}

async function owner(permissions: string[], of: string | null = tenantId): Promise<string> {
  const id = await idOf("insert into person (name, user_name) values ('P', gen_random_uuid()::text) returning person_id as id");
  await rows('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', id, await setOf(...permissions), of);
  return id;
}

const check = async (token: string, address?: string) => grants.check(token, randomUUID(), address);
const refusal = (token: string, address?: string) =>
  check(token, address).then(
    () => 'accepted',
    (error: { status: number; message: string }) => `${error.status} ${error.message}`,
  );
const audits = (id: string) =>
  rows<{ verb: string; after: object | null; tenant_id: string | null }>(
    'select verb, after, tenant_id from audit where entity_id = $1',
    id,
  );

describe('a tenant token', () => {
  it('has its scopes, and the permissions of its set in its tenant', async () => {
    const { id, token } = await tokenOf({ scopes: ['ingest'], permission_set_id: await setOf(view) });
    const checked = await check(token);
    expect(checked.actor).toEqual({ kind: 'token', id, name: 'agents', scopes: ['ingest'] });
    expect([checked.tenants, [...checked.permissions]]).toEqual([[tenantId], [[tenantId, new Set([view])]]]);
    const plain = await check((await tokenOf()).token);
    expect([plain.tenants, plain.permissions.size]).toEqual([[tenantId], 0]);
    const everywhere = await check((await tokenOf({ tenant_id: null })).token);
    expect([everywhere.tenants, everywhere.permissions.size]).toEqual(['all', 0]);
  });

  it('is refused when it is no token, unknown, revoked, expired or of a disabled tenant, which is audited once a minute', async () => {
    expect(await refusal('cfst_x')).toBe('401 This is not a complete token: please check that it was copied whole.');
    expect(await refusal(createIntegrationToken().token)).toBe('401 This token does not exist.');
    const revoked = await tokenOf({ revoked_on: '2020-01-01' });
    for (let i = 0; i < 2; i++) expect(await refusal(revoked.token)).toBe('401 This token has been revoked.');
    expect(await audits(revoked.id)).toEqual([{ verb: 'refused', after: { reason: 'This token has been revoked.' }, tenant_id: tenantId }]);
    expect(await refusal((await tokenOf({ expires_on: '2020-01-01' })).token)).toBe('401 This token has expired.');
    const { token } = await tokenOf();
    expect(await refusal(token)).toBe('accepted');
    const other = await newTenant();
    await rows('update tenant set enabled = false where tenant_id = $1', other);
    expect(await refusal((await tokenOf({ tenant_id: other })).token)).toBe('401 The tenant of this token is disabled.');
  });

  it('may be used from its networks alone', async () => {
    const { id, token } = await tokenOf({ networks: ['192.0.2.0/24'] });
    expect(await refusal(token, '192.0.2.9')).toBe('accepted');
    expect(await refusal(token, '198.51.100.1')).toBe('401 This token may not be used from 198.51.100.1.');
    expect(await refusal(token)).toBe('401 This token may not be used from an unknown address.');
    expect(await audits(id)).toHaveLength(1);
  });

  it('notes its use, at most once a minute', async () => {
    const used = async (id: string) =>
      (await rows<{ at: string | null }>('select last_used as at from token_grant where token_grant_id = $1', id))[0]?.at;
    const recent = new Date(Date.now() - 30_000).toISOString();
    const [fresh, recently, old] = [await tokenOf(), await tokenOf({ last_used: recent }), await tokenOf({ last_used: '2020-01-01' })];
    for (const { token } of [fresh, recently, old]) await check(token);
    for (const { id } of [fresh, old])
      await expect.poll(async () => Date.now() - Date.parse((await used(id)) ?? '2020-01-01')).toBeLessThan(60_000);
    expect(await used(recently.id)).toBe(recent);
  });
});

describe('a token with an owner', () => {
  it('does what its owner may do too', async () => {
    const [permission_set_id, owner_id] = [await setOf(view, edit), await owner([view])];
    const { token } = await tokenOf({ permission_set_id, owner_id });
    expect([...(await check(token)).permissions]).toEqual([[tenantId, new Set([view])]]);
    const everywhere = await tokenOf({ permission_set_id, owner_id: await owner([edit], null) });
    expect([...(await check(everywhere.token)).permissions]).toEqual([[tenantId, new Set([edit])]]);
  });

  it('is refused when the owner is disabled or may do none of it in its tenant', async () => {
    const permission_set_id = await setOf(view);
    const none = '401 The owner of this token no longer holds what it permits.';
    expect(await refusal((await tokenOf({ permission_set_id, owner_id: await owner([edit]) })).token)).toBe(none);
    expect(await refusal((await tokenOf({ permission_set_id, owner_id: await owner([view], await newTenant()) })).token)).toBe(none);
    expect(await refusal((await tokenOf({ scopes: ['ingest'], owner_id: await owner([view]) })).token)).toBe(none);
    // A token without permissions is accepted: its owner cannot have lost any of them.
    expect(await refusal((await tokenOf({ scopes: [], owner_id: await owner([]) })).token)).toBe('accepted');
    const owner_id = await owner([view]);
    await rows('update person set enabled = false where person_id = $1', owner_id);
    expect(await refusal((await tokenOf({ permission_set_id, owner_id })).token)).toBe('401 The owner of this token is disabled.');
  });
});

describe('the answer about a token', () => {
  it('is remembered for five seconds, until tokens change, or until it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const revoke = (id: string) => rows('update token_grant set revoked_on = now() where token_grant_id = $1', id);
    const { id, token } = await tokenOf();
    const first = await check(token);
    await revoke(id);
    vi.setSystemTime(Date.now() + 4_999);
    expect(await check(token)).toBe(first);
    vi.setSystemTime(Date.now() + 1);
    expect(await refusal(token)).toBe('401 This token has been revoked.');
    const other = await tokenOf();
    await check(other.token);
    await revoke(other.id);
    grants.forget();
    expect(await refusal(other.token)).toBe('401 This token has been revoked.');
    const short = await tokenOf({ expires_on: new Date(Date.now() + 1_000).toISOString() });
    expect(await refusal(short.token)).toBe('accepted');
    vi.setSystemTime(Date.now() + 1_000);
    expect(await refusal(short.token)).toBe('401 This token has expired.');
  });

  it('outlasts a database that stalls, where packets go to a stream, and is given up when a later read refuses it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { id, token } = await tokenOf();
    grants = createTokenGrants({ database, log: pino({ level: 'silent' }), outlasts: true });
    await check(token);
    const other = openDatabase({ url: test.url, max: 1, onError: () => undefined });
    await other.scoped('all').transaction(async (tx) => {
      await tx.query({ text: 'lock table token_grant in access exclusive mode' });
      vi.setSystemTime(Date.now() + 5_000);
      expect(await refusal(token)).toBe('accepted');
      // The read goes on; it is not begun again by each call.
      const waiting = await tx.query({ text: "select pid from pg_locks where relation = 'token_grant'::regclass and not granted" });
      expect(waiting).toHaveLength(1);
      expect(await Promise.all(Array.from({ length: 20 }, () => refusal(token)))).toEqual(Array(20).fill('accepted'));
      expect(database.load().waiting).toBe(0);
      await tx.query({ text: 'update token_grant set revoked_on = now() where token_grant_id = $1', values: [id] });
    });
    await other.close();
    await expect.poll(() => refusal(token)).toBe('401 This token has been revoked.');
  });
});
