/** Sign-in by the OpenID providers of directories: a real one, and one that lies. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser, formOf } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { ldapClient } from '../../outbound/ldap.ts';
import { shippedSets } from '../shipped.ts';
import { followDirectories } from './follow-directories.ts';

let installation: Installation;
let admin: string;
let northwind: string;
let southwind: string;
const closing: (() => Promise<unknown>)[] = [];

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A standards-conforming provider, whose test pages sign anybody in. */
async function realProvider(): Promise<{ issuer: string }> {
  const server = createServer();
  const issuer = await listen(server);
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'cloudfit',
        client_secret: 'real secret',
        redirect_uris: [`${installation.publicUrl}/idp/directory/callback`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['a'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username', 'groups'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () =>
        Promise.resolve({
          sub,
          name: `Person ${sub}`,
          email: `${sub}@northwind.test`,
          preferred_username: `${sub}@northwind.test`,
          groups: ['Desk'],
        }),
    }),
  });
  const answer = provider.callback();
  server.on('request', (req, res) => void answer(req, res));
  return { issuer };
}

type Claims = Record<string, unknown>;

/** A provider that puts into its ID token what a test says. */
async function lyingProvider() {
  let kid = 1;
  let { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const turnKey = async () => {
    ({ privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true }));
    kid += 1;
  };
  let nonce = '';
  const lie: { sign: (claims: Claims) => Promise<string>; claims: Claims } = {
    claims: {},
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: String(kid) }).sign(privateKey),
  };
  const honest = lie.sign;
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', issuer);
    const json = (value: object) => res.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (url.pathname === '/.well-known/openid-configuration')
      return json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      });
    if (url.pathname === '/keys')
      return void exportJWK(publicKey).then((key) => json({ keys: [{ ...key, kid: String(kid), use: 'sig', alg: 'RS256' }] }));
    if (url.pathname === '/auth') {
      nonce = url.searchParams.get('nonce') ?? '';
      return res
        .writeHead(303, { location: `${url.searchParams.get('redirect_uri')}?code=c&state=${url.searchParams.get('state')}` })
        .end();
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: 'cloudfit', sub: 'mallory', iat: now, exp: now + 60, nonce, ...lie.claims };
    return void lie.sign(claims).then((token) => json({ access_token: 'a', token_type: 'bearer', id_token: token }));
  });
  const issuer = await listen(server);
  return { issuer, lie, honest, turnKey, stop: () => server.close() };
}

async function directory(name: string, more: Claims, secret = 'real secret'): Promise<string> {
  const body = { name, prefix: name.toLowerCase(), kind: 'Oidc', clientId: 'cloudfit', tenantIds: [northwind], ...more };
  const created = await installation.call(admin, 'PUT', '/v1/directories', body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const id = String(created.body['directoryId']);
  expect((await installation.call(admin, 'PUT', `/v1/directories/${id}/secret`, { secret })).status).toBe(200);
  return id;
}

/** Goes by the sign-in page to the provider, and returns the page at which the person ends, or tokens. */
async function goBy(id: string, login?: string): Promise<{ text: string; token?: string }> {
  const browser = new Browser(installation.publicUrl);
  const { page, verifier } = await browser.openSignIn();
  const start = await browser.go(`${new URL(page).pathname}/directory/${id}`);
  if (start.status !== 303) return { text: await start.text() };
  const provider = new Browser(new URL(browser.next(start)).origin);
  let at = browser.next(start);
  for (let step = 0; step < 12 && !at.startsWith(installation.publicUrl); step++) {
    const answer = await provider.go(at);
    if (answer.status >= 300 && answer.status < 400) {
      at = provider.next(answer);
      continue;
    }
    const text = await answer.text();
    const [, action] = /action="([^"]+)"/.exec(text) ?? [];
    if (action === undefined) throw new Error(text);
    const isLogin = text.includes('name="login"');
    at = provider.next(
      await provider.go(action, formOf(isLogin ? { prompt: 'login', login: login ?? 'ada', password: 'x' } : { prompt: 'consent' })),
    );
  }
  const back = browser.next(await browser.go(at));
  const finished = await browser.go(back);
  if (finished.status !== 303) return { text: await finished.text() };
  const tokens = await browser.finish(browser.next(finished), verifier);
  return { text: '', token: tokens.access_token };
}

const me = async (token: string | undefined) =>
  (await installation.call(String(token), 'GET', '/v1/people?$select=personId,userName,email,emailVerified')).status;

beforeAll(async () => {
  installation = await startInstallation();
  northwind = await installation.tenant('Northwind');
  southwind = await installation.tenant('Southwind');
  await installation.person('boss@example.com', { set: shippedSets.administrator.id, tenantId: null });
  admin = (await new Browser(installation.publicUrl).signIn('boss@example.com', password)).access_token;
});
afterAll(async () => {
  for (const close of closing) await close();
  await installation.close();
});

