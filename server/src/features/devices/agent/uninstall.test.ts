/** Who may have an agent uninstalled, what its machine is told, and whose report counts. */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assertionType } from '@cloudfit/contract/agent/identity.ts';
import { uninstallText, type UninstallOrder } from '@cloudfit/contract/agent/uninstall.ts';
import { shippedSets } from '../../../auth/shipped.ts';
import { machineOf, newAgentKey } from '../../../testing/enrolled-device.ts';
import { Browser } from '../../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../../testing/installation.ts';

let installation: Installation;
let tenantId: string;
/** The access tokens of an administrator of all, of one of another tenant, and of somebody who may not delete here. */
let root: string;
let otherTenant: string;
let editor: string;
let subscriptionId: string;
let enrolment: string;

beforeAll(async () => {
  installation = await startInstallation(1);
  tenantId = await installation.tenant('Northwind');
  const other = await installation.tenant('Southwind');
  const signedIn = async (name: string, set: { id: string }, of: string | null) => {
    await installation.person(name, { set: set.id, tenantId: of });
    return (await new Browser(installation.publicUrl).signIn(name, password)).access_token;
  };
  root = await signedIn('root@example.org', shippedSets.administrator, null);
  otherTenant = await signedIn('otherTenant@example.org', shippedSets.administrator, other);
  editor = await signedIn('reader@example.org', shippedSets.reader, tenantId);
  subscriptionId = String(
    (await installation.call(root, 'PUT', '/v1/subscriptions', { name: 'Default', tenantId })).body['subscriptionId'],
  );
  const token = { name: 'New', lifetimeYears: 1, tenantId, scopes: ['agent'] };
  enrolment = String((await installation.call(root, 'PUT', '/v1/tokens', token)).body['generatedToken']);
});
afterAll(() => installation.close());

type Key = ReturnType<typeof newAgentKey>;

interface Refusal {
  error?: string;
  access_token?: string;
  uninstall?: UninstallOrder;
  isReported?: boolean;
}

async function answerTo(key: Key, registrationId: string, claims: object = {}): Promise<Response> {
  const assertion = await new SignJWT({ jti: randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer(registrationId)
    .setSubject(registrationId)
    .setAudience(`${installation.publicUrl}/v1/agent/token`)
    .setExpirationTime(Math.floor(Date.now() / 1_000) + 60)
    .sign(key.privateKey);
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_assertion: assertion,
  });
  return fetch(`${installation.publicUrl}/v1/agent/token`, { method: 'POST', body });
}

const signIn = async (key: Key, registrationId: string, claims: object = {}): Promise<Refusal> =>
  (await (await answerTo(key, registrationId, claims)).json()) as Refusal;

async function machine(name: string) {
  const key = newAgentKey();
  const body = machineOf({ publicKey: key.publicKey, machineName: name });
  const registered = (await installation.call(enrolment, 'POST', '/v1/agent/register', body)).body as unknown as {
    pendingDeviceId: string;
    packageKeys: string[];
  };
  const { pendingDeviceId: registrationId } = registered;
  const path = `/v1/pendingdevices/batchpromote?subscriptionId=${subscriptionId}`;
  const promoted = await installation.call(root, 'POST', path, [registrationId]);
  return {
    key,
    registrationId,
    packageKey: registered.packageKeys[0] ?? '',
    deviceId: String(promoted.body.value?.[0]?.['deviceId']),
    name,
  };
}

const retire = async (by: string, { deviceId, name }: { deviceId: string; name: string }) =>
  (await installation.call(by, 'POST', `/v1/devices/${deviceId}/uninstall`, { name })).status;
const deviceOf = async (id: string) => (await installation.call(root, 'GET', `/v1/devices(${id})`)).body;

