/** The page of a person's own sign-in, and the decision about a sign-in, on a database and without a browser. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db, Statement } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { meters } from '../../platform/meters.ts';
import { masterKeyOf } from '../master-key.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import { type SignInMail } from '../sign-in/sign-in-devices.ts';
import { account, type AccountContext } from './account.ts';
import { checkCode, checkPassword, pauseRefusal, recordSignIn, signInWithPasskey, signInWithPassword } from './check-sign-in.ts';

const publicUrl = 'https://ops.example.org';
const password = 'violet tractor lantern';
const address = '192.0.2.7';
const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);

let test: TestDatabase;
let database: Database;
let db: Db;
let passwordHash: string;
let personId: string;
let userName: string;
let session: { accountId?: string; uid: string };
const mails: SignInMail[] = [];

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 4, onError: () => undefined });
  db = database.scoped('all');
  passwordHash = await hashPassword(password);
});
afterAll(async () => {
  await database.close();
  await test.close();
});

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });

async function person({ enabled = true, requiresPasskey = false } = {}): Promise<{ personId: string; userName: string }> {
  const name = `${randomUUID()}@example.org`;
  const [row] = await rows<{ id: string }>(
    `with t as (insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id),
p as (insert into person (name, user_name, email, email_verified, enabled) values ('Vera', $1, $1, true, $2) returning person_id),
w as (insert into sign_in_password (person_id, password_hash) select person_id, $3 from p),
s as (insert into permission_set (name, permissions, requires_passkey) values (gen_random_uuid()::text, '[]', $4) returning permission_set_id),
g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, tenant_id from p, s, t)
select person_id as id from p`,
    name,
    enabled,
    passwordHash,
    requiresPasskey,
  );
  return { personId: row?.id ?? '', userName: name };
}

async function signedIn(options = {}): Promise<void> {
  ({ personId, userName } = await person(options));
  session = { accountId: personId, uid: randomUUID() };
}
beforeEach(async () => {
  mails.length = 0;
  await signedIn();
});

async function addSession(uid: string, of = personId): Promise<string> {
  await rows(
    `insert into identity_item (model, id, payload, account_id, uid, expires_at) values ('Session', $1, '{"loginTs": 1760000000, "amr": ["pwd"]}', $2, $1, now() + interval '1 day')`,
    uid,
    of,
  );
  return uid;
}
async function addPasskey(name: string): Promise<string> {
  const [row] = await rows<{ id: string }>(
    `insert into passkey (person_id, credential_id, public_key, sign_count, backed_up, name) values ($1, $2, '\\x00', 0, false, $3) returning passkey_id as id`,
    personId,
    randomBytes(16),
    name,
  );
  return row?.id ?? '';
}
const sessionsLeft = async () =>
  (
    await rows<{ uid: string | null }>(`select uid from identity_item where account_id = $1 and model = 'Session' order by 1`, personId)
  ).map((row) => row.uid);
const audits = async () =>
  (
    await rows<{ verb: string; after: object | null; address: string | null; actor: string }>(
      `select verb, after, host(address::inet) as address, actor_name as actor from audit where entity_id = $1 order by audit_id`,
      personId,
    )
  ).map((row) => ({ ...row }));

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The visible error of the page. */
  alert: string | undefined;
}

async function ask(step: string, form?: Record<string, string>, { headers = {}, url = '/idp/account' } = {}): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString();
  const req = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(body)]), {
    method: form ? 'POST' : 'GET',
    url,
    headers: { ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}), ...headers },
  }) as unknown as IncomingMessage;
  const answer: Answer = { status: 0, headers: {}, text: '', alert: undefined };
  const res = {
    writeHead: (status: number, sent: Record<string, string>) => Object.assign(answer, { status, headers: sent }),
    end: (text: string) => (answer.text = text),
  } as unknown as ServerResponse;
  const provider = { createContext: () => ({}), Session: { get: () => Promise.resolve(session) } };
  const context = {
    db,
    provider,
    publicUrl,
    clientId: 'cloudfit-portal',
    masterKey,
    queueMail: (_: Db, mail: SignInMail) => Promise.resolve(void mails.push(mail)),
  } as unknown as AccountContext;
  await account(context, step, req, res, address);
  answer.alert = /role="alert">([^<]+)</.exec(answer.text)?.[1];
  return answer;
}