it('signs people in at two providers at once, each with its groups and its tenants', async () => {
  const { issuer } = await realProvider();
  const id = await directory('North', { issuer, mailDomains: ['northwind.test'], scope: 'openid email profile' });
  const tried = await installation.call(admin, 'POST', `/v1/directories/${id}/try`, {});
  expect(tried.body).toMatchObject({ works: true, message: expect.stringContaining('/idp/directory/callback') as string });
  await installation.call(admin, 'PUT', '/v1/grants', {
    claim: 'north:Desk',
    permissionSetId: shippedSets.operator.id,
    tenantId: northwind,
  });

  const { token, text } = await goBy(id, 'ada');
  expect(text).toBe('');
  const [ada] = await installation.system.db.query<{
    person_id: string;
    user_name: string;
    email_verified: boolean;
    claims: string[];
    subject: string | null;
  }>({
    text: 'select person_id, user_name, email_verified, claims, subject from person where directory_id = $1',
    values: [id],
  });
  expect(ada).toMatchObject({ user_name: 'ada@northwind.test', email_verified: true, claims: ['north:Desk'], subject: 'ada' });
  expect((await installation.call(String(token), 'GET', '/v1/tenants')).body.value).toEqual([
    expect.objectContaining({ name: 'Northwind' }),
  ]);
  // The second sign-in is the same person.
  await goBy(id, 'ada');
  const people = await installation.system.db.query({ text: 'select 1 from person where directory_id = $1', values: [id] });
  expect(people).toHaveLength(1);
  const audit = await installation.system.db.query<{ after: object | null }>({
    text: "select after from audit where verb = 'sign-in' and entity_id = $1",
    values: [ada?.person_id],
  });
  expect(audit[0]?.after).toEqual({ method: 'directory North' });

  // A person whom SCIM has made is the one who signs in, and keeps the groups of SCIM.
  const { body } = await installation.call(admin, 'PUT', `/v1/directories/${id}/token`, {});
  const scim = (path: string, content: object, method: 'POST' | 'PATCH' = 'POST') =>
    fetch(`${installation.publicUrl}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${String(body['generatedToken'])}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(content),
    });
  const bob = (await (await scim('/Users', { userName: 'bob@northwind.test', displayName: 'Robert' })).json()) as { id: string };
  const session = await goBy(id, 'bob');
  const [linked] = await installation.system.db.query<{ subject: string | null; name: string; claims: string[] }>({
    text: 'select subject, name, claims from person where person_id = $1',
    values: [bob.id],
  });
  expect(linked).toEqual({ subject: 'bob', name: 'Robert', claims: [] });
  // No right yet; a group of SCIM gives one at once, and the end of the account takes it away at once.
  await scim('/Groups', { displayName: 'Desk', members: [{ value: bob.id }] });
  expect(await me(session.token)).toBe(200);
  await scim(`/Users/${bob.id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }, 'PATCH');
  // The sessions that a server remembers are told of it a moment later.
  await expect.poll(() => me(session.token)).toBe(401);
  expect((await goBy(id, 'bob')).text).toContain('Your account is disabled');

  // Only who was provisioned may come, if the directory says so.
  await installation.call(admin, 'POST', `/v1/directories/${id}`, { provisionedOnly: true });
  expect((await goBy(id, 'eve')).text).toContain('has not given you access');
});

it('leads there by the mail domain, by a button, and keeps accounts of its own', async () => {
  const { issuer } = await lyingProvider();
  const id = await directory('South', { issuer, mailDomains: ['southwind.test'], tenantIds: [southwind], hasButton: true });
  const browser = new Browser(installation.publicUrl);
  const { page } = await browser.openSignIn();
  expect(await (await browser.go(page)).text()).toContain('Sign in with South');
  expect(await (await browser.go(page)).text()).not.toContain('Sign in with North');
  const lead = await browser.tryPassword(page, 'Eve@Southwind.test', '');
  expect(lead.text).toContain(`/directory/${id}`);
  // An account with a password here is asked for it here, also with an address of the domain.
  await installation.person('breakglass@southwind.test', { set: shippedSets.administrator.id, tenantId: null });
  await new Browser(installation.publicUrl).signIn('breakglass@southwind.test', password);
});

