import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { configurationWaitMaxSeconds, type RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { openDatabase, type Database } from '../../../db/connection.ts';
import { create } from '../../../resources/create.ts';
import { setFields, update } from '../../../resources/update.ts';
import { registerServed } from '../../../resources/served.ts';
import { served } from '../../../app/served.ts';
import { enrolDevice, machineOf } from '../../../testing/enrolled-device.ts';
import { testDatabase, type TestDatabase } from '../../../testing/database.ts';
import { servedPublishers } from '../../packages/publishers.served.ts';
import { servedTenants } from '../../tenancy/tenants.served.ts';
import { servedDevices } from '../devices.served.ts';
import { agentConfiguration } from './configuration.ts';
import { watchDevices, type DeviceWatch } from './device-watch.ts';
import { ensureFirstTenant } from './first-tenant.ts';
import { storeAgentLogs } from './store-logs.ts';
import { promotePendingDevices, type SubscriptionIds } from './promote.ts';
import { registerAgent } from './register.ts';

let test: TestDatabase;
let database: Database;
let watch: DeviceWatch;
let system: Ctx;
let home: SubscriptionIds;
let tokenGrantId: string;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  await registerServed(database, served);
  system = systemCtx({ database, log: pino({ level: 'silent' }), name: 'test' });
  const both = await Promise.all([ensureFirstTenant(system), ensureFirstTenant(system)]);
  if (!both[0] || both[0].tenantId !== both[1]?.tenantId) throw new Error('Two starts at once made no tenant, or two.');
  home = both[0];
  const [token] = await system.db.query<{ id: string }>({
    text: "insert into token_grant (tenant_id, name, token_hash, token_hint) values ($1, 'agents', '', '') returning token_grant_id as id",
    values: [home.tenantId],
  });
  tokenGrantId = token?.id ?? '';
  watch = await watchDevices(database, (error) => expect.unreachable(String(error)));
});

afterAll(async () => {
  await watch?.close();
  await database?.close();
  await test?.close();
});

function agentCtx(tenantId: string, scopes = ['agent', 'ingest']): Ctx {
  return {
    ...system,
    actor: { kind: 'token', id: tokenGrantId, name: 'agent token', scopes },
    tenants: [tenantId],
    permissions: new Map(),
    db: database.scoped([tenantId]),
    address: '192.0.2.7',
  };
}

const machine = machineOf;
const register = (ctx: Ctx, described: RegisterRequest) => registerAgent(ctx, described, { publicUrl: 'http://localhost', database });

/** A promoted machine; `ctx` is the context of its agent with an access token. */
async function promotedMachine() {
  const device = await enrolDevice({ system, database }, home);
  const { actor } = device.caller;
  if (actor?.kind !== 'device') throw new Error('It is no device.');
  const ctx = { ...agentCtx(home.tenantId), actor };
  return { ctx, machine: device.machine, pendingDeviceId: device.registrationId, deviceId: device.deviceId };
}

/** The state of a device whose configuration has not been read yet. */
const unread = { registrationId: '', tenantId: '', version: '', rowVersion: 0, clockSkewSeconds: null, instanceId: null };

const query = <T>(text: string, ...values: unknown[]) => database.scoped('all').query<T>({ text, values });

