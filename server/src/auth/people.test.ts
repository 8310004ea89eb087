/** How the claims of a provider identify a person, and what that person may do. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { sampleDirectory } from '../testing/sample-directory.ts';
import type { Claims } from './claims.ts';
import { identityOf, personAccess, signedInOf } from './people.ts';
import type { TokenIssuer } from './token-issuer.ts';

describe('the claims of a person', () => {
  const of = (claims: Claims, trustsEmail?: boolean) =>
    signedInOf(claims, 'subject-1', { groupsClaim: 'realm.groups', ...(trustsEmail === undefined ? {} : { trustsEmail }) });

  it('give the name at the provider, the address, the picture, the groups and the times', () => {
    const claims = {
      name: ' Ada ',
      preferred_username: 'ada.l',
      email: 'ada@example.org',
      picture: `https://example.org/${'p'.repeat(2_000)}`,
      realm: { groups: ['b', 'a'] },
      auth_time: 1_700_000_000,
      iat: 1_700_000_500,
    };
    expect(of(claims)).toEqual({
      subject: 'subject-1',
      name: 'Ada',
      userName: 'ada.l',
      email: 'ada@example.org',
      emailVerified: false,
      picture: claims.picture.slice(0, 2_000),
      groups: ['a', 'b'],
      at: 1_700_000_000,
      authenticatedAt: 1_700_000_000,
    });
    const { auth_time: _time, ...noTime } = claims;
    expect(of(noTime)).toMatchObject({ at: 1_700_000_500, authenticatedAt: undefined });
    expect(of({ ...claims, auth_time: '1700000000' }).authenticatedAt).toBeUndefined();
  });

  it('may be missing', () => {
    const { at, ...rest } = of({});
    const empty = { name: 'subject-1', userName: 'subject-1', email: null, emailVerified: false, picture: null, groups: [] };
    expect(rest).toEqual({ ...empty, subject: 'subject-1', authenticatedAt: undefined });
    expect(Math.abs(at - Date.now() / 1_000)).toBeLessThan(60);
    const long = 's'.repeat(321);
    expect(signedInOf({}, long, { groupsClaim: 'groups' }).userName).toBe(long.slice(0, 320));
  });

  it('verify an address by the flag of the provider, or by the trust of the operator where there is none', () => {
    const email = 'ada@example.org';
    const verified = (flag?: unknown, trusts?: boolean) => of({ email, ...(flag === undefined ? {} : { email_verified: flag }) }, trusts);
    for (const [flag, trusts, expected] of [
      [true, undefined, true],
      ['true', undefined, true],
      [true, false, true],
      [undefined, true, true],
      [null, true, true],
      [undefined, false, false],
      [undefined, undefined, false],
      [null, false, false],
      [false, true, false],
      ['false', true, false],
      [1, true, false],
    ] as const) {
      const { emailVerified, userName } = verified(flag, trusts);
      expect([flag, trusts, emailVerified, userName]).toEqual([flag, trusts, expected, expected ? email : 'subject-1']);
    }
    expect(of({ email_verified: true }, true).emailVerified).toBe(false);
  });

  it('name nobody by an address as the name, unless the operator trusts it', () => {
    const claims = { preferred_username: 'chief@example.org' };
    expect([of(claims).userName, of(claims, false).userName, of(claims, true).userName]).toEqual([
      'subject-1',
      'subject-1',
      'chief@example.org',
    ]);
    expect(of({ preferred_username: 'chief', email: 'c@example.org' }).userName).toBe('chief');
    expect(of({ preferred_username: 'chief', email: 'c@example.org', email_verified: true }).userName).toBe('c@example.org');
  });
});

describe('in the database', () => {
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

  const userinfoTokens: string[] = [];
  const issuerOf = (userinfo?: () => Promise<Claims>): TokenIssuer => ({
    issuer: 'https://id.example.org',
    audience: 'cloudfit',
    algorithms: [],
    groupsClaim: 'groups',
    keys: () => Promise.reject(new Error('Not needed.')),
    embedded: false,
    ...(userinfo ? { userinfo: (token: string) => (userinfoTokens.push(token), userinfo()) } : {}),
  });
  const origin = () => ({ correlationId: randomUUID(), address: '192.0.2.1' });
  const identify = (claims: Claims, issuer = issuerOf()) => identityOf(db, issuer, claims, 'the token', origin());
  const stored = async (personId: string) =>
    (
      await rows<Record<string, unknown>>(
        `select name, user_name as "userName", email, email_verified as verified, picture, claims, extract(epoch from last_sign_in)::int as at
          from person where person_id = $1`,
        personId,
      )
    )[0];

  describe('a person of a foreign provider', () => {
    it('keeps what a later token says, and what it does not say', async () => {
      const sub = randomUUID();
      const email = `${sub}@example.org`;
      const full = { sub, name: 'Ada', email, email_verified: true, picture: 'https://x/1', groups: ['desk'], iat: 1_700_000_000 };
      const { personId, groups } = await identify(full);
      const { personId: other } = await identify({ ...full, sub: randomUUID(), email: `o${email}` });
      expect(groups).toEqual(['desk']);
      const first = { name: 'Ada', userName: email, email, verified: true, picture: 'https://x/1', claims: ['desk'], at: 1_700_000_000 };
      expect(await stored(personId)).toEqual(first);
      const modified = () => idOf('select modified::text as id from person where person_id = $1', personId);
      const before = await modified();
      await identify({ ...full, iat: 1_600_000_000 });
      expect([await stored(personId), await modified()]).toEqual([first, before]);
      expect(await identify({ sub, name: 'Ada B.', iat: 1_700_000_100 })).toEqual({ personId, groups: [] });
      expect(await stored(personId)).toEqual({ ...first, name: 'Ada B.', claims: [], at: 1_700_000_100 });
      await identify({ ...full, email: `new-${email}`, email_verified: false });
      expect(await stored(personId)).toMatchObject({ email: `new-${email}`, verified: false, userName: email });
      expect(await stored(other)).toMatchObject({ name: 'Ada', email: `o${email}` });
      const audit = await rows<object>('select actor_id, actor_name, verb, entity, after from audit where entity_id = $1', personId);
      expect(audit).toEqual([
        {
          actor_id: personId,
          actor_name: email,
          verb: 'create',
          entity: 'people',
          after: { name: 'Ada', userName: email, email, issuer: 'https://id.example.org', subject: sub },
        },
      ]);
    });

    it('is the one whom SCIM has made, with the groups of SCIM, and no other', async () => {
      const directoryId = await idOf(sampleDirectory, 'scim');
      const provision = async (userName: string, externalId: string | null) => {
        const id = await idOf(
          'insert into person (name, user_name, claims, directory_id) values ($1, $1, $2, $3) returning person_id as id',
          userName,
          ['scim:Desk'],
          directoryId,
        );
        await rows(
          "insert into provisioned_person (person_id, directory_id, user_name, external_id, profile, active) values ($1, $2, $3, $4, '{}', true)",
          id,
          directoryId,
          userName,
          externalId,
        );
        return id;
      };
      const [sub, other] = [randomUUID(), randomUUID()];
      const byKey = await provision(`${sub}@key.example`, sub);
      expect((await identify({ sub, groups: ['Admins'] })).personId).toBe(byKey);
      expect(await stored(byKey)).toMatchObject({ claims: ['scim:Desk'] });
      const byName = await provision(`${other}@name.example`, null);
      // An address that nobody has verified is nobody's.
      expect((await identify({ sub: randomUUID(), email: `${other}@name.example` })).personId).not.toBe(byName);
      expect((await identify({ sub: other, email: `${other}@name.example`, email_verified: true })).personId).toBe(byName);
      // Once linked, the name leads nobody else to the person.
      expect((await identify({ sub: randomUUID(), email: `${other}@name.example`, email_verified: true })).personId).not.toBe(byName);
    });

    it('takes the name of nobody else', async () => {
      const email = `${randomUUID()}@example.org`;
      const [first, second] = [randomUUID(), randomUUID()];
      await identify({ sub: first, email, email_verified: true });
      const { personId } = await identify({ sub: second, email: email.toUpperCase(), email_verified: true });
      expect(await stored(personId)).toMatchObject({ userName: `${email.toUpperCase()} (${second})` });
    });

    it('is asked for at userinfo where the token lacks name, address or groups', async () => {
      const sub = randomUUID();
      const email = `${sub}@example.org`;
      const userinfo = { sub, name: 'Una', email, email_verified: true, groups: ['info'] };
      const issuer = issuerOf(() => Promise.resolve(userinfo));
      userinfoTokens.length = 0;
      expect((await identify({ sub, name: 'T', email, groups: [] }, issuer)).groups).toEqual([]);
      expect(userinfoTokens).toEqual([]);
      for (const claims of [
        { sub, email, groups: [] },
        { sub, name: 'T', groups: [] },
        { sub, name: 'T', email },
      ])
        await identify(claims, issuer);
      expect(userinfoTokens).toEqual(['the token', 'the token', 'the token']);
      const { personId, groups } = await identify({ sub }, issuer);
      expect([await stored(personId), groups]).toMatchObject([{ name: 'Una', email, verified: true }, ['info']]);
      // The flag refers to the address in the same claims; claims of the token take precedence.
      await identify({ sub, email: `other-${email}` }, issuer);
      expect(await stored(personId)).toMatchObject({ email: `other-${email}`, verified: false });
      await identify({ sub, email }, issuer);
      expect(await stored(personId)).toMatchObject({ email, verified: true });
      await identify({ sub, email_verified: false }, issuer);
      expect(await stored(personId)).toMatchObject({ email, verified: false });
    });

    it('is not who userinfo says when that is about somebody else, or fails', async () => {
      for (const userinfo of [
        () => Promise.resolve({ sub: 'somebody', name: 'Mallory' }),
        () => Promise.resolve({ name: 'Mallory' }),
        () => Promise.reject(new Error('The provider is away.')),
        undefined,
      ]) {
        const sub = randomUUID();
        const { personId } = await identify({ sub }, issuerOf(userinfo));
        expect(await stored(personId)).toMatchObject({ name: sub });
      }
    });

    it('is audited once for each time of a sign-in at the provider', async () => {
      const sub = randomUUID();
      const others = await identify({ sub: randomUUID(), auth_time: 1_700_000_000 });
      const { personId } = await identify({ sub });
      for (const auth_time of [1_700_000_000, 1_700_000_000, 1_699_999_999, 1_700_000_001]) await identify({ sub, auth_time });
      const audits = (id: string) =>
        rows<object>("select actor_name as name, after, address from audit where entity_id = $1 and verb = 'sign-in'", id);
      expect(await audits(personId)).toEqual(
        ['2023-11-14T22:13:20.000Z', '2023-11-14T22:13:21.000Z'].map((at) => ({
          name: sub,
          after: { method: 'provider', at },
          address: '192.0.2.1',
        })),
      );
      expect(await audits(others.personId)).toHaveLength(1);
    });

    it('is asked to try again where somebody else took the name at the same moment', async () => {
      const query = () => Promise.resolve([]);
      const busy = { query, transaction: (run: (tx: object) => unknown) => run({ query }) } as unknown as Db;
      await expect(identityOf(busy, issuerOf(), { sub: 'a' }, 'the token', origin())).rejects.toMatchObject({ code: 'Unavailable' });
    });

    it('is made once by two tokens of the same moment', async () => {
      const sub = randomUUID();
      await identify({ sub: randomUUID() });
      const people = await Promise.all([identify({ sub }), identify({ sub })]);
      expect(new Set(people.map(({ personId }) => personId)).size).toBe(1);
    });
  });

  it('the subject of the embedded provider is an id, without a row of its own', async () => {
    const embedded = { ...issuerOf(), embedded: true };
    const sub = randomUUID();
    expect(await identify({ sub, groups: 'a b' }, embedded)).toEqual({ personId: sub, groups: ['a', 'b'] });
    await expect(identify({ sub: 'ada' }, embedded)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  describe('the access of a person', () => {
    const tenant = () => idOf('insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id as id');
    const set = (permission: string) =>
      idOf(
        'insert into permission_set (name, permissions) values (gen_random_uuid()::text, $1) returning permission_set_id as id',
        JSON.stringify([permission]),
      );
    const person = () => idOf("insert into person (name, user_name) values ('Ada', gen_random_uuid()::text) returning person_id as id");
    const grant = async (who: { personId?: string; claim?: string }, permission: string, tenantId: string | null) =>
      rows(
        'insert into access_grant (person_id, claim, permission_set_id, tenant_id) values ($1, $2, $3, $4)',
        who.personId ?? null,
        who.claim ?? null,
        await set(permission),
        tenantId,
      );
    const access = (personId: string, groups: string[] = [], tokenIds: string[] = []) => personAccess(db, { personId, groups }, tokenIds);

    it('is that of their grants and of those of their groups, which rest in disabled tenants', async () => {
      const [open, closed, foreign, away] = [await tenant(), await tenant(), await tenant(), await tenant()];
      const [ada, other, group, otherGroup] = [await person(), await person(), randomUUID(), randomUUID()];
      await grant({ personId: ada }, 'own', open);
      await grant({ claim: group }, 'of the group', open);
      await grant({ personId: ada }, 'closed', closed);
      await grant({ claim: group }, 'closed too', closed);
      await grant({ personId: other }, 'foreign', foreign);
      await grant({ claim: otherGroup }, 'foreign', foreign);
      await grant({ personId: other }, 'foreign and closed', away);
      await rows('update tenant set name = tenant_id::text, enabled = false where tenant_id = any($1)', [closed, away]);
      const { permissions, tenants, inDisabled, actor, enabled } = (await access(ada, [group])) ?? {};
      expect([actor?.id, actor?.name, enabled, tenants]).toEqual([ada, 'Ada', true, [open]]);
      expect([...(permissions?.get(open) ?? [])].toSorted()).toEqual(['of the group', 'own']);
      expect([...(inDisabled?.names ?? [])]).toEqual([[closed, closed]]);
      expect([...(inDisabled?.permissions.keys() ?? [])]).toEqual([closed]);
      expect([...(inDisabled?.permissions.get(closed) ?? [])].toSorted()).toEqual(['closed', 'closed too']);
      expect((await access(ada))?.permissions.get(open)).toEqual(new Set(['own']));
      await grant({ personId: ada }, 'everywhere', null);
      expect(await access(ada)).toMatchObject({ tenants: 'all', inDisabled: { names: new Map([[closed, closed]]) } });
    });

    it('is none for whom nobody knows, and ends with the token, its sign-in and the person', async () => {
      const ada = await person();
      await person();
      const [revoked, other] = [randomUUID(), randomUUID()];
      const revoke = (id: string) => rows("insert into revoked_token (revoked_id, expires_on) values ($1, now() + interval '1 hour')", id);
      expect(await access(randomUUID())).toBeUndefined();
      await revoke(other);
      expect(await access(ada, [], [revoked])).toMatchObject({ revoked: false, enabled: true, tenants: [] });
      await revoke(revoked);
      expect(await access(ada, [], ['x', revoked])).toMatchObject({ revoked: true });
      expect(await access(ada)).toMatchObject({ revoked: false });
      await rows('update person set enabled = false where person_id = $1', ada);
      expect(await access(ada)).toMatchObject({ enabled: false });
    });
  });
});
