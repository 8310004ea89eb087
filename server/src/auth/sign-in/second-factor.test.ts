/** One-time codes and recovery codes, and who must sign in with a second factor. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { masterKeyOf } from '../master-key.ts';
import { hasSecondFactor, isTooWeak, removeSecondFactors, secondFactorOf } from './second-factor.ts';
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes, spendCode, totpState, totpToScan } from './totp.ts';

const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
let test: TestDatabase;
let database: Database;
let db: Db;
let ada: string;
let eve: string;

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
const person = async (groups: string[] = []) =>
  (
    await rows<{ id: string }>(
      "insert into person (name, user_name, claims) values ('P', gen_random_uuid()::text, $1) returning person_id as id",
      groups,
    )
  )[0]?.id ?? '';

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await test.close();
});
beforeEach(async () => {
  [ada, eve] = [await person(), await person()];
});
afterEach(() => vi.useRealTimers());

const secretOf = async (personId = ada) => (await totpToScan(db, masterKey, { personId, userName: 'ada@example.org' }))?.secret ?? '';
const codeAt = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const begin = async (personId = ada) => {
  await beginTotp(db, masterKey, personId);
  return secretOf(personId);
};
const confirm = (code: string, personId = ada) => confirmTotp(db, masterKey, personId, code);
const spend = (code: string, personId = ada) => spendCode(db, masterKey, personId, code);
const freeze = () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(1_790_000_010_000);
};

describe('an authenticator app', () => {
  it('is scanned until its first code confirms it, and is not replaced then', async () => {
    freeze();
    expect([await totpState(db, ada), await secretOf()]).toEqual([undefined, '']);
    const first = await begin();
    const secret = await begin();
    const other = await begin(eve);
    expect(first).not.toBe(secret);
    expect(Secret.fromBase32(secret).bytes).toHaveLength(20);
    expect((await totpToScan(db, masterKey, { personId: ada, userName: 'a' }))?.image).toContain('<svg');
    expect(await totpState(db, ada)).toEqual({ confirmedOn: undefined, recoveryCodesLeft: 0 });
    expect(await spend(codeAt(secret))).toBeUndefined();
    expect(await confirm(codeAt(first))).toBeUndefined();
    expect(await confirm(codeAt(secret))).toHaveLength(10);
    expect(await totpState(db, ada)).toEqual({ confirmedOn: expect.any(String) as string, recoveryCodesLeft: 10 });
    expect([await secretOf(), await confirm(codeAt(secret))]).toEqual(['', undefined]);
    expect(await begin()).toBe('');
    // The code that confirmed the set-up cannot be used for a sign-in.
    expect(await spend(codeAt(secret))).toBeUndefined();
    expect(await spend(codeAt(secret, 1))).toBe('code');
    expect([await secretOf(eve), (await totpState(db, eve))?.confirmedOn]).toEqual([other, undefined]);
  });

  it('may be half a minute off, and writes its code with or without blanks', async () => {
    freeze();
    const secret = await begin();
    for (const code of [codeAt(secret, -2), codeAt(secret, 2), codeAt(secret).slice(1), `${codeAt(secret)}0`, 'abcdef', ''])
      expect(await confirm(code)).toBeUndefined();
    expect(await confirm(` ${codeAt(secret, -1).replace(/^.{3}/, '$& ')} `)).toHaveLength(10);
    expect([await spend(codeAt(secret, 2)), await spend(codeAt(secret, 1)), await spend(codeAt(secret, 1))]).toEqual([
      undefined,
      'code',
      undefined,
    ]);
    // The code is refused, because it is older than the last one that was used.
    expect(await spend(codeAt(secret))).toBeUndefined();
    vi.setSystemTime(Date.now() + 60_000);
    expect(await spend(codeAt(secret))).toBe('code');
  });

  it('is confirmed once, by the code of the person themselves', async () => {
    freeze();
    const [secret, other] = [await begin(), await begin(eve)];
    expect(await confirm(codeAt(other))).toBeUndefined();
    const code = codeAt(secret);
    const outcomes = await Promise.all([confirm(code), confirm(code)]);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    expect(await spend(codeAt(other, 1))).toBeUndefined();
  });

  it('has recovery codes that each person uses once, until there are new ones', async () => {
    const [secret, other] = [await begin(), await begin(eve)];
    const [first = '', second = '', third = ''] = (await confirm(codeAt(secret))) ?? [];
    const [theirs = ''] = (await confirm(codeAt(other), eve)) ?? [];
    expect([first, second]).toEqual([expect.stringMatching(/^(?:[0-9a-f]{5}-){3}[0-9a-f]{5}$/), expect.stringMatching(/^.{23}$/)]);
    expect([await spend(theirs), await spend(first), await spend(first)]).toEqual([undefined, 'recovery code', undefined]);
    expect(await spend(second.toUpperCase().replaceAll('-', ' '))).toBe('recovery code');
    expect(await totpState(db, ada)).toMatchObject({ recoveryCodesLeft: 8 });
    expect(await totpState(db, eve)).toMatchObject({ recoveryCodesLeft: 10 });
    const renewed = await renewRecoveryCodes(db, ada);
    expect([renewed.length, new Set(renewed).size]).toEqual([10, 10]);
    expect([await spend(third), await spend(renewed[9] ?? '')]).toEqual([undefined, 'recovery code']);
    expect(await spend(theirs, eve)).toBe('recovery code');
  });

  it('is removed with its recovery codes', async () => {
    const [secret, other] = [await begin(), await begin(eve)];
    const [code = ''] = (await confirm(codeAt(secret))) ?? [];
    await confirm(codeAt(other), eve);
    expect([await removeTotp(db, ada), await removeTotp(db, ada), await totpState(db, ada)]).toEqual([true, false, undefined]);
    const awaiting = await begin();
    expect(await removeTotp(db, ada)).toBe(false);
    expect(awaiting).not.toBe('');
    await confirm(codeAt(await begin()));
    expect(await spend(code)).toBeUndefined();
    expect(await totpState(db, eve)).toMatchObject({ recoveryCodesLeft: 10 });
  });
});

describe('a second factor', () => {
  const addPasskey = (personId: string) =>
    rows(
      "insert into passkey (person_id, credential_id, public_key, sign_count, backed_up, name) values ($1, $2, '\\x00', 0, false, 'P')",
      personId,
      randomBytes(16),
    );
  const grant = (who: { personId?: string; claim?: string }, requires: boolean) =>
    rows(
      `with s as (insert into permission_set (name, permissions, requires_passkey) values (gen_random_uuid()::text, '[]', $3) returning permission_set_id)
        insert into access_grant (person_id, claim, permission_set_id) select $1, $2, permission_set_id from s`,
      who.personId ?? null,
      who.claim ?? null,
      requires,
    );

  it('is demanded by the permission sets of a person and of their groups', async () => {
    const group = randomUUID();
    const [member, relaxed] = [await person([group]), await person()];
    const isDemanded = async (personId: string) => (await secondFactorOf(db, personId)).isDemanded;
    await grant({ personId: relaxed }, false);
    expect([await isDemanded(ada), await isDemanded(relaxed), await isDemanded(member)]).toEqual([false, false, false]);
    await grant({ personId: ada }, true);
    await grant({ claim: group }, true);
    expect([await isDemanded(ada), await isDemanded(relaxed), await isDemanded(member)]).toEqual([true, false, true]);
    expect(await secondFactorOf(db, randomUUID())).toEqual({ isDemanded: false, hasPasskey: false, hasCodes: false });
    const weak = (personId: string, amr: string[] | null | undefined) => isTooWeak(db, personId, amr);
    expect([await weak(ada, ['pwd']), await weak(ada, ['pwd', 'otp']), await weak(ada, null), await weak(relaxed, ['pwd'])]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([['pop'], ['otp', 'pwd'], ['pwd'], [], null, undefined].map(hasSecondFactor)).toEqual([true, true, false, false, false, false]);
  });

  it('is a passkey, or an app that is set up; both can be removed for who has lost them', async () => {
    await addPasskey(eve);
    await addPasskey(eve);
    const secret = await begin();
    expect(await secondFactorOf(db, ada)).toEqual({ isDemanded: false, hasPasskey: false, hasCodes: false });
    await confirm(codeAt(secret));
    expect(await secondFactorOf(db, ada)).toEqual({ isDemanded: false, hasPasskey: false, hasCodes: true });
    expect(await secondFactorOf(db, eve)).toEqual({ isDemanded: false, hasPasskey: true, hasCodes: false });
    expect([await removeSecondFactors(db, eve), await removeSecondFactors(db, eve)]).toEqual([
      { passkeys: 2, codes: false },
      { passkeys: 0, codes: false },
    ]);
    expect(await removeSecondFactors(db, ada)).toEqual({ passkeys: 0, codes: true });
  });
});