describe('registration', () => {
  it('keeps one pending device per machine, whatever is said about it, and its ping', async () => {
    const ctx = agentCtx(home.tenantId);
    const described = machine();
    const first = await register(ctx, described);
    expect(first.status).toBe('pending');
    const again = await register({ ...ctx, now: () => new Date(Date.now() + 60_000) }, { ...described, machineName: 'renamed' });
    expect(again).toEqual(first);
    const rows = await query<Record<string, unknown>>(
      'select *, last_ping > created as pinged from pending_device where machine_key = $1',
      described.machineKey,
    );
    expect(rows).toMatchObject([{ machine_name: 'renamed', ip_address: '192.0.2.7', tenant_id: home.tenantId, pinged: true }]);
    expect(await query('select 1 from audit where entity_id = $1', first.pendingDeviceId)).toHaveLength(1);
  });

  it('by a token changes nothing of a device or of a key, because a token does not prove the key', async () => {
    const { machine: existing, pendingDeviceId, deviceId } = await promotedMachine();
    await setFields(system, servedDevices, deviceId, { restartAgentFlag: true });
    const rows = () =>
      query(
        'select to_jsonb(p) as p, to_jsonb(d) as d from pending_device p join device d using (device_id) where device_id = $1',
        deviceId,
      );
    const before = await rows();
    const answer = await register(agentCtx(home.tenantId), { ...existing, machineName: 'evil', instanceId: crypto.randomUUID() });
    // The owner of the key needs the answer when it has lost the first one.
    expect(answer).toEqual({ status: 'promoted', pendingDeviceId, deviceId, audience: expect.any(String) });
    const { publicKey: _key, ...withoutKey } = existing;
    await expect(register(agentCtx(home.tenantId), { ...withoutKey, machineName: 'evil' })).rejects.toThrow(
      /Another machine is registered/,
    );
    await query('update pending_device set other_machine_on = null where device_id = $1', deviceId);
    expect(await rows()).toMatchObject([{ p: (before[0] as { p: object }).p, d: { restart_agent_flag: true } }]);
  });

  it('needs a token with the scope agent and one tenant', async () => {
    await expect(register(agentCtx(home.tenantId, ['ingest']), machine())).rejects.toThrow(/scope agent/);
    await expect(register({ ...agentCtx(home.tenantId), tenants: 'all' }, machine())).rejects.toThrow(/one tenant/);
    await expect(register(system, machine())).rejects.toThrow(/token/);
  });
});

describe('promotion', () => {
  it('[PEND-011] registers a new device, once, with audit and change rows', async () => {
    const { ctx, pendingDeviceId, deviceId, machine } = await promotedMachine();
    expect(await promotePendingDevices(system, [pendingDeviceId], home)).toEqual([{ pendingDeviceId, deviceId, created: false }]);
    expect(await register(ctx, machine)).toEqual({ status: 'promoted', pendingDeviceId, deviceId });
    const rows = await query('select tenant_id, subscription_id, name, operating_system_id from device where device_id = $1', deviceId);
    expect(rows).toEqual([{ tenant_id: home.tenantId, subscription_id: home.subscriptionId, name: 'db-1', operating_system_id: 4 }]);
    const verbs = async (table: string) => {
      const record = await query<{ verb: string }>(
        `select verb from ${table} where entity_id in ($1, $2) order by verb`,
        pendingDeviceId,
        deviceId,
      );
      return record.map((r) => r.verb);
    };
    expect(await verbs('audit')).toEqual(['create', 'create', 'update']);
    // Two more tell lists that the host name and the address by which the device is found have come and changed.
    expect(await verbs('change')).toEqual(['create', 'create', 'update', 'update', 'update']);
  });

  it('makes one device when two people promote at once', async () => {
    const { pendingDeviceId } = await register(agentCtx(home.tenantId), machine());
    const [a, b] = await Promise.all([1, 2].map(() => promotePendingDevices(system, [pendingDeviceId], home)));
    expect(a?.[0]?.deviceId).toBe(b?.[0]?.deviceId);
    expect([a, b].filter((p) => p?.[0]?.created)).toHaveLength(1);
  });

  it('refuses without permission, in another tenant and with a foreign subscription', async () => {
    const { pendingDeviceId } = await register(agentCtx(home.tenantId), machine());
    const [other] = await query<
      Pick<SubscriptionIds, 'tenantId'>
    >(`with t as (insert into tenant (name) values ('Other') returning tenant_id)
      select tenant_id as "tenantId" from t`);
    const [foreign] = await query<SubscriptionIds>(
      `insert into subscription (tenant_id, name) values ($1, 'S') returning tenant_id as "tenantId", subscription_id as "subscriptionId"`,
      other?.tenantId,
    );
    if (!foreign) throw new Error('No other tenant.');
    expect(() => promotePendingDevices(agentCtx(home.tenantId), [pendingDeviceId], home)).toThrow(/permission/);
    await expect(promotePendingDevices(system, [pendingDeviceId], foreign)).rejects.toThrow(/another tenant/);
    await expect(promotePendingDevices(system, [pendingDeviceId], { ...home, subscriptionId: foreign.subscriptionId })).rejects.toThrow(
      /not found/,
    );
    expect(await query('select device_id from pending_device where pending_device_id = $1', pendingDeviceId)).toEqual([
      { device_id: null },
    ]);
  });

  it('lets the machine of a deleted device register again', async () => {
    const { ctx, machine, pendingDeviceId, deviceId } = await promotedMachine();
    await query('update device set is_deleted = true where device_id = $1', deviceId);
    await expect(agentConfiguration(ctx, watch, {})).rejects.toThrow(/not found/);
    expect(await register(ctx, machine)).toEqual({ status: 'pending', pendingDeviceId });
    const [promoted] = await promotePendingDevices(system, [pendingDeviceId], home);
    expect(promoted).toMatchObject({ created: true });
    expect(promoted?.deviceId).not.toBe(deviceId);
  });
});

