/** How sign-ins end, what the audit says of people, and whose names a caller may see, on one database. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { recordAboutPerson, recordAudit, recordChange } from './audit-entry.ts';
import { displayNames, namesOfPeople } from './people-names.ts';
import { endSubscription } from './push/subscriptions.ts';
import { revokeToken, watchRevokedTokens } from './revoked-tokens.ts';
import { endSession, endSessionOf, endSessions, listSessions, lockOut } from './sessions.ts';
import { createOneTimeLink, ensureFirstAdministrator, findLinkOwner, redeemLink } from './sign-in/one-time-link.ts';

let test: TestDatabase;
let database: Database;
let db: Db;
let ada: string;
let eve: string;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 4, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await test.close();
});

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
const idOf = async (text: string, ...values: unknown[]) => (await db.query<{ id: string }>({ text, values }))[0]?.id ?? '';
const tenant = () => idOf('insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id as id');
const person = (name = 'Ada') =>
  idOf("insert into person (name, user_name) values ($1, gen_random_uuid()::text || '@Example.org') returning person_id as id", name);
const set = () =>
  idOf("insert into permission_set (name, permissions) values (gen_random_uuid()::text, '[]') returning permission_set_id as id");
const grant = async (personId: string, tenantId: string | null) =>
  rows('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', personId, await set(), tenantId);
beforeEach(async () => {
  [ada, eve] = [await person(), await person('Eve')];
});

async function session(personId: string, { amr = ['pwd'], loginTs = 1_700_000_000, model = 'Session', live = true } = {}): Promise<string> {
  const uid = randomUUID();
  await rows(
    "insert into identity_item (model, id, payload, account_id, uid, expires_at) values ($1, $2, $3, $4, $2, now() + $5 * interval '1 hour')",
    model,
    uid,
    JSON.stringify({ loginTs, amr }),
    personId,
    live ? 1 : -1,
  );
  return uid;
}
async function subscription(personId: string, sessionId: string | null = null): Promise<string> {
  const text = `insert into push_subscription (person_id, endpoint, p256dh, auth, browser, session_id)
    values ($1, gen_random_uuid()::text, 'k', 'a', 'Firefox', $2) returning push_subscription_id as id`;
  return idOf(text, personId, sessionId);
}
const subscriptions = async (personId: string) => (await rows('select 1 from push_subscription where person_id = $1', personId)).length;
const items = async (personId: string) => (await rows('select 1 from identity_item where account_id = $1', personId)).length;
const revocation = async (id: string) => {
  const [row] = await rows<{ seconds: number }>(
    'select extract(epoch from expires_on - now())::int as seconds from revoked_token where revoked_id = $1',
    id,
  );
  return row?.seconds;
};
const endsOfMessages = (id: string) => rows("select before, after from audit where entity = 'pushSubscriptions' and entity_id = $1", id);

describe('the sessions of a person', () => {
  it('are listed, the newest first, with their factors', async () => {
    const first = await session(ada);
    const second = await session(ada, { loginTs: 1_700_000_100, amr: ['pwd', 'otp'] });
    const third = await session(ada, { loginTs: 1_700_000_050, amr: ['pop'] });
    await session(ada, { live: false });
    await session(ada, { model: 'Grant' });
    await session(eve);
    await rows("update identity_item set payload = payload - 'amr' where uid = $1", first);
    expect(await listSessions(db, ada)).toEqual([
      { uid: second, signedInOn: '2023-11-14T22:15:00.000Z', withPasskey: false, withCode: true },
      { uid: third, signedInOn: '2023-11-14T22:14:10.000Z', withPasskey: true, withCode: false },
      { uid: first, signedInOn: '2023-11-14T22:13:20.000Z', withPasskey: false, withCode: false },
    ]);
  });

  it('end together, but for the one that is kept, with what belongs to them', async () => {
    const [remaining, ended, theirs] = [await session(ada), await session(ada), await session(eve)];
    await session(ada, { model: 'RefreshToken' });
    const [message] = [await subscription(ada, ended), await subscription(ada, remaining), await subscription(eve, theirs)];
    expect(await endSessions(db, ada, remaining)).toBe(1);
    expect([await items(ada), await items(eve), await subscriptions(ada), await subscriptions(eve)]).toEqual([1, 1, 1, 1]);
    expect([await revocation(remaining), await revocation(theirs)]).toEqual([undefined, undefined]);
    // The revocation lasts as long as an access token (600 s), and up to a minute more.
    expect(await revocation(ended)).toBeGreaterThan(600);
    expect(await revocation(ended)).toBeLessThanOrEqual(660);
    expect(await endsOfMessages(message)).toEqual([
      { before: { personId: ada, browser: 'Firefox' }, after: { why: 'The sign-in has ended.' } },
    ]);
    expect([await endSessions(db, ada), await endSessions(db, ada), await items(ada), await items(eve)]).toEqual([1, 0, 0, 1]);
  });

  it('end one by one, by their own person', async () => {
    const [one, other, theirs] = [await session(ada), await session(ada), await session(eve)];
    const grantItem = await session(ada, { model: 'Grant' });
    const end = (uid: string) => endSessionOf(db, ada, uid);
    expect([await end(theirs), await end(grantItem), await end(one), await end(one)]).toEqual([false, false, true, false]);
    expect([await items(ada), await items(eve), await revocation(theirs), await revocation(other)]).toEqual([2, 1, undefined, undefined]);
    expect(await revocation(one)).toBeGreaterThan(0);
  });

  it('end for who is disabled, as messages to all browsers and links do', async () => {
    await session(ada);
    await session(eve);
    const [message] = [await subscription(ada), await subscription(eve)];
    const linkOf = async (id: string) => (await createOneTimeLink(db, id, 'https://x')).split('/').at(-1) ?? '';
    const [link, theirs] = [await linkOf(ada), await linkOf(eve)];
    await lockOut(db, ada);
    expect([await items(ada), await items(eve), await subscriptions(ada), await subscriptions(eve)]).toEqual([0, 1, 0, 1]);
    expect(await endsOfMessages(message)).toMatchObject([{ after: { why: 'The person was disabled.' } }]);
    expect([await findLinkOwner(db, link), (await findLinkOwner(db, theirs))?.personId]).toEqual([undefined, eve]);
  });

  it('lose one browser for messages, which belongs to the person', async () => {
    const [one, theirs] = [await subscription(ada), await subscription(eve)];
    await subscription(ada);
    const because = { actor: { kind: 'person' as const, id: ada, name: 'ada' }, why: 'w', correlationId: randomUUID() };
    expect([await endSubscription(db, ada, theirs, because), await endSubscription(db, ada, one, because)]).toEqual([false, true]);
    expect([await endSubscription(db, ada, one, because), await subscriptions(ada), await subscriptions(eve)]).toEqual([false, 1, 1]);
  });
});

describe('a revocation', () => {
  afterEach(() => vi.useRealTimers());

  it('lasts as long as the longest that was asked for', async () => {
    const id = randomUUID();
    const until = (minutes: number) => revokeToken(db, id, new Date(Date.now() + minutes * 60_000));
    await until(10);
    await until(5);
    expect(await revocation(id)).toBeGreaterThan(630);
    await until(20);
    expect(await revocation(id)).toBeGreaterThan(1_230);
  });

  it('is known to every server, when it begins, is found later, and is over', async () => {
    const [before, expired] = [randomUUID(), randomUUID()];
    await revokeToken(db, before, new Date(Date.now() + 60_000));
    await rows("insert into revoked_token (revoked_id, expires_on) values ($1, now() - interval '1 minute')", expired);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let calls = 0;
    const errors: unknown[] = [];
    const revoked = await watchRevokedTokens(
      database,
      (error) => errors.push(error),
      () => (calls += 1),
    );
    expect([revoked.has(before), revoked.has(expired), revoked.has('x')]).toEqual([true, false, false]);
    const now = randomUUID();
    await revokeToken(db, now, new Date(Date.now() + 60_000));
    await expect.poll(() => [revoked.has(now), calls > 0]).toEqual([true, true]);
    // Simulates a lost notification: the reload finds the new entry and drops the expired one.
    const lost = randomUUID();
    await rows("insert into revoked_token (revoked_id, expires_on) values ($1, now() + interval '1 hour')", lost);
    await rows("update revoked_token set expires_on = now() - interval '1 s' where revoked_id = $1", before);
    const learnt = Date.now();
    while (Date.now() <= learnt) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(300_000);
    await expect.poll(() => [revoked.has(lost), revoked.has(before), revoked.has(now)]).toEqual([true, false, true]);
    expect([await rows('select 1 from revoked_token where expires_on < now()'), errors]).toEqual([[], []]);
    const counted = calls;
    await rows("select pg_notify('revoked', '')");
    await expect.poll(() => calls).toBeGreaterThan(counted);
    await revoked.close();
    const late = randomUUID();
    await revokeToken(db, late, new Date(Date.now() + 60_000));
    expect(revoked.has(late)).toBe(false);
  });
});

describe('an entry about a person', () => {
  const entry = (id: string) => ({
    actor: { kind: 'person' as const, id, name: 'ada' },
    verb: 'sign-in',
    entity: 'people',
    entityId: id,
    after: { method: 'password' },
    correlationId: randomUUID(),
    address: '192.0.2.1',
  });
  const places = async (id: string) =>
    (await rows<{ tenant_id: string | null }>('select tenant_id from audit where entity_id = $1 order by 1', id)).map(
      (row) => row.tenant_id,
    );

  it('stands in each tenant where they have permissions, and in the installation where these are all, many or none', async () => {
    const tenants = (await Promise.all(Array.from({ length: 21 }, tenant))).toSorted();
    await recordAboutPerson(db, ada, entry(ada));
    expect(await places(ada)).toEqual([null]);
    const [two, twenty, many, all] = [await person(), await person(), await person(), await person()];
    for (const tenantId of tenants.slice(0, 2)) for (let i = 0; i < 2; i++) await grant(two, tenantId);
    for (const tenantId of tenants.slice(0, 20)) await grant(twenty, tenantId);
    for (const tenantId of tenants) await grant(many, tenantId);
    for (const tenantId of [null, tenants[0] ?? '']) await grant(all, tenantId);
    for (const id of [two, twenty, many, all]) await recordAboutPerson(db, id, entry(id));
    expect(await Promise.all([two, twenty, many, all].map(places))).toEqual([tenants.slice(0, 2), tenants.slice(0, 20), [null], [null]]);
  });

  it('keeps what was before and after, and a change is told to lists', async () => {
    const tenantId = await tenant();
    await recordChange(db, { ...entry(ada), tenantId, before: { a: 1 } });
    await recordAudit(db, { ...entry(eve), address: undefined });
    const entriesOf = (id: string) => rows('select tenant_id, actor_kind, before, after, address from audit where entity_id = $1', id);
    expect([await entriesOf(ada), await entriesOf(eve)]).toEqual([
      [{ tenant_id: tenantId, actor_kind: 'person', before: { a: 1 }, after: { method: 'password' }, address: '192.0.2.1' }],
      [{ tenant_id: null, actor_kind: 'person', before: null, after: { method: 'password' }, address: null }],
    ]);
    const changes = (id: string) => rows('select tenant_id, verb, entity from change where entity_id = $1', id);
    expect([await changes(ada), await changes(eve)]).toEqual([[{ tenant_id: tenantId, verb: 'sign-in', entity: 'people' }], []]);
  });
});

describe('the names of people', () => {
  it('are those of people of the same tenants, of all to who sees all, and the own', async () => {
    const [home, away] = [await tenant(), await tenant()];
    const [here, there, everywhere] = [await person('Here'), await person('There'), await person('Everywhere')];
    await grant(here, home);
    await grant(there, away);
    await grant(everywhere, null);
    const ids = [here, there, everywhere, ada];
    const people = await rows<{ id: string; user_name: string }>(
      'select person_id as id, user_name from person where person_id = any($1)',
      ids,
    );
    const userNames = ids.map((id) => people.find((person) => person.id === id)?.user_name ?? '');
    const requestedNames = userNames.map((name, i) => (i % 2 ? ` ${name.toUpperCase()} ` : name));
    const names = async (tenants: 'all' | string[], self?: string) =>
      (await namesOfPeople(db, { tenants, unitTenants: [], self }, requestedNames)).map(({ name }) => name).toSorted();
    expect(await names([home])).toEqual(['Everywhere', 'Here']);
    expect(await names([home, away], ada)).toEqual(['Ada', 'Everywhere', 'Here', 'There']);
    expect([await names('all'), await names([]), await names([], ada)]).toEqual([['Ada', 'Everywhere', 'Here', 'There'], [], ['Ada']]);
    const nameOf = await displayNames(db, home, [...requestedNames, null, undefined, '']);
    expect([...requestedNames, 'nobody'].map(nameOf)).toEqual(['Here', requestedNames[1], 'Everywhere', requestedNames[3], 'nobody']);
    expect((await displayNames({ query: () => Promise.reject(new Error('Asked.')) } as unknown as Db, home, [null]))('x')).toBe('x');
  });
});

describe('a link to choose a password', () => {
  const link = async (id = ada) => (await createOneTimeLink(db, id, 'https://ops')).replace('https://ops/idp/set-password/', '');
  const owner = async (token: string) => (await findLinkOwner(db, token))?.personId;
  const redeem = (token: string) =>
    redeemLink(db, token, { personId: ada, name: 'Ada', userName: 'ada' }, 'hash', { correlationId: randomUUID() });
  const hash = async (id: string) =>
    (await rows<{ hash: string }>('select password_hash as hash from sign_in_password where person_id = $1', id))[0]?.hash;

  it('is good once, for an hour, until there is another, and while its person is enabled', async () => {
    const [first, theirs] = [await link(), await link(eve)];
    expect(first).toMatch(/^[\w-]{43}$/);
    expect([await owner(first), await owner(`${first}x`)]).toEqual([ada, undefined]);
    const second = await link();
    expect([await owner(first), await redeem(first), await owner(second), await owner(theirs)]).toEqual([undefined, false, ada, eve]);
    const [life] = await rows(
      'select extract(epoch from expires_on - created)::int as seconds from one_time_link where person_id = $1',
      eve,
    );
    expect(life).toEqual({ seconds: 3_600 });
    const sessionId = await session(ada);
    expect([await redeem(second), await redeem(second), await owner(second), await hash(ada), await hash(eve)]).toEqual([
      true,
      false,
      undefined,
      'hash',
      undefined,
    ]);
    expect([await items(ada), (await revocation(sessionId)) !== undefined]).toEqual([0, true]);
    expect(await rows('select verb, actor_name from audit where entity_id = $1', ada)).toEqual([
      { verb: 'set-password', actor_name: 'ada' },
    ]);
    const late = await link();
    await rows("update one_time_link set expires_on = now() - interval '1 s' where person_id = $1 and used_on is null", ada);
    expect([await owner(late), await redeem(late), await owner(theirs)]).toEqual([undefined, false, eve]);
    await rows('update person set enabled = false where person_id = $1', eve);
    expect(await owner(theirs)).toBeUndefined();
  });

  it('goes to the administrator of a new installation, once', async () => {
    const set = '00000000-0000-4000-8000-0000000000a1';
    await rows(
      "insert into permission_set (permission_set_id, name, permissions) values ($1, 'Administrator', '[]') on conflict do nothing",
      set,
    );
    await rows('delete from access_grant');
    const email = `${randomUUID()}@example.org`;
    const links = await Promise.all([1, 2].map(() => ensureFirstAdministrator(db, { publicUrl: 'https://ops', email })));
    const [created = ''] = links.filter((link) => link !== undefined);
    expect(links.filter((link) => link === undefined)).toHaveLength(1);
    expect((await findLinkOwner(db, created.split('/').at(-1) ?? ''))?.userName).toBe(email);
    expect(await rows('select permission_set_id, tenant_id from access_grant')).toEqual([{ permission_set_id: set, tenant_id: null }]);
    const [entry] = await rows('select actor_kind, verb, after from audit where after ->> $1 = $2', 'userName', email);
    expect(entry).toMatchObject({ actor_kind: 'system', verb: 'create', after: { permissionSet: 'Administrator', tenant: null } });
    // A disabled person becomes the administrator if nobody else has permissions.
    await rows('delete from access_grant');
    await rows('update person set enabled = false where user_name = $1', email);
    const again = await ensureFirstAdministrator(db, { publicUrl: 'https://ops', email });
    expect((await findLinkOwner(db, again?.split('/').at(-1) ?? ''))?.userName).toBe(email);
    await rows('delete from access_grant');
    const byDefault = await ensureFirstAdministrator(db, { publicUrl: 'https://ops' });
    expect((await findLinkOwner(db, byDefault?.split('/').at(-1) ?? ''))?.userName).toBe('admin@localhost');
  });
});

it('ends the messages of a session that ends, and not those of others', async () => {
  const uid = randomUUID();
  await subscription(ada, uid);
  await subscription(ada, randomUUID());
  await endSession(db, uid);
  expect(await subscriptions(ada)).toBe(1);
});
