/** The identity of devices over HTTP on two servers: enrolment by a token, sign-in by the key, cut off, admitted again. */
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assertionType } from '@cloudfit/contract/agent/identity.ts';
import { shippedSets } from '../../../auth/shipped.ts';
import { Browser } from '../../../testing/browser.ts';
import { machineOf, newAgentKey } from '../../../testing/enrolled-device.ts';
import { password, startInstallation, type Installation } from '../../../testing/installation.ts';

let installation: Installation;
let tenantId: string;
let root: string;

beforeAll(async () => {
  installation = await startInstallation(2);
  tenantId = await installation.tenant('Northwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  root = (await new Browser(installation.publicUrl).signIn('root@example.org', password)).access_token;
});
afterAll(() => installation.close());

const enrolmentToken = async () =>
  String(
    (await installation.call(root, 'PUT', '/v1/tokens', { name: 'New', lifetimeYears: 1, tenantId, scopes: ['agent'] })).body[
      'generatedToken'
    ],
  );

type Key = ReturnType<typeof newAgentKey>;

async function assertionOf(key: Key, registrationId: string, jti: unknown = randomUUID()): Promise<string> {
  const seconds = Math.floor(Date.now() / 1_000);
  return new SignJWT({ jti: jti as string })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(registrationId)
    .setSubject(registrationId)
    .setAudience(`${installation.publicUrl}/v1/agent/token`)
    .setExpirationTime(seconds + 60)
    .sign(key.privateKey);
}

async function signIn(assertion: string) {
  const response = await fetch(`${installation.publicUrl}/v1/agent/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion: assertion }),
  });
  return { status: response.status, body: (await response.json()) as { access_token?: string; error?: string } };
}

it('enrols by a token, signs in by its key once per assertion, is cut off on every server, and enrols another key when admitted', async () => {
  const [key, otherKey] = [newAgentKey(), newAgentKey()];
  const machine = machineOf({ publicKey: key.publicKey });
  const token = await enrolmentToken();
  const registered = (await installation.call(token, 'POST', '/v1/agent/register', machine)).body;
  const registrationId = String(registered['pendingDeviceId']);
  expect((await signIn(await assertionOf(key, registrationId))).body.error).toBe('authorization_pending');
  const other = await installation.call(token, 'POST', '/v1/agent/register', { ...machine, publicKey: otherKey.publicKey });
  expect([other.status, other.body.error?.message]).toEqual([409, expect.stringContaining('Another machine')]);

  const subscription = (await installation.call(root, 'PUT', '/v1/subscriptions', { name: 'Default', tenantId })).body;
  const promoted = await installation.call(
    root,
    'POST',
    `/v1/pendingdevices/batchpromote?subscriptionId=${String(subscription['subscriptionId'])}`,
    [registrationId],
  );
  const deviceId = String(promoted.body.value?.[0]?.['deviceId']);
  for (const jti of [1_234_567_890_123_456, { length: 20 }, Array.from({ length: 20 }), 'short', 'x'.repeat(201)])
    expect((await signIn(await assertionOf(key, registrationId, jti))).status).toBe(400);
  const assertion = await assertionOf(key, registrationId);
  const signedIn = await signIn(assertion);
  expect(signedIn.status).toBe(200);
  expect((await signIn(assertion)).body.error).toBe('invalid_grant');
  expect((await signIn(await assertionOf(otherKey, registrationId))).body.error).toBe('invalid_client');

  const access = signedIn.body.access_token ?? '';
  const entries = [{ created: new Date().toISOString(), entryType: 'Information', detail: 'Here.' }];
  const send = async (by: string, server: number) => (await installation.call(by, 'POST', '/v1/agent/logs', { entries }, server)).status;
  expect([await send(access, 0), await send(access, 1), await send(token, 0)]).toEqual([200, 200, 403]);

  await installation.call(root, 'POST', `/v1/devices/${deviceId}/cutOff`, {});
  for (const server of [0, 1]) await expect.poll(() => send(access, server)).toBe(401);
  expect((await signIn(await assertionOf(key, registrationId))).body.error).toBe('access_denied');
  expect((await installation.call(token, 'POST', '/v1/agent/register', machine)).status).toBe(403);

  await installation.call(root, 'POST', `/v1/devices/${deviceId}/admit`, {});
  expect((await signIn(await assertionOf(key, registrationId))).body.error).toBe('invalid_client');
  await installation.call(token, 'POST', '/v1/agent/register', { ...machine, publicKey: otherKey.publicKey });
  expect((await signIn(await assertionOf(otherKey, registrationId))).status).toBe(200);
});
