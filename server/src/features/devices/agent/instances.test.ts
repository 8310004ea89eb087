/** Two processes with one identity: a restart is none, two that both poll are noticed, and the later one is refused. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MachineFacts } from '@cloudfit/contract/agent/machine-facts.ts';
import { newAgentKey } from '../../../testing/enrolled-device.ts';
import { enrolDevice, type EnrolledDevice } from '../../../testing/enrolled-device.ts';
import { createWorld, type TestWorld } from '../../../testing/world.ts';
import { agentConfiguration } from './configuration.ts';
import { watchDevices, type DeviceWatch } from './device-watch.ts';
import { registerAgent } from './register.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let watch: DeviceWatch;
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  watch = await watchDevices(world.database, (error) => pino().error(error));
});
afterAll(async () => {
  await watch.close();
  await world.close();
});

const refused = /Another machine runs with the identity of this one/;
const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const parts = () => ({ publicUrl: 'http://localhost', database: world.database });

/** A process of the agent of the device. */
function processOf(device: EnrolledDevice, facts?: MachineFacts) {
  const instanceId = randomUUID();
  const ctx = () => ({ ...world.ctx(device.caller), address: '192.0.2.9' });
  let version: string | undefined;
  return {
    instanceId,
    register: (over: object = {}) =>
      registerAgent(ctx(), { ...device.machine, publicKey: undefined, instanceId, ...(facts ? { facts } : {}), ...over }, parts()),
    /** One poll; returns the device whose configuration has come, or null. */
    poll: async (waitSeconds = 0) => {
      const got = await agentConfiguration(ctx(), watch, {
        instance: instanceId,
        waitSeconds,
        ...(version === undefined ? {} : { ifNoneMatch: `"${version}"` }),
      });
      version = got?.version ?? version;
      return got?.deviceId ?? null;
    },
  };
}
const isMarked = async ({ deviceId }: EnrolledDevice) =>
  (await rows<{ marked: boolean }>('select other_machine_on is not null as marked from device where device_id = $1', deviceId))[0]?.marked;

it('a process that replaces one which no longer polls gets its configuration soon, however often that happens', async () => {
  const device = await enrolDevice(world, home);
  for (let n = 0; n < 3; n++) {
    const process = processOf(device);
    await process.register();
    expect(await process.poll()).toBe(device.deviceId);
  }
  expect(await isMarked(device)).toBe(false);
});

it('a poll of the replaced process ends, and a single late poll of it means nothing', async () => {
  const device = await enrolDevice(world, home);
  const [first, next] = [processOf(device), processOf(device)];
  await first.register();
  await first.poll();
  const open = first.poll(50);
  await next.register();
  expect(await open).toBeNull();
  expect(await first.poll(50)).toBeNull();
  expect(await next.poll()).toBe(device.deviceId);
  expect(await isMarked(device)).toBe(false);
});

it('two processes that both poll are noticed: the later one is refused before it has a configuration, the other goes on', async () => {
  const device = await enrolDevice(world, home);
  const [first, copy] = [processOf(device), processOf(device)];
  await first.register();
  await first.poll();
  const open = first.poll(50);
  await copy.register();
  const ofCopy = copy.poll(50);
  const refusal = ofCopy.catch((error: unknown) => error);
  expect([await open, await first.poll(50), await first.poll(50)]).toEqual([null, null, null]);
  expect(String(await refusal)).toMatch(refused);
  await expect(copy.poll()).rejects.toThrow(refused);
  await expect(copy.register()).rejects.toThrow(refused);
  await rows('update device set version = version + 1, heartbeat_interval = 77 where device_id = $1', device.deviceId);
  expect(await first.poll(10)).toBe(device.deviceId);
  expect(await isMarked(device)).toBe(true);
  const logged = await rows<{ detail: string }>(
    "select detail from device_log where device_id = $1 and entry_type = 'Warning'",
    device.deviceId,
  );
  expect(logged.map((row) => row.detail)).toEqual([
    expect.stringMatching(/^Another machine runs with a copy of the identity of this device\./),
  ]);
});

it('agents that tell no process are served as before', async () => {
  const device = await enrolDevice(world, home);
  const original = processOf(device);
  await original.register();
  const ctx = world.ctx(device.caller);
  await registerAgent(ctx, { ...device.machine, publicKey: undefined }, parts());
  expect((await agentConfiguration(ctx, watch, {}))?.deviceId).toBe(device.deviceId);
  expect(await original.poll()).toBe(device.deviceId);
});

const hash = (digit: string): string => digit.repeat(64);

it('a process on a machine of which two facts differ is refused at once; one that differs is logged', async () => {
  const device = await enrolDevice(world, home);
  const facts = { system: hash('a'), hardware: hash('b'), networkCard: hash('c') };
  await processOf(device, facts).register();
  await processOf(device, { ...facts, networkCard: hash('d') }).register();
  // The server has kept the new one; facts that are not known count as unchanged.
  await processOf(device, { networkCard: hash('d') }).register();
  await expect(processOf(device, { ...facts, networkCard: hash('d'), system: hash('e'), hardware: hash('f') }).register()).rejects.toThrow(
    refused,
  );
  await processOf(device, { ...facts, networkCard: hash('d') }).register();
  const logged = await rows<{ detail: string }>(
    "select detail from device_log where device_id = $1 and entry_type = 'Warning' order by log_entry_id",
    device.deviceId,
  );
  expect(logged.map((row) => row.detail)).toEqual([
    'This machine has changed: the first network card is another one than before.',
    expect.stringMatching(/^Another machine \(db-1, 192\.0\.2\.9\) runs with a copy of the identity of this device\./),
  ]);
});

it('a copy enrols a key of its own by the access of the device, once, and waits to be promoted', async () => {
  const device = await enrolDevice(world, home);
  const { publicKey } = newAgentKey();
  const copy = { machineKey: randomUUID(), publicKey, machineName: 'clone-1' };
  const [first, again] = [await processOf(device).register(copy), await processOf(device).register(copy)];
  expect(first).toEqual({ status: 'pending', pendingDeviceId: expect.any(String), audience: expect.any(String) });
  expect(again).toEqual(first);
  expect(first.pendingDeviceId).not.toBe(device.registrationId);
  // Nobody takes over the registration of the copy by another key.
  await expect(processOf(device).register({ ...copy, publicKey: newAgentKey().publicKey })).rejects.toThrow(refused);
  const [name] = await rows<{ name: string }>('select name from device where device_id = $1', device.deviceId);
  expect(
    await rows(
      'select machine_name, device_id, copied_from, tenant_id from pending_device where pending_device_id = $1',
      first.pendingDeviceId,
    ),
  ).toEqual([{ machine_name: 'clone-1', device_id: null, copied_from: name?.name, tenant_id: home.tenantId }]);
  expect(await rows('select machine_name, machine_key from pending_device where pending_device_id = $1', device.registrationId)).toEqual([
    { machine_name: device.machine.machineName, machine_key: device.machine.machineKey },
  ]);
  expect(await isMarked(device)).toBe(true);
});
