/** The end of a sign-in also ends everything that depends on it, at once and on every server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { invalidatePeople } from '../invalidate.ts';
import { createIntegrationToken } from '../integration-token.ts';
import { shippedSets } from '../shipped.ts';

let installation: Installation;
let tenantId: string;
let administrator: string;
const offline = 'openid profile email offline_access';

beforeAll(async () => {
  installation = await startInstallation(2);
  tenantId = await installation.tenant('Northwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  administrator = (await new Browser(installation.publicUrl).signIn('root@example.org', password)).access_token;
});
afterAll(() => installation.close());

const newcomer = (name: string) => installation.person(`${name}@example.org`, { set: shippedSets.operator.id, tenantId });
const status = async (token: string, server: number) =>
  (await installation.call(token, 'GET', '/v1/currentUser', undefined, server)).status;

/** Expects that after `by` the token is refused and its streams end, on both servers. */
async function expectEnd(token: string, by: () => Promise<unknown>, refused = 401): Promise<void> {
  const streams = await Promise.all([0, 1].map((server) => installation.stream(token, server)));
  expect([await status(token, 0), await status(token, 1)]).toEqual([200, 200]);
  await by();
  // The streams end at once; without the end of the sign-in they would end after five minutes.
  await Promise.all(streams.map((stream) => stream.ended));
  for (const server of [0, 1]) await expect.poll(() => status(token, server)).toBe(refused);
}

/**
 * Deletes the revocations, which expire after some time: a token that is still refused after this call is refused
 * permanently.
 */
async function forgetRevocations(): Promise<void> {
  await installation.system.db.query({ text: 'delete from revoked_token' });
}

it('ends refresh tokens, access tokens and streams with the sign-out', async () => {
  await newcomer('otto');
  const browser = new Browser(installation.publicUrl);
  const tokens = await browser.signIn('otto@example.org', password, offline);
  const first = await browser.refresh(tokens.refresh_token ?? '');
  expect(first.status).toBe(200);
  const renewed = (await first.json()) as { access_token: string; refresh_token: string };
  await expectEnd(renewed.access_token, () => browser.signOut(tokens));
  await forgetRevocations();
  for (const refreshToken of [renewed.refresh_token, tokens.refresh_token ?? ''])
    expect((await browser.refresh(refreshToken)).status).toBe(400);
});

it('keeps the session of somebody who refreshes', async () => {
  const personId = await newcomer('rita');
  const browser = new Browser(installation.publicUrl);
  const tokens = await browser.signIn('rita@example.org', password, offline);
  await installation.system.db.query({
    text: `update identity_item set expires_at = now() + interval '1 minute',
      payload = jsonb_set(payload, '{exp}', to_jsonb(extract(epoch from now())::bigint + 60)) where model = 'Session' and account_id = $1`,
    values: [personId],
  });
  expect((await browser.refresh(tokens.refresh_token ?? '')).status).toBe(200);
  const [session] = await installation.system.db.query<{ hours: number }>({
    text: `select least(extract(epoch from expires_at - now()), (payload->>'exp')::float8 - extract(epoch from now()))::float8 / 3600 as hours
      from identity_item where model = 'Session' and account_id = $1`,
    values: [personId],
  });
  expect(session?.hours).toBeGreaterThan(23);
});

it('ends everything of a person who is disabled, also for the time after', async () => {
  const personId = await newcomer('dora');
  const browser = new Browser(installation.publicUrl);
  const tokens = await browser.signIn('dora@example.org', password, offline);
  const enable = (enabled: boolean) => installation.call(administrator, 'PATCH', `/v1/people/${personId}`, { enabled });
  await expectEnd(
    tokens.access_token,
    async () => {
      expect((await enable(false)).status).toBe(200);
      // Disabling the person ends the session too.
      await expect.poll(() => status(tokens.access_token, 1)).not.toBe(200);
    },
    401,
  );
  expect((await browser.refresh(tokens.refresh_token ?? '')).status).toBe(400);
  expect((await enable(true)).status).toBe(200);
  await forgetRevocations();
  expect((await browser.refresh(tokens.refresh_token ?? '')).status).toBe(400);
  const { page } = await browser.openSignIn();
  expect(page).toContain('/idp/interaction/');
});

it('ends the other sign-ins with a change of the password', async () => {
  await newcomer('paul');
  const [here, there] = [new Browser(installation.publicUrl), new Browser(installation.publicUrl)];
  const tokens = await there.signIn('paul@example.org', password, offline);
  await here.signIn('paul@example.org', password);
  await expectEnd(tokens.access_token, async () => {
    const fields = { current: password, password: 'another violet tractor', repeated: 'another violet tractor' };
    const changed = await here.go('/idp/account/password', { method: 'POST', body: new URLSearchParams(fields) });
    expect(here.next(changed)).toContain('done=password');
  });
  await forgetRevocations();
  expect((await there.refresh(tokens.refresh_token ?? '')).status).toBe(400);
});

it('ends the stream of a tenant token with its revocation, and narrows it with the rights of its reader', async () => {
  const { token, hash, hint } = createIntegrationToken();
  const [row] = await installation.system.db.query<{ id: string }>({
    text: `insert into token_grant (tenant_id, name, token_hash, token_hint, permission_set_id) values ($1, 'Feed', $2, $3, $4)
      returning token_grant_id as id`,
    values: [tenantId, hash, hint, shippedSets.reader.id],
  });
  await expectEnd(token, () => installation.call(administrator, 'PUT', `/v1/tokens/${row?.id}/revoke`));

  const personId = await newcomer('nora');
  const reader = await new Browser(installation.publicUrl).signIn('nora@example.org', password);
  const stream = await installation.stream(reader.access_token, 1);
  const location = (name: string) => installation.call(administrator, 'PUT', '/v1/locations', { name, tenantId });
  const visibleId = String((await location('Seen')).body['locationId']);
  await expect.poll(() => stream.text()).toContain(visibleId);
  await installation.system.db.query({ text: 'delete from access_grant where person_id = $1', values: [personId] });
  await invalidatePeople(installation.system.db);
  await expect.poll(async () => (await installation.call(reader.access_token, 'GET', '/v1/locations', undefined, 1)).status).toBe(403);
  const unseen = String((await location('Unseen')).body['locationId']);
  const everybody = await installation.stream(administrator, 1);
  const last = String((await location('Last')).body['locationId']);
  await expect.poll(() => everybody.text()).toContain(last);
  expect(stream.text()).not.toContain(unseen);
  stream.stop();
  everybody.stop();
});