it('is ordered only by who may delete the device there, and once, and is withdrawn when it is admitted', async () => {
  const here = await machine('db-1');
  expect([await retire(otherTenant, here), await retire(editor, here), await retire(root, { ...here, name: 'db-2' })]).toEqual([
    404, 403, 400,
  ]);
  expect((await signIn(here.key, here.registrationId)).access_token).toEqual(expect.any(String));
  expect(await retire(root, here)).toBe(200);
  expect(await retire(root, here)).toBe(409);
  expect(await deviceOf(here.deviceId)).toMatchObject({ enabled: false, uninstallOn: expect.any(String), uninstalledOn: null });
  expect(await signIn(here.key, here.registrationId)).toMatchObject({ error: 'access_denied', uninstall: { orderId: expect.any(String) } });
  await installation.call(root, 'POST', `/v1/devices/${here.deviceId}/admit`, {});
  expect(await signIn(here.key, here.registrationId)).toMatchObject({ error: 'invalid_client' });
  expect(await deviceOf(here.deviceId)).toMatchObject({ uninstallOn: null });
  const bare = String((await installation.call(root, 'PUT', '/v1/devices', { name: 'bare', tenantId, subscriptionId })).body['deviceId']);
  expect(await retire(root, { deviceId: bare, name: 'bare' })).toBe(409);
});

it('is signed for the one machine until a time, and only its key reports it', async () => {
  const [one, two] = [await machine('web-1'), await machine('web-2')];
  await retire(root, one);
  const { uninstall: order } = await signIn(one.key, one.registrationId);
  if (!order) throw new Error('No order came.');
  const isSigned = (registrationId: string, over: object = {}) =>
    verify(
      null,
      Buffer.from(uninstallText({ ...order, ...over }, registrationId)),
      createPublicKey({ key: Buffer.from(one.packageKey, 'base64'), format: 'der', type: 'spki' }),
      Buffer.from(order.signature, 'base64'),
    );
  expect([isSigned(one.registrationId), isSigned(two.registrationId), isSigned(one.registrationId, { until: '2099-01-01' })]).toEqual([
    true,
    false,
    false,
  ]);
  const days = (Date.parse(order.until) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  const claim = { uninstalled: { orderId: order.orderId, removed: ['Checks'], stays: [] } };
  expect((await signIn(two.key, two.registrationId, claim)).isReported).toBeUndefined();
  expect((await signIn(two.key, one.registrationId, claim)).error).toBe('invalid_client');
  expect(
    (await signIn(one.key, one.registrationId, { uninstalled: { ...claim.uninstalled, orderId: randomUUID() } })).isReported,
  ).toBeUndefined();
  expect(await deviceOf(one.deviceId)).toMatchObject({ uninstalledOn: null });
  // Also a second time, where the first answer was lost.
  for (const time of [1, 2]) expect([time, (await signIn(one.key, one.registrationId, claim)).isReported]).toEqual([time, true]);
  expect(await deviceOf(one.deviceId)).toMatchObject({ uninstalledOn: expect.any(String) });
  expect(await signIn(one.key, one.registrationId)).toMatchObject({ error: 'access_denied' });
  expect((await signIn(one.key, one.registrationId)).uninstall).toBeUndefined();
});

it('comes soon to a machine that asks while the offboarding of its customer begins, which waits minutes elsewhere', async () => {
  const { key, registrationId } = await machine('late-1');
  const pause = async () => (await answerTo(key, registrationId)).headers.get('retry-after');
  const deleteOn = new Date(Date.now() + 3_600_000).toISOString();
  const ending = { name: 'Northwind', reason: 'leaves', deleteOn };
  const begun = await installation.call(root, 'POST', `/v1/tenants/${tenantId}/offboarding`, ending);
  expect([begun.status, await pause()]).toEqual([200, null]);
  expect((await installation.call(root, 'PUT', `/v1/offboardings/${String(begun.body['offboardingId'])}/stop`, {})).status).toBe(200);
  expect((await installation.call(root, 'POST', `/v1/tenants/toggledisabled/${tenantId}`, {})).status).toBe(200);
  expect(await pause()).toBe('240');
});
