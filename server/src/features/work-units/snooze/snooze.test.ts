/** Work units that are snoozed until a time or a change, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hourMs } from '@cloudfit/contract/durations.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { addOccurrence } from '../occurrences.ts';
import { wakeUnits } from './wake-units.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let other: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  [me, other] = [await person('mo'), await person('otto')];
});
afterAll(() => world.close());

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
async function person(name: string): Promise<TestCaller> {
  const userName = `${name}@example.com`;
  const [row] = await rows<{ id: string | null }>(
    `with s as (insert into permission_set (name, permissions) values ($1, '["CloudFit.CFS.WorkUnits:view", "CloudFit.CFS.WorkUnits:edit"]') returning permission_set_id),
      p as (insert into person (name, user_name, email) values ($1, $2, $2) returning person_id)
    insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $3 from s, p returning person_id as id`,
    name,
    userName,
    tenantId,
  );
  return { ...holder([tenantId]), actor: { kind: 'person', id: row?.id ?? '', name, userName } };
}
const later = () => new Date(Date.now() + hourMs).toISOString();
async function open(): Promise<number> {
  const unit = { title: 'Pump is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId, assignedTo: 'mo@example.com' };
  return Number((await world.call(other, 'PUT', '/v1/workUnits', unit)).body['workUnitId']);
}
const snooze = (ids: readonly unknown[], until: unknown, caller: TestCaller | null = me) =>
  world.call(caller, 'POST', '/v1/workUnits/snooze', { ids, until });
const unit = async (id: number) => (await world.call(me, 'GET', `/v1/workUnits(${id})`)).body;
const isAwake = async (id: number) => (await unit(id))['snoozedUntil'] === null;
const inbox = async (id: number) =>
  (await world.call(me, 'GET', `/v1/inboxItems?$filter=workUnitId eq ${id} and due le now()`)).body.value?.map(({ kind }) => kind);

it('leaves the inbox until its time, says so to everybody, and is recorded', async () => {
  const [id, until] = [await open(), later()];
  expect(await inbox(id)).toEqual(['Assigned']);
  const answer = await snooze([id], until);
  expect([answer.status, answer.body.value?.[0]]).toMatchObject([
    200,
    { snoozedUntil: until, snoozedBy: 'mo@example.com', modifiedBy: 'mo@example.com' },
  ]);
  expect(await inbox(id)).toEqual([]);
  expect((await world.call(other, 'GET', `/v1/workUnits?$filter=workUnitId eq ${id} and snoozedUntil eq null`)).body.value).toEqual([]);
  const history = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
  expect(history.body.value?.[0]).toMatchObject({ field: 'snoozedUntil', newValue: until, createdBy: 'mo@example.com' });
  await wakeUnits(world.database, world.system.log);
  expect(await isAwake(id)).toBe(false);
  await Promise.all([1, 2].map(() => wakeUnits(world.database, world.system.log, () => new Date(Date.now() + 2 * hourMs))));
  expect(await unit(id)).toMatchObject({ snoozedUntil: null, snoozedBy: null });
  const audit = await rows(
    "select 1 from audit where entity = 'workUnits' and entity_id = $1 and before ->> 'snoozedUntil' is distinct from after ->> 'snoozedUntil'",
    String(id),
  );
  expect(audit).toHaveLength(2);
});

it.each<[string, (id: number) => Promise<unknown>]>([
  ['a change', (id) => world.call(other, 'POST', `/v1/workUnits/${id}`, { severityId: 'Sev1' })],
  ['a note', (id) => world.call(other, 'PUT', '/v1/workUnitNotes', { workUnitId: id, detail: 'It is back.' })],
  ['a match', (id) => world.system.db.transaction((db) => addOccurrence({ ...world.system, db }, id, { relations: [] }))],
  ['its end', (id) => world.call(me, 'POST', `/v1/workUnits/${id}`, { stateId: 'Canceled' })],
  ['somebody who wakes it', (id) => snooze([id], null, other)],
])('is woken by %s, and so are its items', async (_what, happens) => {
  const id = await open();
  await snooze([id], later());
  await world.call(me, 'POST', `/v1/workUnits/${id}`, { severityId: 'Sev3' });
  await world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId: id, detail: 'The part comes on Monday.' });
  expect([await isAwake(id), await inbox(id)]).toEqual([false, []]);
  await happens(id);
  expect(await isAwake(id)).toBe(true);
  expect(await inbox(id)).toContain('Assigned');
});

it('needs the right to edit every unit, open ones, and a time in the future', async () => {
  const [id, ended] = [await open(), await open()];
  await world.call(me, 'POST', `/v1/workUnits/${ended}`, { stateId: 'Canceled' });
  expect((await snooze([id], later(), null)).status).toBe(401);
  expect((await snooze([id], later(), holder([tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
  expect((await snooze([id], later(), holder([(await world.tenant()).tenantId]))).status).toBe(404);
  expect((await snooze([id, ended], later())).status).toBe(409);
  for (const until of ['2020-01-01T00:00:00Z', '2090-01-01T00:00:00Z', 'soon', undefined])
    expect((await snooze([id], until)).body).toMatchObject({ error: { details: [{ target: 'until' }] } });
  expect((await snooze([], later())).body).toMatchObject({ error: { details: [{ target: 'ids' }] } });
  expect(await isAwake(id)).toBe(true);
});
