/** One-time codes of an authenticator app as a second factor, over HTTP with the real provider. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, formOf } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { shippedSets } from '../shipped.ts';

let installation: Installation;
let tenantId: string;
let root: string;
let lastAddress = 0;

const browser = () =>
  new Browser(installation.publicUrl, { 'x-forwarded-for': `192.0.${++lastAddress}.1`, 'sec-fetch-site': 'same-origin' });

beforeAll(async () => {
  installation = await startInstallation();
  tenantId = await installation.tenant('Northwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  root = (await browser().signIn('root@example.org', password)).access_token;
});
afterAll(() => installation.close());

const rows = <T = object>(text: string, ...values: unknown[]) => installation.system.db.query<T>({ text, values });
const alertOf = (text: string) => /role="alert">([^<]*)</.exec(text)?.[1]?.trim();
const secretOf = (text: string) => (/Type this key into the app: <code>([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
const codesOf = (text: string) => [...text.matchAll(/<code>((?:[0-9a-f]{5}-){3}[0-9a-f]{5})<\/code>/g)].map((match) => match[1] ?? '');
const codeAt = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
const person = (name: string) => installation.person(`${name}@example.org`, { set: shippedSets.reader.id, tenantId });

/** Sets up the app on the account page; returns the secret and the recovery codes. */
async function setUp(name: string) {
  const personId = await person(name);
  const home = browser();
  await home.signIn(`${name}@example.org`, password);
  const shown = await (await home.go('/idp/account/codes', formOf({ current: password }))).text();
  const secret = secretOf(shown);
  expect(shown).toContain('<svg');
  // The field is focused, because it is far down the page.
  expect(shown).toMatch(/name="code"[^>]*autofocus/);
  const wrong = await (await home.go('/idp/account/codes/confirm', formOf({ code: '0' }))).text();
  expect(wrong).toMatch(/<p class="error" id="error" role="alert">The code is wrong/);
  expect(wrong).toMatch(/name="code"[^>]*aria-invalid="true" aria-describedby="error"/);
  const done = await (await home.go('/idp/account/codes/confirm', formOf({ code: codeAt(secret, -1) }))).text();
  return { personId, secret, codes: codesOf(done), home };
}

/** Signs in with the correct password, as far as the page that asks for a code. */
async function promptedSignIn(name: string) {
  const by = browser();
  const { page, verifier } = await by.openSignIn();
  const { status, text, next } = await by.tryPassword(page, `${name}@example.org`, password);
  return {
    status,
    text,
    next,
    answer: async (code: string) => {
      const answer = await by.go(page, formOf({ code }));
      const body = await answer.text();
      return { status: answer.status, alert: alertOf(body), finish: () => by.finish(by.next(answer), verifier) };
    },
  };
}

