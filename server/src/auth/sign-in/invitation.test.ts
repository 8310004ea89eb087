/** Which invitations are valid, and what accepting them gives, on a database and without mail. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { acceptInvitation, createInvitationToken, findInvitation, type OpenInvitation } from './invitation.ts';

let test: TestDatabase;
let database: Database;
let db: Db;
let tenantId: string;
let host: string;
let setId: string;

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
const set = (...permissions: string[]) =>
  idOf(
    'insert into permission_set (name, permissions) values (gen_random_uuid()::text, $1) returning permission_set_id as id',
    JSON.stringify(permissions),
  );
const person = (userName = `${randomUUID()}@example.org`) =>
  idOf("insert into person (name, user_name) values ('Person', $1) returning person_id as id", userName);
const grant = (personId: string, permissionSetId: string, at: string | null) =>
  rows('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', personId, permissionSetId, at);

beforeEach(async () => {
  tenantId = await idOf('insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id as id');
  [host, setId] = [await person(), await set('CloudFit.CFS.Devices:view')];
  await grant(host, await set('CloudFit.CFS.People:create'), tenantId);
});

interface InvitationFacts {
  email?: string;
  at?: string | null;
  hours?: number;
}
async function invite({ email = `${randomUUID()}@example.org`, at = tenantId, hours = 1 }: InvitationFacts = {}) {
  const { token, hash } = createInvitationToken();
  const id = await idOf(
    `insert into invitation (tenant_id, email, name, permission_set_id, invited_by, invited_by_kind, invited_by_id, token_hash, expires_on)
      values ($1, $2, 'Gus', $3, 'Host', 'person', $4, $5, now() + $6 * interval '1 hour') returning invitation_id as id`,
    at,
    email,
    setId,
    host,
    hash,
    hours,
  );
  return { id, token, email };
}
const find = (token: string) => findInvitation(db, token);
const isGood = async (token: string) => (await find(token)) !== undefined;
const accept = (invitation: OpenInvitation | undefined, hash?: string) =>
  invitation ? acceptInvitation(db, invitation, hash, '192.0.2.1') : Promise.resolve(undefined);

it('is found by its link alone, with what it gives and who gives it', async () => {
  const [one, other] = [await invite(), await invite()];
  const [names] = await rows<{ tenant: string; set: string }>(
    'select t.name as tenant, s.name as set from tenant t, permission_set s where t.tenant_id = $1 and s.permission_set_id = $2',
    tenantId,
    setId,
  );
  expect(await find(one.token)).toEqual({
    invitationId: one.id,
    email: one.email,
    name: 'Gus',
    tenantId,
    tenantName: names?.tenant,
    permissionSetId: setId,
    permissionSet: names?.set,
    invitedBy: 'Host',
    personId: null,
    byLink: false,
    others: [],
  });
  expect([one.token.length, await isGood(`${one.token}x`), (await find(other.token))?.invitationId]).toEqual([43, false, other.id]);
});

it('is good until it expires, while tenant and person are enabled and its host may invite', async () => {
  const late = await invite({ hours: -1 });
  expect(await isGood(late.token)).toBe(false);
  const ofGuest = await invite();
  const guest = await person(ofGuest.email.toUpperCase());
  expect((await find(ofGuest.token))?.personId).toBe(guest);
  await rows('update person set enabled = false where person_id = $1', guest);
  expect(await isGood(ofGuest.token)).toBe(false);
  const { token } = await invite();
  const everywhere = await invite({ at: null });
  // The host may invite to this tenant, and not to all.
  expect([await isGood(token), await isGood(everywhere.token)]).toEqual([true, false]);
  await grant(host, await set('CloudFit.CFS.People:create'), null);
  expect(await find(everywhere.token)).toMatchObject({ tenantId: null, tenantName: null });
  await rows('update tenant set enabled = false where tenant_id = $1', tenantId);
  expect([await isGood(token), await isGood(everywhere.token)]).toEqual([false, true]);
  await rows('update person set enabled = false where person_id = $1', host);
  expect(await isGood(everywhere.token)).toBe(false);
});

it('makes a person with a verified address, a password and the grant, once', async () => {
  const { id, token, email } = await invite();
  const other = await invite();
  const invitation = await find(token);
  await expect(accept(invitation)).rejects.toThrow('A new person needs a password.');
  expect(await isGood(token)).toBe(true);
  const outcomes = await Promise.all([accept(invitation, 'hash'), accept(invitation, 'hash')]);
  expect(outcomes.toSorted()).toEqual([false, true]);
  expect([await isGood(token), await accept(invitation, 'hash'), await isGood(other.token)]).toEqual([false, false, true]);
  interface CreatedPerson {
    id: string;
    name: string;
    email: string | null;
    verified: boolean;
    hash: string;
    at: string | null;
    set: string;
  }
  const [created] = await rows<CreatedPerson>(
    `select person_id as id, p.name, email, email_verified as verified, password_hash as hash, g.tenant_id as at, g.permission_set_id as set
      from person p join sign_in_password using (person_id) join access_grant g using (person_id) where user_name = $1`,
    email,
  );
  const personId = created?.id;
  expect(created).toEqual({ id: personId, name: 'Gus', email, verified: true, hash: 'hash', at: tenantId, set: setId });
  const audit = await rows(
    'select verb, entity, actor_id as by, address from audit where tenant_id = $1 and entity = any($2) order by audit_id',
    tenantId,
    ['people', 'invitations', 'grants'],
  );
  expect(audit).toEqual(
    [
      ['create', 'people'],
      ['accept', 'invitations'],
      ['create', 'grants'],
    ].map(([verb, entity]) => ({ verb, entity, by: personId, address: '192.0.2.1' })),
  );
  expect(
    await rows('select person_id from invitation where invitation_id = any($1) order by invitation_id = $2', [id, other.id], id),
  ).toEqual([{ person_id: null }, { person_id: personId }]);
});

it('gives somebody who has an account the grant, unless they have it, and nothing when it expired meanwhile', async () => {
  const { token, email } = await invite();
  const guest = await person(email);
  const invitation = await find(token);
  expect(await accept(invitation)).toBe(true);
  const grants = () => rows('select tenant_id from access_grant where person_id = $1', guest);
  expect(await grants()).toEqual([{ tenant_id: tenantId }]);
  const again = await invite({ email });
  expect(await accept(await find(again.token))).toBe(true);
  expect(await grants()).toHaveLength(1);
  expect(await rows("select 1 from audit where entity = 'grants' and tenant_id = $1", tenantId)).toHaveLength(1);
  const late = await invite({ email, at: tenantId });
  const expiring = await find(late.token);
  await rows("update invitation set expires_on = now() - interval '1 s' where invitation_id = $1", late.id);
  expect(await accept(expiring)).toBe(false);
});
