/** Access tokens of devices: which devices they admit, when they are refused, and how long the state of a device is cached. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { createDeviceTokens, cutOffText, looksLikeDeviceToken, type DeviceTokens } from './device-tokens.ts';
import { masterKeyOf } from './master-key.ts';

const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
let test: TestDatabase;
let database: Database;
let db: Db;
let tokens: DeviceTokens;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 3, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await test.close();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  tokens = createDeviceTokens(database, masterKey);
});
afterEach(() => vi.useRealTimers());

const rows = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });

interface Machine {
  registrationId: string;
  deviceId: string;
  tenantId: string;
  token: string;
}

async function machine(publicKey: string | null = 'k'): Promise<Machine> {
  const [row] = await rows<{ registration: string; device: string | null; tenant: string }>(
    `with t as (insert into tenant (name) values (gen_random_uuid()::text) returning tenant_id),
      s as (insert into subscription (tenant_id, name) select tenant_id, 'S' from t returning tenant_id, subscription_id),
      d as (insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, 'pump-1' from s returning tenant_id, device_id)
      insert into pending_device (tenant_id, machine_name, operating_system, architecture, machine_key, device_id, public_key)
      select tenant_id, 'pump-1', 'linux', 'x64', gen_random_uuid(), device_id, $1 from d
      returning pending_device_id as registration, device_id as device, tenant_id as tenant`,
    publicKey,
  );
  const registrationId = row?.registration ?? '';
  const deviceId = row?.device ?? '';
  return { registrationId, deviceId, tenantId: row?.tenant ?? '', token: tokens.issue(registrationId, deviceId) };
}

const refusal = (token: string) =>
  tokens.check(token).then(
    () => 'accepted',
    (error: { status: number; message: string }) => `${error.status} ${error.message}`,
  );
const cutOff = ({ deviceId }: Machine) => rows('update device set cut_off_on = now() where device_id = $1', deviceId);

it('lets a device in as itself, in its tenant, without permissions, for ten minutes', async () => {
  const one = await machine();
  await machine();
  const { db: scoped, ...checked } = await tokens.check(one.token);
  expect(checked).toEqual({
    actor: { kind: 'device', id: one.deviceId, name: 'pump-1', registrationId: one.registrationId },
    permissions: new Map(),
    tenants: [one.tenantId],
  });
  const visible = await scoped.query<{ id: string }>({ text: 'select device_id as id from device' });
  expect(visible.map(({ id }) => id)).toEqual([one.deviceId]);
  const expires = Number(one.token.split('.')[2]) * 1_000;
  expect(expires - Date.now()).toBeGreaterThan(599_000);
  expect(expires - Date.now()).toBeLessThanOrEqual(600_000);
  vi.setSystemTime(expires - 1);
  expect(await refusal(one.token)).toBe('accepted');
  vi.setSystemTime(expires);
  expect(await refusal(one.token)).toBe('401 The access token of the device has expired.');
});

it('refuses what this installation has not signed', async () => {
  const { token, registrationId, deviceId } = await machine();
  const [, , seconds = '', signature = ''] = token.split('.');
  const others = [
    token.replace(`.${seconds}.`, `.${Number(seconds) + 1}.`),
    token.replace(deviceId, randomUUID()),
    token.replace(registrationId, randomUUID()),
    `${token.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
    token.slice(0, -1),
    `${token}A`,
    'cfda_',
    createDeviceTokens(database, masterKeyOf([randomBytes(32).toString('base64')])).issue(registrationId, deviceId),
  ];
  for (const one of others) expect(await refusal(one)).toBe('401 This is not an access token of a device of this installation.');
  // A token that was signed with the previous key stays valid after a rotation.
  const ring = { signatures: (text: string, purpose: string) => ['new', ...masterKey.signatures(text, purpose)] };
  expect(await createDeviceTokens(database, ring).check(token)).toMatchObject({ actor: { id: deviceId } });
  expect([looksLikeDeviceToken(token), looksLikeDeviceToken('cfst_x'), looksLikeDeviceToken('')]).toEqual([true, false, false]);
});

it('refuses a device that was cut off, became another one, is not enrolled, or whose tenant is disabled', async () => {
  const [cut, closed, keyless] = [await machine(), await machine(), await machine(null)];
  await cutOff(cut);
  await rows('update tenant set enabled = false where tenant_id = $1', closed.tenantId);
  expect(await refusal(cut.token)).toBe(`401 ${cutOffText}`);
  expect(await refusal(closed.token)).toBe('401 The tenant of this device is disabled.');
  for (const token of [keyless.token, tokens.issue(randomUUID(), keyless.deviceId)])
    expect(await refusal(token)).toBe('401 This machine is not enrolled any more.');
  const { registrationId } = await machine();
  expect(await refusal(tokens.issue(registrationId, cut.deviceId))).toBe('401 This machine has become another device.');
});

it('remembers the state of a device for a second and a half, or until devices change', async () => {
  const [one, two] = [await machine(), await machine()];
  for (const { token } of [one, two]) expect(await refusal(token)).toBe('accepted');
  await cutOff(one);
  vi.setSystemTime(Date.now() + 1_499);
  expect(await refusal(one.token)).toBe('accepted');
  vi.setSystemTime(Date.now() + 1);
  expect(await refusal(one.token)).toBe(`401 ${cutOffText}`);
  // `forget` discards the cached state of a device, however recent the state is.
  expect(await refusal(two.token)).toBe('accepted');
  await cutOff(two);
  expect(await refusal(two.token)).toBe('accepted');
  tokens.forget();
  expect(await refusal(two.token)).toBe(`401 ${cutOffText}`);
});

it('looks many devices up by few statements', async () => {
  const batchSizes: number[] = [];
  const query = ({ values: [ids] = [] }: { values?: readonly unknown[] }) => {
    batchSizes.push((ids as string[]).length);
    const state = { device_id: 'd', tenant_id: 't', name: 'n', is_cut_off: false, tenant_enabled: true };
    return Promise.resolve((ids as string[]).map((id) => ({ ...state, registration_id: id, device_id: id })));
  };
  tokens = createDeviceTokens({ scoped: () => ({ query }) } as unknown as Database, masterKey);
  const ids = Array.from({ length: 500 }, () => randomUUID());
  const checked = await Promise.all(ids.map((id) => tokens.check(tokens.issue(id, id))));
  expect(checked.map(({ actor }) => actor.id)).toEqual(ids);
  // At most two lookups run at a time; requests that arrive meanwhile share the next one.
  expect(batchSizes).toEqual([1, 1, 200, 200, 98]);
});

it('a device that was admitted stays so while the database stalls, where packets go to a stream', async () => {
  tokens = createDeviceTokens(database, masterKey, true);
  const one = await machine();
  expect(await refusal(one.token)).toBe('accepted');
  const other = openDatabase({ url: test.url, max: 1, onError: () => undefined });
  await other.scoped('all').transaction(async (tx) => {
    await tx.query({ text: 'lock table pending_device in access exclusive mode' });
    vi.setSystemTime(Date.now() + 5_000);
    expect(await Promise.all(Array.from({ length: 20 }, () => refusal(one.token)))).toEqual(Array(20).fill('accepted'));
    await tx.query({ text: 'update device set cut_off_on = now() where device_id = $1', values: [one.deviceId] });
  });
  await other.close();
  await expect.poll(() => refusal(one.token)).toBe(`401 ${cutOffText}`);
});