describe('the page of the own sign-in', () => {
  it('is in the language that the person chose, else that of the browser, and its times are in their zone', async () => {
    await addSession(session.uid);
    const german = { headers: { 'accept-language': 'de' } };
    const shown = async (options = {}) => (await ask('', undefined, options)).text;
    expect(await shown(german)).toContain('<html lang="de">');
    expect(await shown(german)).toContain('Wo Sie angemeldet sind');
    expect(await shown()).toMatch(/Signed in <time [^>]+>2025-10-09 08:53 UTC<\/time>\s+with a password/);
    const choose = (locale: object) => rows('update person set locale = $2::jsonb where person_id = $1', personId, JSON.stringify(locale));
    await choose({ language: 'de', timeZone: 'Europe/Berlin', weekStart: null, format: null });
    expect(await shown()).toMatch(/Angemeldet am <time [^>]+>09\.10\.2025, 10:53 MESZ<\/time>\s+mit Passwort/);
    expect((await ask('/password', { current: 'wrong' })).alert).toBe('Das bisherige Passwort ist falsch.');
    expect((await ask('/password', { current: password, password: 'short' })).alert).toMatch(/^Verwenden Sie mindestens 12 Zeichen/);
    await choose({ language: 'en', timeZone: null, weekStart: null, format: 'en-US' });
    expect(await shown(german)).toMatch(/<html lang="en">[^]+Signed in <time [^>]+>10\/09\/2025, 08:53 AM UTC<\/time>\s+with a password/);
  });

  it('is for people who are signed in and enabled; others sign in first', async () => {
    expect((await ask('')).status).toBe(200);
    for (const accountId of [undefined, 'nobody', randomUUID(), (await person({ enabled: false })).personId]) {
      session = accountId === undefined ? { uid: 'x' } : { accountId, uid: 'x' };
      const { status, headers } = await ask('');
      expect(status).toBe(303);
      const to = new URL(headers['location'] ?? '');
      expect([to.origin, to.pathname]).toEqual([publicUrl, '/idp/auth']);
      expect(Object.fromEntries(to.searchParams)).toMatchObject({
        response_type: 'none',
        scope: 'openid',
        redirect_uri: `${publicUrl}/idp/account`,
      });
      expect((await ask('/password', { current: password })).status).toBe(303);
      expect(await ask('/passkeys/options', {})).toMatchObject({
        status: 401,
        text: '{"error":"Your sign-in has ended. Please load the page again."}',
      });
    }
  });

  it('takes no form of another site', async () => {
    const status = async (site?: string) => (await ask('/nothing', {}, { headers: site ? { 'sec-fetch-site': site } : {} })).status;
    expect([await status('cross-site'), await status('same-site'), await status('none')]).toEqual([403, 403, 403]);
    expect([await status('same-origin'), await status()]).toEqual([404, 404]);
    expect((await ask('', undefined, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
    const from = async (origin: string) => (await ask('/nothing', {}, { headers: { origin } })).status;
    expect([await from('https://evil.example'), await from('null'), await from(publicUrl)]).toEqual([403, 403, 404]);
  });

  it('says what was done, and shows sessions and passkeys', async () => {
    const done = async (value: string) =>
      /role="status">([^<]*)</.exec((await ask('', undefined, { url: `/idp/account?done=${value}` })).text)?.[1];
    expect(await Promise.all(['password', 'passkey', 'removed', 'signed-out', 'ended', 'other'].map(done))).toEqual([
      'Your password was changed. You are signed out everywhere else.',
      'The passkey was added. You can sign in with it from now on.',
      'The passkey was removed.',
      'You are signed out everywhere else.',
      'That sign-in has ended.',
      undefined,
    ]);
    await addSession(session.uid);
    const other = await addSession(randomUUID());
    await addPasskey('blue <laptop>');
    const { text, alert } = await ask('');
    expect(alert).toBeUndefined();
    expect(text).toContain(`Vera · ${userName}`);
    expect(text).toContain('blue &lt;laptop&gt;');
    expect(text).toContain('not used yet');
    expect(text).toMatch(/Added <time datetime="[^"]+">\d{4}-\d\d-\d\d<\/time>/);
    expect(text).toContain('aria-label="End the sign-in of 2025-10-09 08:53 UTC"');
    expect(text).toContain('>2025-10-09 08:53 UTC</time>');
    expect(text).toContain(`name="session" value="${other}"`);
    expect(text).not.toContain(`name="session" value="${session.uid}"`);
    expect([text.match(/This browser/g)?.length, text.match(/Another browser/g)?.length]).toEqual([1, 1]);
  });
});

describe('a new password', () => {
  const next = 'orange bicycle thunder';
  const change = (form: Record<string, string>) => ask('/password', { current: password, password: next, repeated: next, ...form });

  it('needs the present one, and must be good and repeated', async () => {
    expect(await change({ current: 'wrong' })).toMatchObject({ status: 422, alert: 'The present password is wrong.' });
    const { status, alert, text } = await change({ current: '' });
    expect([status, alert, text.match(/role="alert">[^<]/g)?.length]).toEqual([422, 'The present password is wrong.', 1]);
    expect(await ask('/password', { current: password })).toMatchObject({ status: 422, alert: expect.stringContaining('12') as string });
    expect(await change({ password: 'short', repeated: 'short' })).toMatchObject({
      status: 422,
      alert: expect.stringContaining('12') as string,
    });
    expect(await change({ repeated: `${next}r` })).toMatchObject({ status: 422, alert: 'The two passwords are not the same.' });
    expect((await audits()).map((audit) => audit.verb)).toEqual(['sign-in-refused', 'sign-in-refused']);
  });

  it('ends the other sessions, and is audited', async () => {
    await addSession(session.uid);
    await addSession(randomUUID());
    expect(await change({})).toMatchObject({ status: 303, headers: { location: `${publicUrl}/idp/account?done=password` } });
    expect(await sessionsLeft()).toEqual([session.uid]);
    expect(await audits()).toEqual([{ verb: 'set-password', after: null, address, actor: userName }]);
    expect(await checkPassword(db, userName, next, address)).toMatchObject({ personId });
    expect(await checkPassword(db, userName, password, address)).toMatchObject({ status: 422 });
  });

  it('is not asked for again and again', async () => {
    for (let i = 0; i < 5; i++) await change({ current: 'wrong' });
    await change({ current: 'wrong' });
    const { status, alert } = await change({ current: 'wrong' });
    expect([status, alert]).toEqual([
      429,
      expect.stringMatching(/^Too many attempts\. Please wait (a second|\d+ seconds) and try again\.$/),
    ]);
  });
});

describe('passkeys of the own sign-in', () => {
  const remove = (passkeyId: string) => ask('/passkeys/remove', { passkeyId, current: password });

  it('are made after the password', async () => {
    expect(await ask('/passkeys/options', { current: 'wrong' })).toMatchObject({
      status: 422,
      text: '{"error":"The present password is wrong."}',
    });
    const { status, text } = await ask('/passkeys/options', { current: password });
    expect([status, JSON.parse(text)]).toMatchObject([200, { challenge: expect.any(String) as string, user: { name: userName } }]);
  });

  it('are refused when they cannot be checked', async () => {
    for (const passkey of ['', 'x', '[]', '{"id":"x"}'])
      expect(await ask('/passkeys', { name: 'mine', passkey })).toMatchObject({
        status: 422,
        alert: 'The passkey could not be checked. Please try again.',
      });
    expect(await audits()).toEqual([]);
  });

  it('are removed by their id, which is audited', async () => {
    const [one, other] = [await addPasskey('one'), await addPasskey('other')];
    const removed = { status: 303, headers: { location: `${publicUrl}/idp/account?done=removed` } };
    for (const passkeyId of [one, 'x', randomUUID(), one]) expect(await remove(passkeyId)).toMatchObject(removed);
    expect(await audits()).toEqual([{ verb: 'remove-passkey', after: { passkeyId: one, name: 'one' }, address, actor: userName }]);
    expect(await remove(other)).toMatchObject(removed);
    expect(await rows('select from passkey where person_id = $1', personId)).toEqual([]);
  });

  it('stay without the password, which the page asks for at each of them', async () => {
    const passkeyId = await addPasskey('one');
    for (const form of [{}, { current: 'wrong' }])
      expect(await ask('/passkeys/remove', { passkeyId, ...form })).toMatchObject({ status: 422, alert: 'The password is wrong.' });
    expect(await rows('select from passkey where person_id = $1', personId)).toHaveLength(1);
    expect((await audits()).map(({ verb }) => verb)).toEqual(['sign-in-refused', 'sign-in-refused']);
    expect(mails).toEqual([]);
    const [shown = ''] = /<form [^>]*passkeys\/remove"[^]*?<\/form>/.exec((await ask('')).text) ?? [];
    expect([...shown.matchAll(/ name="(\w+)"/g)].map((match) => match[1])).toEqual(['passkeyId', 'current']);
  });

  it('keep at least one where the rights require it', async () => {
    await signedIn({ requiresPasskey: true });
    const [one, other] = [await addPasskey('one'), await addPasskey('other')];
    expect((await remove(one)).status).toBe(303);
    expect(await remove(other)).toMatchObject({
      status: 422,
      alert: 'Your rights here require a second factor. Add another one before you remove this.',
    });
    expect((await remove(one)).status).toBe(303);
    expect(await rows('select from passkey where person_id = $1', personId)).toHaveLength(1);
  });
});

const secretOf = (text: string) => (/Type this key into the app: <code>([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
const codesOf = (text: string) => [...text.matchAll(/<code>((?:[0-9a-f]{5}-){3}[0-9a-f]{5})<\/code>/g)].map((match) => match[1] ?? '');
const codeAt = (secret: string, steps: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const changeMails = () => mails.map(({ to, subject, text }) => [to, subject, text.split('\n')[0]]);
const changeMail = (change: string) => [userName, 'Your sign-in to CloudFit was changed', `Vera: ${change}`];
/** Sets up an authenticator app; returns its secret and the recovery codes. */
async function setUpCodes() {
  const secret = secretOf((await ask('/codes', { current: password })).text);
  const { status, text } = await ask('/codes/confirm', { code: codeAt(secret, -1) });
  return { secret, status, codes: codesOf(text) };
}

describe('one-time codes of the own sign-in', () => {
  it('are set up with the password and a first code, which is audited and told by mail', async () => {
    expect(await ask('/codes', { current: 'wrong' })).toMatchObject({ status: 422, alert: 'The password is wrong.' });
    expect((await ask('/codes/confirm', { code: '000000' })).text).not.toContain('<svg');
    const shown = await ask('/codes', { current: password });
    expect([shown.status, shown.text.includes('<svg'), secretOf(shown.text).length, shown.alert]).toEqual([200, true, 32, undefined]);
    for (const form of [{ code: '0' }, {}]) {
      const wrong = await ask('/codes/confirm', form);
      expect(wrong).toMatchObject({ status: 422, alert: 'The code is wrong. Please try the next one.' });
      expect(secretOf(wrong.text)).toBe(secretOf(shown.text));
    }
    const done = await ask('/codes/confirm', { code: codeAt(secretOf(shown.text), 0) });
    expect([done.status, codesOf(done.text).length, done.alert]).toEqual([200, 10, undefined]);
    expect(codesOf((await ask('')).text)).toEqual([]);
    expect((await ask('')).text).toContain('10 of 10 recovery codes are left');
    expect((await audits()).map(({ verb }) => verb)).toEqual(['sign-in-refused', 'add-codes']);
    expect(changeMails()).toEqual([changeMail('An authenticator app was set up for your sign-in to CloudFit.')]);
  });

  it('are renewed and removed with the password', async () => {
    const { status, codes } = await setUpCodes();
    expect([status, codes.length]).toEqual([200, 10]);
    mails.length = 0;
    for (const change of ['renew', 'remove'])
      expect(await ask('/codes/change', { current: '', change })).toMatchObject({ status: 422, alert: 'The password is wrong.' });
    const renewed = codesOf((await ask('/codes/change', { current: password, change: 'renew' })).text);
    expect([renewed.length, renewed.some((item) => codes.includes(item))]).toEqual([10, false]);
    for (let i = 0; i < 2; i++)
      expect(await ask('/codes/change', { current: password, change: 'remove' })).toMatchObject({
        status: 303,
        headers: { location: `${publicUrl}/idp/account?done=codes-removed` },
      });
    expect((await audits()).map(({ verb }) => verb).filter((verb) => verb !== 'sign-in-refused')).toEqual([
      'add-codes',
      'renew-recovery-codes',
      'remove-codes',
    ]);
    expect(changeMails()).toEqual([changeMail('The authenticator app was removed from your sign-in to CloudFit.')]);
  });

  it('or a passkey remain where the rights require a second factor', async () => {
    await signedIn({ requiresPasskey: true });
    await setUpCodes();
    const remove = () => ask('/codes/change', { current: password, change: 'remove' });
    expect(await remove()).toMatchObject({
      status: 422,
      alert: 'Your rights here require a second factor. Add a passkey before you remove the app.',
    });
    const passkeyId = await addPasskey('one');
    mails.length = 0;
    expect((await ask('/passkeys/remove', { passkeyId, current: password })).status).toBe(303);
    expect(changeMails()).toEqual([changeMail('A passkey was removed from your sign-in to CloudFit.')]);
    await addPasskey('another');
    expect((await remove()).status).toBe(303);
  });

  it('are asked for after the password, each accepted once, and audited when wrong', async () => {
    const { secret, codes } = await setUpCodes();
    const origin = { queueMail: () => Promise.resolve(), address, device: undefined, userAgent: undefined };
    expect(await signInWithPassword(db, userName, password, origin)).toMatchObject({ verify: { personId, userName } });
    const check = (code: string) => checkCode(db, masterKey, { personId, userName }, code, address);
    const wrong = 'wrongCode';
    expect(await check('000000x')).toEqual({ status: 422, error: wrong });
    expect((await audits()).at(-1)).toEqual({ verb: 'sign-in-refused', after: { reason: 'wrong code' }, address, actor: userName });
    expect([await check(codeAt(secret, 1)), await check(codes[0] ?? '')]).toEqual([{ used: 'code' }, { used: 'recovery code' }]);
    expect(await check(codes[0] ?? '')).toMatchObject({ status: 422 });
    for (let i = 0; i < 5; i++) await check('wrong');
    await rows('update sign_in_attempt set attempts = 15, last_attempt = clock_timestamp() where attempts >= 5');
    expect(await check(codes[1] ?? '')).toMatchObject({ status: 429 });
    // The delay after wrong codes does not apply to the password.
    expect(await signInWithPassword(db, userName, password, { ...origin, address: '192.0.2.8' })).toMatchObject({ verify: { personId } });
    await rows('delete from sign_in_attempt');
  });
});

describe('other sessions', () => {
  it('end together, or one by one, of this person alone', async () => {
    const theirs = await person();
    const foreign = await addSession(randomUUID(), theirs.personId);
    await addSession(session.uid);
    const [a] = [await addSession(randomUUID()), await addSession(randomUUID()), await addSession(randomUUID())];
    expect((await ask('/sessions/end', { session: foreign })).headers).toMatchObject({ location: `${publicUrl}/idp/account?done=ended` });
    expect((await ask('/sessions/end', { session: a })).status).toBe(303);
    expect(await sessionsLeft()).toHaveLength(3);
    expect((await ask('/sign-out', {})).headers).toMatchObject({ location: `${publicUrl}/idp/account?done=signed-out` });
    expect(await sessionsLeft()).toEqual([session.uid]);
    expect(await audits()).toEqual([
      { verb: 'sign-out-elsewhere', after: { sessions: 1 }, address, actor: userName },
      { verb: 'sign-out-elsewhere', after: { sessions: 2 }, address, actor: userName },
    ]);
    expect(await rows(`select from identity_item where uid = $1`, foreign)).toHaveLength(1);
  });
});

describe('a sign-in', () => {
  const origin = (device?: string) => ({
    queueMail: (_: Db, mail: SignInMail) => Promise.resolve(void mails.push(mail)),
    address,
    device,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  const signIn = (name = userName, secret = password, device?: string) => signInWithPassword(db, name, secret, origin(device));
  const lastSignIn = async () =>
    (await rows<{ at: string | null }>('select last_sign_in as at from person where person_id = $1', personId))[0]?.at;

  it('needs a name and a password', async () => {
    const refused = { status: 422, error: 'missing' };
    expect([await signIn(''), await signIn(userName, '')]).toEqual([refused, refused]);
    expect(await audits()).toEqual([]);
  });

  it('is audited with its method, and known by its browser the next time', async () => {
    const first = await signIn();
    if (!('device' in first)) throw new Error('The sign-in was refused.');
    expect(first.personId).toBe(personId);
    expect(await lastSignIn()).toEqual(expect.any(String));
    expect(await audits()).toEqual([{ verb: 'sign-in', after: { method: 'password' }, address, actor: userName }]);
    expect(await signIn(` ${userName.toUpperCase()} `, password, first.device)).toEqual(first);
    expect(mails).toEqual([]);
    await signIn();
    expect(mails).toMatchObject([
      {
        to: userName,
        subject: 'A new sign-in to CloudFit',
        link: '/idp/account',
        text: expect.stringContaining(`From: ${address}\nWith: Firefox on Linux`) as string,
      },
    ]);
  });

  it('is refused alike for a wrong password and an unknown name, and audited for the person that is meant', async () => {
    const refused = { status: 422, error: 'wrong' };
    const counted = meters.failedSignIns;
    expect([await signIn(userName.toUpperCase(), 'wrong'), await signIn(`${randomUUID()}@example.org`)]).toEqual([refused, refused]);
    expect(meters.failedSignIns).toBe(counted + 2);
    expect(await audits()).toEqual([
      { verb: 'sign-in-refused', after: { reason: 'wrong user name or password' }, address, actor: userName.toUpperCase() },
    ]);
    expect(await lastSignIn()).toBeNull();
  });

  it('is refused to people who are disabled, after the password alone', async () => {
    await signedIn({ enabled: false });
    expect(await signIn()).toEqual({ status: 403, error: 'disabled' });
    expect(await signIn(userName, 'wrong')).toMatchObject({ status: 422 });
    expect((await audits()).map((audit) => audit.after)).toEqual([{ reason: 'disabled' }, { reason: 'wrong user name or password' }]);
  });

  it('is not complete without a passkey where the rights require one', async () => {
    await signedIn({ requiresPasskey: true });
    expect(await signIn()).toMatchObject({ enrol: { personId, userName } });
    await addPasskey('one');
    expect(await signIn()).toEqual({
      status: 403,
      error: 'passkeyOnly',
    });
    expect(await lastSignIn()).toBeNull();
  });

  it('by a passkey that is not known is refused', async () => {
    const response = { id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {}, response: {} } as never;
    expect(await signInWithPasskey(db, { publicUrl }, 'page', response, origin())).toEqual({
      status: 422,
      error: 'unknownPasskey',
    });
  });

  it('is put off while too many others sign in, and fails with the database', async () => {
    const failing = (error: Error) => ({
      query: ({ text }: Statement) => (text.includes('password_hash') ? Promise.reject(error) : Promise.resolve([{}])),
    });
    const check = (error: Error) => checkPassword(failing(error) as unknown as Db, userName, password, address);
    expect(await check(new ApiError('Unavailable', 'Too many.'))).toEqual({
      status: 503,
      error: 'busy',
      headers: { 'retry-after': '5' },
    });
    await expect(check(new ApiError('Conflict', 'No.'))).rejects.toThrow('No.');
    await expect(check(new Error('The database is away.'))).rejects.toThrow('away');
  });

  it('is noted at the person alone who signed in', async () => {
    const other = await person();
    await recordSignIn(db, { personId, userName }, 'passkey', origin());
    expect(await lastSignIn()).toEqual(expect.any(String));
    expect(await rows('select last_sign_in as at from person where person_id = $1', other.personId)).toEqual([{ at: null }]);
  });

  it('says how long to wait', () => {
    expect([1, 2].map((waitSeconds) => pauseRefusal({ waitSeconds }))).toEqual([
      { status: 429, error: 'pause', waitSeconds: 1, headers: { 'retry-after': '1' } },
      { status: 429, error: 'pause', waitSeconds: 2, headers: { 'retry-after': '2' } },
    ]);
  });

  it('waits after many failures, with the time to wait in a header', async () => {
    for (let i = 0; i < 6; i++) await signIn(userName, 'wrong');
    await rows('update sign_in_attempt set attempts = attempts + 10, last_attempt = clock_timestamp() where attempts >= 5');
    expect(await signIn()).toMatchObject({
      status: 429,
      error: 'pause',
      waitSeconds: expect.any(Number) as number,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) as string },
    });
    await rows('delete from sign_in_attempt');
  });
});
