/** A status page keeps what it showed, whatever becomes of the communications and units that it followed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hourMs } from '@cloudfit/contract/durations.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { readStatus } from './read-status.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(() => world.close());
const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();

/** What the page shows of a component now: its level, the worst level of its days, and its uptime. */
async function shown(name: string) {
  const page = {
    tenantId: home.tenantId,
    title: 'Status',
    description: null,
    components: [{ name, kind: 'Subscription' as const, of: home.subscriptionId }],
  };
  const { components } = await readStatus(world.system.db, page, new Date());
  const days = components[0]?.days.map(({ level }) => level) ?? [];
  const worst = ['Outage', 'Degraded'].find((level) => days.some((day) => day === level)) ?? 'Operational';
  return { level: components[0]?.level, worst, hasOutage: (components[0]?.uptime ?? 0) < 100 };
}

async function communicate(services: string): Promise<(values: object) => Promise<void>> {
  const nextUpdate = new Date(Date.now() + hourMs).toISOString();
  const body = { title: services, impactedServices: services, isPublic: true, status: 'Investigating', eventStarted: ago(2), nextUpdate };
  const created = await world.call(me, 'PUT', '/v1/workUnitCommunications', { ...body, tenantId: home.tenantId });
  expect(created.body['error']).toBeUndefined();
  return async (values) => {
    const path = `/v1/workUnitCommunications/${created.body['workUnitCommunicationId']}`;
    expect((await world.call(me, 'POST', path, values)).body['error']).toBeUndefined();
  };
}
const resolved = { status: 'Resolved', rootCause: 'A cable.', eventResolved: ago(0) };

it('keeps the level that a communication had, after it is resolved, edited and withdrawn', async () => {
  const change = await communicate('Mail');
  const degraded = { worst: 'Degraded', hasOutage: false };
  expect(await shown('Mail')).toEqual({ ...degraded, level: 'Degraded' });
  await change(resolved);
  expect(await shown('Mail')).toEqual({ ...degraded, level: 'Operational' });
  await change({ eventStarted: ago(0.5), impactedServices: 'Telephony' });
  expect(await shown('Mail')).toEqual({ ...degraded, level: 'Operational' });
  expect(await shown('Telephony')).toMatchObject({ worst: 'Operational' });
  await change({ isPublic: false });
  expect(await shown('Mail')).toEqual({ ...degraded, level: 'Operational' });
});

it('keeps the outage that a communication confirmed, after that was taken back', async () => {
  const change = await communicate('Web');
  await change({ status: 'ConfirmedImpact' });
  expect(await shown('Web')).toEqual({ level: 'Outage', worst: 'Outage', hasOutage: true });
  await change({ status: 'Investigating' });
  expect(await shown('Web')).toMatchObject({ level: 'Degraded', worst: 'Outage' });
});

it('keeps the outage of a unit whose severity is corrected later', async () => {
  const device = await world.call(me, 'PUT', '/v1/devices', { name: 'gateway-7', ...home, operatingSystemId: 4 });
  const unit = { title: 'Down', severityId: 'Sev1', workUnitTypeId: 1, tenantId: home.tenantId };
  const id = Number((await world.call(me, 'PUT', '/v1/workUnits', unit)).body['workUnitId']);
  await world.system.db.query({
    text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id)
      values ($1, uuidv7(), $2, 'match', now() + interval '1 hour', now(), now(), uuidv7(), $3)`,
    values: [home.tenantId, device.body['deviceId'], id],
  });
  await world.system.db.query({ text: "update work_unit set created = now() - interval '2 hours' where work_unit_id = $1", values: [id] });
  expect(await shown('All')).toMatchObject({ level: 'Outage', worst: 'Outage' });
  await world.call(me, 'POST', `/v1/workUnits/${id}`, { severityId: 'Sev3' });
  expect(await shown('All')).toEqual({ level: 'Operational', worst: 'Outage', hasOutage: true });
});