describe('an authenticator app', () => {
  it('is set up with the password and a first code, and then asked for at each sign-in by password', async () => {
    const { secret, codes, personId } = await setUp('mara');
    expect(secret).toHaveLength(32);
    expect(codes).toHaveLength(10);
    const { status, text, answer } = await promptedSignIn('mara');
    expect([status, text]).toEqual([200, expect.stringContaining('authenticator app')]);
    const wrong = await answer('000000');
    expect([wrong.status, wrong.alert]).toEqual([422, expect.stringContaining('This code is wrong')]);
    const signedIn = await answer(codeAt(secret));
    const { access_token: token } = await signedIn.finish();
    expect((await installation.call(token, 'GET', '/v1/currentUser')).status).toBe(200);
    const listed = await fetch(`${installation.publicUrl}/v1/people/${personId}/sessions`, {
      headers: { authorization: `Bearer ${root}` },
    });
    expect(await listed.json()).toContainEqual(expect.objectContaining({ withCode: true, withPasskey: false }));
    const [audit] = await rows<{ after: object | null }>(
      "select after from audit where verb = 'sign-in' and entity_id = $1 order by audit_id desc limit 1",
      personId,
    );
    expect(audit?.after).toEqual({ method: 'password and code' });
  });

  it('gives no session before the code, and stores secret and recovery codes unreadable', async () => {
    const { secret, codes } = await setUp('nils');
    const { next } = await promptedSignIn('nils');
    expect(next).not.toContain('callback');
    const stored = JSON.stringify(await rows('select t::text, r::text from totp t left join recovery_code r using (person_id)'));
    expect(stored).toContain('wrappedKey');
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(codes[0]?.replaceAll('-', ''));
  });

  it('has its code accepted once', async () => {
    const { secret } = await setUp('olga');
    const code = codeAt(secret, 1);
    expect((await (await promptedSignIn('olga')).answer(code)).status).toBe(303);
    expect((await (await promptedSignIn('olga')).answer(code)).status).toBe(422);
    // An earlier code that was never used is refused after a later one was used.
    expect((await (await promptedSignIn('olga')).answer(codeAt(secret, 0))).status).toBe(422);
  });

  it('has ten recovery codes, each of which signs in once', async () => {
    const { codes } = await setUp('pia');
    const [first = '', second = ''] = codes;
    expect((await (await promptedSignIn('pia')).answer(first)).status).toBe(303);
    expect((await (await promptedSignIn('pia')).answer(first)).status).toBe(422);
    expect((await (await promptedSignIn('pia')).answer(second.toUpperCase().replaceAll('-', ' '))).status).toBe(303);
  });

  it('pauses after wrong codes, and a correct password does not end the pause', async () => {
    const { secret } = await setUp('quentin');
    const by = browser();
    const guess = async (code: string) => {
      const { page } = await by.openSignIn();
      await by.tryPassword(page, 'quentin@example.org', password);
      return (await by.go(page, formOf({ code }))).status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push(await guess(`00000${i}`));
    expect(statuses).toEqual([422, 422, 422, 422, 422]);
    // Simulates ten more attempts: the delay is a minute.
    await rows('update sign_in_attempt set attempts = attempts + 10, last_attempt = now() where attempts >= 5');
    expect(await guess('000005')).toBe(429);
    expect(await guess(codeAt(secret))).toBe(429);
  });
});

describe('the removal of codes', () => {
  const mailsTo = async (name: string) =>
    (
      await rows<{ text: string }>(
        "select payload->>'text' as text from job where name = 'send-mail' and payload->>'to' = $1",
        `${name}@example.org`,
      )
    ).map(({ text }) => text);

  it('needs the password, is audited and told by mail', async () => {
    const { home, personId } = await setUp('ruth');
    const refused = await home.go('/idp/account/codes/change', formOf({ current: 'not the password', change: 'remove' }));
    expect(refused.status).toBe(422);
    const done = await home.go('/idp/account/codes/change', formOf({ current: password, change: 'remove' }));
    expect(home.next(done)).toContain('done=codes-removed');
    // The rows come in any order, so both sides are sorted.
    expect((await mailsTo('ruth')).toSorted()).toEqual([expect.stringContaining('was set up'), expect.stringContaining('was removed')]);
    const verbs = await rows<{ verb: string }>(
      "select verb from audit where entity_id = $1 and verb like '%-codes' order by audit_id",
      personId,
    );
    expect(verbs.map(({ verb }) => verb)).toEqual(['add-codes', 'remove-codes']);
    expect((await promptedSignIn('ruth')).status).toBe(303);
  });

  it('by an administrator is audited and told by mail, and refused to who has fewer rights than the person', async () => {
    const { personId } = await setUp('sara');
    const list = await installation.call(root, 'GET', `/v1/people?$filter=personId eq ${personId}&$select=secondFactor`);
    expect(list.body.value).toEqual([expect.objectContaining({ secondFactor: 'Code' })]);
    const helper = await installation.person('helper@example.org');
    await rows(
      `with s as (insert into permission_set (name, permissions) values ('Help desk', '["CloudFit.CFS.People:view", "CloudFit.CFS.People:edit"]') returning permission_set_id)
        insert into access_grant (person_id, permission_set_id) select $1, permission_set_id from s`,
      helper,
    );
    const { access_token: weak } = await browser().signIn('helper@example.org', password);
    const path = `/v1/people/${personId}/secondFactor/remove`;
    expect((await installation.call(weak, 'PUT', path)).status).toBe(403);
    const removed = await installation.call(root, 'PUT', path);
    expect([removed.status, removed.body]).toEqual([200, { passkeys: 0, codes: true }]);
    expect(await mailsTo('sara')).toContainEqual(expect.stringContaining('An administrator removed the second factor'));
    const [entry] = await rows<{ actor_name: string }>(
      "select actor_name from audit where entity_id = $1 and verb = 'remove-second-factor'",
      personId,
    );
    expect(entry?.actor_name).toBe('root@example.org');
    expect((await promptedSignIn('sara')).status).toBe(303);
  });
});

it('fulfils the second factor that a permission set requires, and is set up at the sign-in', async () => {
  const set = await installation.call(root, 'PUT', '/v1/permissionSets', {
    name: 'Strict',
    tenantId,
    permissions: ['CloudFit.CFS.Devices:view'],
    requiresPasskey: true,
  });
  await installation.person('tom@example.org', { set: String(set.body['permissionSetId']), tenantId });
  const by = browser();
  const { page, verifier } = await by.openSignIn();
  const { text } = await by.tryPassword(page, 'tom@example.org', password);
  const secret = secretOf(text);
  const wrong = await by.go(page, formOf({ code: '000000' }));
  expect([wrong.status, secretOf(await wrong.text())]).toEqual([422, secret]);
  const ready = await (await by.go(page, formOf({ code: codeAt(secret, -1) }))).text();
  expect(codesOf(ready)).toHaveLength(10);
  const tokens = await by.finish(by.next(await by.go(page, formOf({ continue: '1' }))), verifier);
  expect((await installation.call(tokens.access_token, 'GET', '/v1/currentUser')).status).toBe(200);
  // The only second factor of a person who needs one cannot be removed.
  const refused = await by.go('/idp/account/codes/change', formOf({ current: password, change: 'remove' }));
  expect(alertOf(await refused.text())).toContain('require a second factor');
});