describe('restart', () => {
  it('[API-108] is told to the agent until it has started again', async () => {
    const { ctx, machine, deviceId } = await promotedMachine();
    await setFields(system, servedDevices, deviceId, { restartAgentFlag: true });
    expect((await agentConfiguration(ctx, watch, {}))?.restartAgentFlag).toBe(true);
    await register(ctx, machine);
    expect((await agentConfiguration(ctx, watch, {}))?.restartAgentFlag).toBe(false);
    const recorded = `select before, after from audit where entity = 'devices' and entity_id = $1 order by audit_id desc limit 1`;
    const [entry] = await system.db.query<{ before: Record<string, unknown> | null; after: Record<string, unknown> | null }>({
      text: recorded,
      values: [deviceId],
    });
    const changed = Object.keys(entry?.after ?? {}).filter((name) => entry?.before?.[name] !== entry?.after?.[name]);
    expect([entry?.before?.['name'], changed]).toEqual(['db-1', ['restartAgentFlag']]);
  });
});

describe('logs', () => {
  it('[API-104] of an agent are kept in its order, unless the device logs nothing', async () => {
    const { ctx, deviceId } = await promotedMachine();
    const created = new Date(Date.now() + 3_600_000).toISOString();
    const entries = ['First.', 'Second.'].map((detail) => ({ created, entryType: 'Trace' as const, detail }));
    const send = (who: Ctx) => storeAgentLogs(who, { entries });
    expect(await send(ctx)).toEqual({ stored: 2 });
    const logged = await query<{ detail: string; is_ahead: boolean }>(
      'select detail, created > now() as is_ahead from device_log where device_id = $1 order by log_entry_id',
      deviceId,
    );
    expect(logged.slice(-2)).toEqual(['First.', 'Second.'].map((detail) => ({ detail, is_ahead: false })));
    await expect(send(agentCtx(home.tenantId))).rejects.toThrow(/access token of a device/);
    await update(system, servedDevices, deviceId, { deviceLoggingLevelId: 1 });
    expect(await send(ctx)).toEqual({ stored: 0 });
  });
});

