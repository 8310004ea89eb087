/** Long work checks whether its owner may continue: each way of losing the permission stops it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, type TestWorld } from '../testing/world.ts';
import { currentPermissions, isStillPermitted } from './current-permissions.ts';

const permission: Permission = 'CloudFit.CFS.Rules:view';
let world: TestWorld;
let home: string;
let away: string;
let setId: string;

beforeAll(async () => {
  world = await createWorld();
  home = (await world.tenant()).tenantId;
  away = (await world.tenant()).tenantId;
});
afterAll(() => world.close());

async function idOf(text: string, ...values: unknown[]): Promise<string> {
  const [row] = await world.system.db.query<{ id: string }>({ text, values });
  if (!row) throw new Error('No row was written.');
  return row.id;
}
const run = (text: string, ...values: unknown[]) => world.system.db.query({ text, values });
const may = (kind: 'person' | 'token', id: string, tenantId: string | null = home) =>
  isStillPermitted(world.system.db, { kind, id }, permission, tenantId);

beforeEach(async () => {
  setId = await idOf(
    'insert into permission_set (name, permissions) values ($1, $2) returning permission_set_id as id',
    crypto.randomUUID(),
    JSON.stringify([permission]),
  );
});

const person = (claims: string[] = []) =>
  idOf("insert into person (name, user_name, claims) values ('P', $1, $2) returning person_id as id", crypto.randomUUID(), claims);
const grant = (personId: string | null, claim: string | null, tenantId: string | null) =>
  run(
    'insert into access_grant (person_id, claim, permission_set_id, tenant_id) values ($1, $2, $3, $4)',
    personId,
    claim,
    setId,
    tenantId,
  );

it('lets a person go on while a grant covers the tenant', async () => {
  const id = await person();
  await grant(id, null, home);
  expect([await may('person', id), await may('person', id, away)]).toEqual([true, false]);
  const everywhere = await person();
  await grant(everywhere, null, null);
  expect([await may('person', everywhere), await may('person', everywhere, away)]).toEqual([true, true]);
});

it('stops a person who is disabled', async () => {
  const id = await person();
  await grant(id, null, home);
  await run('update person set enabled = false where person_id = $1', id);
  expect(await may('person', id)).toBe(false);
});

it('stops a person who lost the grant, the permission or the group', async () => {
  const id = await person();
  expect(await may('person', id)).toBe(false);
  await grant(id, null, home);
  await run("update permission_set set permissions = '[]' where permission_set_id = $1", setId);
  expect(await may('person', id)).toBe(false);
  await run('update permission_set set permissions = $2 where permission_set_id = $1', setId, JSON.stringify([permission]));
  const member = await person(['desk']);
  await grant(null, 'desk', home);
  expect(await may('person', member)).toBe(true);
  await run("update person set claims = '{}' where person_id = $1", member);
  expect(await may('person', member)).toBe(false);
});

interface TokenColumns {
  tenantId?: string | null;
  expires?: string | null;
  ownerId?: string | null;
}
const token = ({ tenantId = home, expires = null, ownerId = null }: TokenColumns = {}) =>
  idOf(
    `insert into token_grant (tenant_id, name, token_hash, token_hint, permission_set_id, expires_on, owner_id)
      values ($1, 'T', sha256(gen_random_uuid()::text::bytea), 'cfst_', $2, $3, $4) returning token_grant_id as id`,
    tenantId,
    setId,
    expires,
    ownerId,
  );

it('stops a token that is revoked or has expired, and one of another tenant', async () => {
  const id = await token({ expires: '2999-01-01' });
  expect([await may('token', id), await may('token', id, away)]).toEqual([true, false]);
  expect(await may('token', await token({ tenantId: null }), away)).toBe(true);
  expect(await may('token', await token({ expires: '2020-01-01' }))).toBe(false);
  expect(await may('token', crypto.randomUUID())).toBe(false);
  await run('update token_grant set revoked_on = now() where token_grant_id = $1', id);
  expect(await may('token', id)).toBe(false);
});

it('stops a token of whose owner the permission was taken, and leaves it what both hold', async () => {
  const owner = await person();
  await grant(owner, null, home);
  const permissions = JSON.stringify([permission, 'CloudFit.CFS.Rules:edit']);
  const ofToken = await idOf(
    'insert into permission_set (name, permissions) values ($1, $2) returning permission_set_id as id',
    crypto.randomUUID(),
    permissions,
  );
  const id = await token({ ownerId: owner });
  await run('update token_grant set permission_set_id = $2 where token_grant_id = $1', id, ofToken);
  expect([...(await currentPermissions(world.system.db, { kind: 'token', id }, home))]).toEqual([permission]);
  // The token is for all tenants, but its owner has no permissions in the tenant `away`.
  expect(await may('token', await token({ tenantId: null, ownerId: owner }), away)).toBe(false);
  await run('delete from access_grant where person_id = $1', owner);
  expect(await may('token', id)).toBe(false);
});

it('stops everybody in a tenant that is disabled, and nobody elsewhere', async () => {
  const closed = (await world.tenant()).tenantId;
  const [inClosed, inBoth] = [await person(), await person()];
  for (const [id, tenantId] of [
    [inClosed, closed],
    [inBoth, closed],
    [inBoth, home],
  ] as const)
    await grant(id, null, tenantId);
  const id = await token({ tenantId: closed });
  expect([await may('person', inClosed, closed), await may('token', id, closed)]).toEqual([true, true]);
  await run('update tenant set enabled = false where tenant_id = $1', closed);
  expect([await may('person', inClosed, closed), await may('token', id, closed)]).toEqual([false, false]);
  expect([await may('person', inBoth), await may('token', await token())]).toEqual([true, true]);
});

it('asks for all tenants where work is of none, and never stops the system', async () => {
  const [local, everywhere] = [await person(), await person()];
  await grant(local, null, home);
  await grant(everywhere, null, null);
  expect([await may('person', local, null), await may('person', everywhere, null)]).toEqual([false, true]);
  expect(await isStillPermitted(world.system.db, { kind: 'system', id: null }, permission, home)).toBe(true);
});