it('believes no token but that of the provider, for this client and this sign-in', async () => {
  const { issuer, lie, honest } = await lyingProvider();
  const other = await lyingProvider();
  const id = await directory('Lies', { issuer });
  const refused = async (claims: Claims, sign = honest) => {
    Object.assign(lie, { claims, sign });
    const { text, token } = await goBy(id);
    expect(token).toBeUndefined();
    return text;
  };
  expect(await refused({ iss: other.issuer })).toContain('names another issuer');
  expect(await refused({ aud: 'another' })).toContain('compares the client ID');
  expect(await refused({ nonce: 'another' })).toContain('Please begin again');
  expect(await refused({ exp: 1 })).toContain('by a time server');
  expect(await refused({}, other.honest)).toContain('not signed with its keys');
  expect(
    await refused({}, (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('real secret'))),
  ).toContain('not signed with its keys');
  const none = (claims: Claims) =>
    Promise.resolve(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`);
  expect(await refused({}, none)).toContain('not signed with its keys');
  // The name and the address of somebody else make nobody else of the person.
  Object.assign(lie, {
    sign: honest,
    claims: { email: 'boss@example.com', email_verified: true, preferred_username: 'boss@example.com', groups: ['north:Desk'] },
  });
  expect((await goBy(id)).token).toBeDefined();
  const [mallory] = await installation.system.db.query<{ user_name: string; claims: string[] }>({
    text: 'select user_name, claims from person where directory_id = $1',
    values: [id],
  });
  expect(mallory).toEqual({ user_name: 'boss@example.com (lies mallory)', claims: ['lies:north:Desk'] });
});

it('follows a provider to a new key and with a clock that is a little wrong, and keeps who has one address at two apart', async () => {
  const [one, two] = [await lyingProvider(), await lyingProvider()];
  const ids = [await directory('One', { issuer: one.issuer }), await directory('Two', { issuer: two.issuer })] as const;
  const claims = { sub: 'kim', email: 'kim@twice.test', email_verified: true, preferred_username: 'kim@twice.test' };
  const now = Math.floor(Date.now() / 1_000);
  Object.assign(one.lie.claims, { ...claims, iat: now - 80, exp: now - 20 });
  Object.assign(two.lie.claims, { ...claims, iat: now + 20, nbf: now + 20, exp: now + 80 });
  for (const id of ids) expect((await goBy(id)).token).toBeDefined();
  await one.turnKey();
  expect((await goBy(ids[0])).token).toBeDefined();
  const people = await installation.system.db.query<{ user_name: string }>({
    text: "select user_name from person where directory_id = any($1::uuid[]) and subject = 'kim'",
    values: [ids],
  });
  expect(new Set(people.map(({ user_name: name }) => name)).size).toBe(2);
  // A clock that is minutes wrong is no longer believed.
  Object.assign(one.lie.claims, { iat: now - 400, exp: now - 120 });
  expect((await goBy(ids[0])).text).toContain('did not work');
});

it('lets a sign-in by a provider count for a day, and one with a password here for longer', async () => {
  const { issuer, lie } = await lyingProvider();
  const id = await directory('Daily', { issuer });
  Object.assign(lie.claims, { sub: 'kim', groups: ['Desk'] });
  await installation.call(admin, 'PUT', '/v1/grants', {
    claim: 'daily:Desk',
    permissionSetId: shippedSets.operator.id,
    tenantId: northwind,
  });
  const { token } = await goBy(id);
  const { db, log } = installation.system;
  await db.query({
    text: `insert into push_subscription (person_id, endpoint, p256dh, auth, browser, session_id)
      select account_id::uuid, 'https://push.example.com/kim', 'p', 'a', 'Firefox', uid from identity_item i join person p on p.person_id::text = i.account_id
      where i.model = 'Session' and p.subject = 'kim' and p.directory_id = $1 limit 1`,
    values: [id],
  });
  const browsers = () => db.query({ text: "select 1 from push_subscription where endpoint = 'https://push.example.com/kim'" });
  expect(await browsers()).toHaveLength(1);
  const follow = () => followDirectories(db, { masterKey: installation.masterKey, ldap: ldapClient({ allow: [] }), log });
  await follow();
  expect(await me(token)).toBe(200);
  await db.query({
    text: `update identity_item set payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::bigint - 86500)) where model = 'Session'`,
  });
  await follow();
  // The sessions that a server remembers are told of it a moment later.
  await expect.poll(() => me(token)).toBe(401);
  expect(await me(admin)).toBe(200);
  // Who is on call is still told by the browser.
  expect(await browsers()).toHaveLength(1);
});

it('says that a provider is away, and signs others in', async () => {
  const away = await lyingProvider();
  const id = await directory('Away', { issuer: away.issuer });
  away.stop();
  expect((await goBy(id)).text).toContain('Away cannot be reached just now');
  const tried = await installation.call(admin, 'POST', `/v1/directories/${id}/try`, {});
  expect(tried.body).toMatchObject({ works: false, message: expect.stringContaining('cannot be read') as string });
  await new Browser(installation.publicUrl).signIn('boss@example.com', password);
});

it('takes no callback that it did not begin', async () => {
  const { issuer } = await lyingProvider();
  const id = await directory('Forged', { issuer });
  const browser = new Browser(installation.publicUrl);
  const { page } = await browser.openSignIn();
  const { pathname } = new URL(page);
  expect((await browser.go(`${pathname}/directory?code=c&state=${randomBytes(8).toString('hex')}`)).status).toBe(400);
  expect((await browser.go(`${pathname}/directory/${id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`)).status).toBe(404);
  const start = await browser.go(`${pathname}/directory/${id}`);
  const state = new URL(browser.next(start)).searchParams.get('state') ?? '';
  const thief = new Browser(installation.publicUrl);
  expect((await thief.go(thief.next(await thief.go(`/idp/directory/callback?code=c&state=${state}`)))).status).toBe(400);
  expect(thief.next(await thief.go('/idp/directory/callback?code=c&state=../../evil'))).toBe(`${installation.publicUrl}/`);
});