describe('configuration', () => {
  it('answers at once when the agent holds another version, else after the wait', async () => {
    const { ctx, deviceId } = await promotedMachine();
    const first = await agentConfiguration(ctx, watch, { waitSeconds: 25 });
    expect(first).toMatchObject({
      deviceId,
      name: 'db-1',
      enabled: true,
      heartbeatInterval: 60,
      restartAgentFlag: false,
      traceExpiration: null,
    });
    const etag = first?.version ?? '';
    const startedAt = Date.now();
    expect(await agentConfiguration(ctx, watch, { ifNoneMatch: `"${etag}"`, waitSeconds: 0.3 })).toBeNull();
    expect(Date.now() - startedAt).toBeGreaterThan(290);
  });

  it('hands on a change, also one that notified nobody, and not one that no agent needs', async () => {
    const { ctx, deviceId } = await promotedMachine();
    let version = (await agentConfiguration(ctx, watch, {}))?.version ?? '';
    let waits = 0;
    const counting: DeviceWatch = {
      ...watch,
      changed: (...args) => {
        waits += 1;
        return watch.changed(...args);
      },
    };
    // Starts a poll, and makes each change when the poll waits for it; the poll must end by the last one.
    const poll = async (...changes: (() => Promise<unknown>)[]) => {
      waits = 0;
      const answer = agentConfiguration(ctx, counting, { ifNoneMatch: `"${version}"`, waitSeconds: configurationWaitMaxSeconds });
      for (const [index, change] of changes.entries()) {
        await vi.waitFor(() => expect(waits).toBeGreaterThan(index), { timeout: 20_000 });
        await change();
      }
      const startedAt = performance.now();
      const configuration = await answer;
      expect(performance.now() - startedAt).toBeLessThan((configurationWaitMaxSeconds * 1_000) / 2);
      version = configuration?.version ?? '';
      return configuration;
    };
    expect(await poll(() => update(system, servedDevices, deviceId, { heartbeatInterval: 7 }))).toMatchObject({ heartbeatInterval: 7 });
    const silently = 'update device set enabled = false, version = version + 1 where device_id = $1';
    expect(await poll(() => query(silently, deviceId))).toMatchObject({ enabled: false });
    // The poll goes on after the first of two changes.
    const unneeded = () => update(system, servedDevices, deviceId, { description: 'Rack 4' });
    const needed = () => update(system, servedDevices, deviceId, { heartbeatInterval: 8 });
    expect(await poll(unneeded, needed)).toMatchObject({ heartbeatInterval: 8 });
  });

  it('hands on whom the tenant of the device trusts, also a change that comes while the configuration is read', async () => {
    const { ctx } = await promotedMachine();
    const quietWatch = await watchDevices(database, () => undefined);
    const version = async (poll: object = {}) => (await agentConfiguration(ctx, quietWatch, poll))?.version ?? '';
    const changes: ((publicKey: string) => Promise<unknown>)[] = [
      (publicKey) => create(system, servedPublishers, { name: 'Acme', publicKey, tenantId: home.tenantId }),
      (publicKey) => create(system, servedPublishers, { name: 'Everywhere', publicKey, tenantId: null }),
      () => update(system, servedTenants, home.tenantId, { onlyTrustedPublishers: true }),
      () => update(system, servedTenants, home.tenantId, { onlyTrustedPublishers: false }),
    ];
    for (const change of changes) {
      const before = await version();
      const waiting = version({ ifNoneMatch: `"${before}"`, waitSeconds: configurationWaitMaxSeconds });
      const { publicKey } = generateKeyPairSync('ed25519');
      const startedAt = performance.now();
      await change(publicKey.export({ type: 'spki', format: 'pem' }).toString());
      expect(['', before]).not.toContain(await waiting);
      // The change ended the poll: without it, the poll would have ended only at its maximum wait.
      expect(performance.now() - startedAt).toBeLessThan((configurationWaitMaxSeconds * 1_000) / 2);
    }
    const [during, other] = [quietWatch.reading(randomUUID()), randomUUID()];
    const woken: string[] = [];
    const ofOther = quietWatch.reading(randomUUID())({ ...unread, tenantId: other });
    const ends = new AbortController();
    const stays = quietWatch.changed(randomUUID(), ofOther, 60_000, ends.signal).then(() => woken.push('other'));
    const wakes = quietWatch.changed(randomUUID(), { ...ofOther, tenantId: home.tenantId }, 60_000).then(() => woken.push('own'));
    await query('select pg_notify($1, $2)', 'publishers', home.tenantId);
    await wakes;
    await quietWatch.changed(randomUUID(), during(unread), 60_000);
    expect(woken).toEqual(['own']);
    ends.abort();
    await stays;
    await quietWatch.close();
  });

  it('reads nothing for the poll after an answer, unless the device has changed since', async () => {
    const { ctx, deviceId } = await promotedMachine();
    let reads = 0;
    const countReads = new Proxy(ctx.db.query, {
      apply: (target, self, args) => {
        if (args[0]?.name === 'agent-configurations') reads += 1;
        return Reflect.apply(target, self, args);
      },
    });
    const counting = { ...ctx, db: { ...ctx.db, query: countReads } };
    const quietWatch = await watchDevices(database, () => undefined);
    // Notifications arrive in order: when this one has arrived, so have those of the promotion.
    const barrier = randomUUID();
    quietWatch.reading(barrier)(unread);
    await query('select pg_notify($1, $2)', 'devices', barrier);
    await vi.waitFor(() => expect(quietWatch.latestRead(barrier)).toBeUndefined(), { timeout: 20_000 });
    const poll = (version: string) => agentConfiguration(counting, quietWatch, { ifNoneMatch: `"${version}"`, waitSeconds: 25 });
    const first = (await agentConfiguration(counting, quietWatch, { waitSeconds: 25 }))?.version ?? '';
    expect(reads).toBe(1);
    // After a change, the waiting poll reads once.
    const waiting = poll(first);
    await update(system, servedDevices, deviceId, { heartbeatInterval: 11 });
    const second = await waiting;
    expect([second?.heartbeatInterval, reads]).toEqual([11, 2]);
    // A change between two polls is answered at once, also when it was announced before the second poll.
    await update(system, servedDevices, deviceId, { heartbeatInterval: 12 });
    await vi.waitFor(() => expect(quietWatch.latestRead(deviceId)).toBeUndefined(), { timeout: 20_000 });
    expect((await poll(second?.version ?? ''))?.heartbeatInterval).toBe(12);
    expect(reads).toBe(3);
    await quietWatch.close();
  });

  it('wakes the agents of many devices in turns, so that others are served between them', async () => {
    const manyWatch = await watchDevices(database, () => undefined);
    const ids = Array.from({ length: 180 }, () => randomUUID());
    const turns: number[] = [];
    let turn = 0;
    const counting = setInterval(() => (turn += 1), 5);
    const visited = manyWatch.reading(randomUUID())({ ...unread, rowVersion: -1 });
    const all = Promise.all(ids.map((id) => manyWatch.changed(id, visited, 60_000).then(() => turns.push(turn))));
    await query('select pg_notify($1, $2)', 'devices', ids.join(','));
    await all;
    clearInterval(counting);
    expect(turns).toHaveLength(180);
    const together = [...Map.groupBy(turns, (at) => at).values()].map((same) => same.length);
    expect(Math.max(...together)).toBeLessThanOrEqual(100);
    await manyWatch.close();
  });

  it('answers a waiting agent when it hangs up and when the server stops', async () => {
    const { ctx } = await promotedMachine();
    const secondWatch = await watchDevices(database, () => undefined);
    const etag = (await agentConfiguration(ctx, secondWatch))?.version ?? '';
    const hangUp = new AbortController();
    const hanging = agentConfiguration(ctx, secondWatch, { ifNoneMatch: `"${etag}"`, waitSeconds: 25, signal: hangUp.signal });
    const stopped = agentConfiguration(ctx, secondWatch, { ifNoneMatch: `"${etag}"`, waitSeconds: 25 });
    setTimeout(() => hangUp.abort(), 50);
    expect(await hanging).toBeNull();
    await secondWatch.close();
    expect(await stopped).toBeNull();
    expect(await agentConfiguration(ctx, secondWatch, { ifNoneMatch: `"${etag}"`, waitSeconds: 25 })).toBeNull();
  });

  it('is told to the access token of the device alone', async () => {
    const { deviceId } = await promotedMachine();
    const actor = { kind: 'device', id: deviceId, name: 'x', registrationId: randomUUID() } as const;
    const other = randomUUID();
    await expect(agentConfiguration({ ...agentCtx(other), actor }, watch)).rejects.toThrow(/not found/);
    await expect(agentConfiguration(agentCtx(home.tenantId), watch)).rejects.toThrow(/access token of a device/);
  });
});
