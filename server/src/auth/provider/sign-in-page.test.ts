/** The steps of a sign-in on its page: password, code, set-up of a second factor; on a database and without a browser. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { errors } from 'oidc-provider';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { masterKeyOf } from '../master-key.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import type { SignInMail } from '../sign-in/sign-in-devices.ts';
import { beginTotp, confirmTotp, totpToScan } from '../sign-in/totp.ts';
import type { PageContext } from './interaction.ts';
import { passkeySignInOptions, signInPage } from './sign-in-page.ts';

const password = 'violet tractor lantern';
const address = '192.0.2.7';
const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
let test: TestDatabase;
let database: Database;
let db: Db;
let passwordHash: string;
let personId: string;
let userName: string;
let mails: SignInMail[];
let interaction: { uid: string; prompt: { name: string }; result?: object; exp: number; save(seconds: number): Promise<void> };
let saved: number[];
let finished: { result: Record<string, { amr?: string[] }>; options: object }[];
let failure: Error | undefined;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
  passwordHash = await hashPassword(password);
});
afterAll(async () => {
  await database.close();
  await test.close();
});
const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });

async function person(requiresPasskey = false): Promise<void> {
  userName = `${randomUUID()}@example.org`;
  const [row] = await rows<{ id: string }>(
    `with t as (insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id),
      p as (insert into person (name, user_name, email, email_verified) values ('Vera', $1, $1, true) returning person_id),
      w as (insert into sign_in_password (person_id, password_hash) select person_id, $2 from p),
      s as (insert into permission_set (name, permissions, requires_passkey) values (gen_random_uuid()::text, '[]', $3) returning permission_set_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, tenant_id from p, s, t)
      select person_id as id from p`,
    userName,
    passwordHash,
    requiresPasskey,
  );
  personId = row?.id ?? '';
}
beforeEach(async () => {
  await rows('delete from sign_in_attempt');
  await person();
  [mails, saved, finished, failure] = [[], [], [], undefined];
  const uid = randomUUID();
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  interaction = { uid, prompt: { name: 'login' }, exp, save: (seconds) => Promise.resolve(void saved.push(seconds)) };
});

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  alert: string | undefined;
}

interface Call {
  publicUrl?: string;
  headers?: Record<string, string>;
  page?: (context: PageContext, req: IncomingMessage, res: ServerResponse, address: string | undefined) => Promise<void>;
}

async function ask(
  form?: Record<string, string>,
  { publicUrl = 'https://ops.example.org', headers = {}, page = signInPage }: Call = {},
): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString();
  const req = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(body)]), {
    method: form ? 'POST' : 'GET',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  }) as unknown as IncomingMessage;
  const answer: Answer = { status: 0, headers: {}, text: '', alert: undefined };
  const res = {
    setHeader: (name: string, value: string) => (answer.headers[name] = value),
    writeHead: (status: number, sent: Record<string, string>) => Object.assign(answer, { status, headers: { ...answer.headers, ...sent } }),
    end: (text: string) => (answer.text = text),
  } as unknown as ServerResponse;
  const provider = {
    interactionDetails: () => (failure ? Promise.reject(failure) : Promise.resolve(interaction)),
    interactionFinished: (_req: unknown, _res: unknown, result: never, options: object) =>
      Promise.resolve(void finished.push({ result, options })),
  };
  const queueMail = (_: Db, mail: SignInMail) => Promise.resolve(void mails.push(mail));
  await page({ db, provider, publicUrl, masterKey, queueMail } as unknown as PageContext, req, res, address);
  answer.alert = /role="alert">([^<]+)</.exec(answer.text)?.[1];
  return answer;
}
const signIn = (extra: Record<string, string> = {}, call?: Call) => ask({ userName, password, ...extra }, call);
const signedIn = (...amr: string[]) => [
  { result: { login: { accountId: personId, remember: true, amr } }, options: { mergeWithLastSubmission: false } },
];

it('is in the language of the browser, in its cookie first', async () => {
  const inGerman = { headers: { 'accept-language': 'de-AT, en;q=0.5' } };
  const { text } = await ask(undefined, inGerman);
  for (const part of ['<html lang="de">', '<h1>Anmelden</h1>', 'Benutzername', 'data-failed="Es wurde kein Passkey verwendet.'])
    expect(text).toContain(part);
  expect((await signIn({ password: 'wrong' }, inGerman)).alert).toBe('Der Benutzername oder das Passwort ist falsch.');
  expect((await ask(undefined, { headers: { 'accept-language': 'de', cookie: 'cloudfit-language=en' } })).text).toContain(
    '<html lang="en">',
  );
  expect((await ask()).text).toContain('<html lang="en">');
});

const methods = async () =>
  (
    await rows<{ after: { method?: string } | null; verb: string }>(
      'select verb, after from audit where entity_id = $1 order by audit_id',
      personId,
    )
  ).map(({ verb, after }) => after?.method ?? verb);
const secretOf = (text: string) => (/Type this key into the app: <code>([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
const codesOf = (text: string) => [...text.matchAll(/<code>((?:[0-9a-f]{5}-){3}[0-9a-f]{5})<\/code>/g)].map((match) => match[1] ?? '');
const codeAt = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const isMarked = (text: string, id: string) => new RegExp(`id="${id}"[^>]*aria-invalid="true"`).test(text);
const isFocused = (text: string, id: string) => new RegExp(`id="${id}"[^>]*autofocus`).test(text);

describe('the page of a sign-in', () => {
  it('is gone when its time is over, and fails with the provider', async () => {
    failure = new errors.SessionNotFound('over');
    expect(await ask()).toMatchObject({ status: 400, text: expect.stringContaining('Start again') as string });
    expect(await ask({}, { page: passkeySignInOptions })).toMatchObject({
      status: 400,
      text: '{"error":"This page has expired. Please load it again."}',
    });
    failure = new Error('The database is away.');
    await expect(ask()).rejects.toThrow('away');
  });

  it('asks for no consent', async () => {
    interaction.prompt.name = 'consent';
    expect((await ask()).status).toBe(0);
    expect(finished).toEqual([{ result: { consent: {} }, options: { mergeWithLastSubmission: true } }]);
  });

  it('begins with the name, and says what is wrong beside it', async () => {
    const { status, text, alert } = await ask();
    expect([status, alert, isFocused(text, 'userName'), isFocused(text, 'password')]).toEqual([200, undefined, true, false]);
    expect([isMarked(text, 'userName'), text.includes('<title>Sign in ·')]).toEqual([false, true]);
    expect(text).toContain(`data-options="/idp/interaction/${interaction.uid}/passkey"`);
    const wrong = await signIn({ userName: ' "Vera" ', password: 'wrong' });
    expect(wrong).toMatchObject({ status: 422, alert: 'The user name or the password is wrong.' });
    expect(wrong.text).toContain('value="&quot;Vera&quot;"');
    expect([isMarked(wrong.text, 'userName'), isMarked(wrong.text, 'password'), isFocused(wrong.text, 'password')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(isFocused(wrong.text, 'userName')).toBe(false);
    expect(wrong.text).toContain('Sign in: please check');
    expect((await signIn({ userName: 'u'.repeat(400) })).text).toContain(`value="${'u'.repeat(320)}"`);
    const missing = 'Please enter your user name and your password.';
    expect(await ask({})).toMatchObject({ status: 422, alert: missing });
    expect(await ask({ userName })).toMatchObject({ status: 422, alert: missing });
    expect(await signIn({}, { headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 422, alert: missing });
    expect(finished).toEqual([]);
  });

  it('waits after many failures', async () => {
    for (let i = 0; i < 5; i++) await signIn({ password: 'wrong' });
    await rows('update sign_in_attempt set attempts = 15, last_attempt = clock_timestamp() where attempts >= 5');
    const { status, headers } = await signIn();
    expect([status, Number(headers['retry-after']) > 1]).toEqual([429, true]);
  });

  it('signs in by the password, and knows the browser the next time', async () => {
    const { headers } = await signIn({}, { headers: { 'user-agent': 'Firefox/140 (Windows)' } });
    expect(finished).toEqual(signedIn('pwd'));
    const [, cookie = ''] =
      /^(cloudfit_device=[\w-]{43}); Path=\/idp; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/.exec(headers['set-cookie'] ?? '') ?? [];
    expect((await signIn({}, { headers: { cookie } })).headers['set-cookie']).toContain(cookie);
    expect(mails).toEqual([]);
    const plain = await signIn({}, { publicUrl: 'http://localhost:8080', headers: { 'user-agent': 'Firefox/140 (Windows)' } });
    expect(plain.headers['set-cookie']).toMatch(/^cloudfit_device_8080=[\w-]{43}; .*SameSite=Lax$/);
    expect(mails).toMatchObject([{ to: userName, text: expect.stringContaining(`From: ${address}\nWith: Firefox on Windows`) as string }]);
    expect(await methods()).toEqual(['password', 'password', 'password']);
  });

  it('takes a passkey that is known, and marks no field when it is not', async () => {
    const passkey = JSON.stringify({ id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {}, response: {} });
    const { status, alert, text } = await ask({ passkey });
    expect([status, alert]).toEqual([422, 'This passkey is not known here. Sign in with your password.']);
    expect([isMarked(text, 'userName'), isMarked(text, 'password')]).toEqual([false, false]);
    const options = await ask({}, { page: passkeySignInOptions });
    const { challenge, user } = JSON.parse(options.text) as { challenge?: string; user?: object };
    expect([options.status, typeof challenge, user]).toEqual([200, 'string', undefined]);
    expect(await rows('select page from passkey_challenge where challenge = $1', challenge)).toEqual([
      { page: `sign-in ${interaction.uid}` },
    ]);
  });
});

describe('a person with an authenticator app', () => {
  let secret: string;
  let codes: string[];
  beforeEach(async () => {
    await beginTotp(db, masterKey, personId);
    secret = (await totpToScan(db, masterKey, { personId, userName }))?.secret ?? '';
    codes = (await confirmTotp(db, masterKey, personId, codeAt(secret, -1))) ?? [];
  });

  it('is asked for a code after the password, on the page that stays when it is loaded again', async () => {
    const shown = await signIn();
    expect([
      shown.status,
      shown.alert,
      shown.text.includes('One more step'),
      isFocused(shown.text, 'code'),
      isMarked(shown.text, 'code'),
    ]).toEqual([200, undefined, true, true, false]);
    expect([finished, interaction.result]).toEqual([[], { verify: { personId, name: 'Vera', userName } }]);
    expect(saved).toHaveLength(1);
    expect(saved[0]).toBeGreaterThan(3_500);
    expect(saved[0]).toBeLessThanOrEqual(3_600);
    expect((await ask()).text).toContain('Enter the code that your authenticator app shows');
    for (const code of ['000000', '']) {
      const wrong = await ask({ code });
      expect([wrong.status, wrong.alert, isMarked(wrong.text, 'code')]).toEqual([
        422,
        'This code is wrong or was used already. Wait for the next one, or use a recovery code.',
        true,
      ]);
      expect(wrong.text).toContain('One more step: please check');
    }
    expect(finished).toEqual([]);
    const { headers } = await ask({ code: codeAt(secret, 1) });
    expect([finished, headers['set-cookie']]).toEqual([signedIn('pwd', 'otp'), expect.stringMatching(/^cloudfit_device=/)]);
    await ask({ code: `${codes[0]}${' '.repeat(200)}x` });
    expect(finished).toHaveLength(2);
    expect(await methods()).toEqual(['sign-in-refused', 'sign-in-refused', 'password and code', 'password and recovery code']);
  });

  it('is not signed in by a code without the password', async () => {
    for (const form of [{ code: codeAt(secret, 1) }, { continue: '1' }, { name: 'x', passkey: '{}' }])
      expect((await ask(form)).status).toBe(422);
    expect([finished, saved]).toEqual([[], []]);
    // A sign-in that waits for a code does not continue with the input of another step.
    await signIn();
    expect((await ask({ continue: '1' })).status).toBe(422);
    expect(finished).toEqual([]);
  });
});

describe('a person who needs a second factor', () => {
  beforeEach(() => person(true));

  it('sets up an app at the sign-in, and sees the recovery codes before it goes on', async () => {
    const shown = await signIn();
    const secret = secretOf(shown.text);
    expect([shown.status, shown.alert, secret.length, shown.text.includes('<svg')]).toEqual([200, undefined, 32, true]);
    expect(interaction.result).toEqual({ enrol: { personId, name: 'Vera', userName } });
    expect(secretOf((await ask()).text)).toBe(secret);
    for (const code of ['000000', '']) {
      const wrong = await ask({ code });
      expect([wrong.status, wrong.alert, secretOf(wrong.text)]).toEqual([422, 'The code is wrong. Please try the next one.', secret]);
    }
    const ready = await ask({ code: codeAt(secret) });
    expect([ready.status, codesOf(ready.text).length, finished]).toEqual([200, 10, []]);
    expect(interaction.result).toEqual({ ready: { personId, name: 'Vera', userName } });
    const again = await ask();
    expect([again.status, codesOf(again.text), again.text.includes('Codes are set up')]).toEqual([200, [], true]);
    expect((await ask({})).status).toBe(422);
    expect(finished).toEqual([]);
    const { headers } = await ask({ continue: '1' });
    expect([finished, headers['set-cookie']]).toEqual([signedIn('pwd', 'otp'), expect.stringMatching(/^cloudfit_device=/)]);
    expect(await methods()).toEqual(['add-codes', 'password and new code']);
    expect(mails).toMatchObject([{ to: userName, subject: 'Your sign-in to CloudFit was changed' }]);
  });

  it('may set up a passkey instead, of which this person is the owner', async () => {
    await signIn();
    for (const passkey of ['', '{"id":"x"}'])
      expect(await ask({ name: ' laptop ', passkey })).toMatchObject({
        status: 422,
        alert: 'The passkey could not be checked. Please try again.',
      });
    const options = await ask({}, { page: passkeySignInOptions });
    const { challenge, user } = JSON.parse(options.text) as { challenge?: string; user?: { name: string } };
    expect([options.status, user?.name]).toEqual([200, userName]);
    expect(await rows('select page from passkey_challenge where challenge = $1', challenge)).toEqual([
      { page: `enrol ${interaction.uid}` },
    ]);
    expect([finished, await methods(), mails]).toEqual([[], [], []]);
    // The input that completes another step does not complete this one.
    expect((await ask({ continue: '1' })).status).toBe(422);
    expect(finished).toEqual([]);
  });
});
