/** A work unit at an entry of its feed, and the undo of one change, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  me = { ...holder([tenantId]), actor: { kind: 'person', id: crypto.randomUUID(), name: 'Mara Okafor', userName: 'mara@example.com' } };
});
afterAll(() => world.close());

interface Entry {
  id: number;
  field: string | null;
  oldValue: string | null;
  newValue: string | null;
  historyType: string | null;
}

async function open(): Promise<number> {
  const { body } = await world.call(me, 'PUT', '/v1/workunits', { title: 'Pump', severityId: 'Sev1', workUnitTypeId: 1, tenantId });
  return body['workUnitId'] as number;
}
const patch = (id: number, operations: unknown, caller = me) => world.call(caller, 'PATCH', `/v1/workunits/${id}`, operations);
const set = (id: number, field: string, value: unknown) => patch(id, [{ op: 'replace', path: `/${field}`, value }]);
const feed = async (id: number) =>
  (await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`)).body.value as unknown as Entry[];
const at = (id: number, entryId: number, caller = me): Promise<WorldReply> =>
  world.call(caller, 'GET', `/v1/workunits/GetWorkUnitAt(workUnitId=${id},entryId=${entryId})`);

it('shows the unit as it was right after each entry, notes too', async () => {
  const id = await open();
  await set(id, 'title', 'Pump 4');
  await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail: 'Looking.', isExternalNote: false });
  await set(id, 'severityId', 'Sev3');
  await set(id, 'title', 'Pump 4, bearing');
  const states = [];
  for (const entry of (await feed(id)).toReversed()) {
    const { unit } = (await at(id, entry.id)).body as unknown as { unit: Record<string, unknown> };
    states.push([entry.historyType ?? 'note', unit['title'], unit['severityId'], unit['description']]);
  }
  expect(states).toEqual([
    ['WorkUnitEvent', 'Pump', 'Sev1', null],
    ['FieldChange', 'Pump 4', 'Sev1', null],
    ['note', 'Pump 4', 'Sev1', null],
    ['FieldChange', 'Pump 4', 'Sev3', null],
    ['FieldChange', 'Pump 4, bearing', 'Sev3', null],
  ]);
});

it('names what the unit named then and names now', async () => {
  const id = await open();
  await set(id, 'workUnitTypeId', 3);
  const [, first] = await feed(id);
  const { unit, names } = (await at(id, Number(first?.id))).body as unknown as {
    unit: Record<string, unknown>;
    names: Record<string, string>;
  };
  expect([unit['workUnitTypeId'], names['1'], names['3'], names[tenantId]]).toEqual([1, 'Incident', 'Request', 'Northwind']);
});

it('answers 404 for an entry of another unit and for the unit of another tenant, 403 without the permission', async () => {
  const [one, other] = [await open(), await open()];
  const [entry] = await feed(one);
  const entryId = Number(entry?.id);
  expect((await at(other, entryId)).status).toBe(404);
  expect((await at(one, entryId, holder([(await world.tenant()).tenantId]))).status).toBe(404);
  const blind = holder(
    [tenantId],
    allPermissions.filter((p) => p !== 'CloudFit.CFS.WorkUnits:view'),
  );
  expect((await at(one, entryId, blind)).status).toBe(403);
});

it('tells nothing of the time in a tenant that the caller cannot see', async () => {
  const { tenantId: before } = await world.tenant();
  const both = { ...holder([before, tenantId]), actor: me.actor };
  const body = { title: 'Was theirs', severityId: 'Sev1', workUnitTypeId: 1, tenantId: before };
  const id = (await world.call(both as TestCaller, 'PUT', '/v1/workunits', body)).body['workUnitId'] as number;
  await patch(id, [{ op: 'replace', path: '/tenantId', value: tenantId }], both as TestCaller);
  await set(id, 'title', 'Is ours');
  const everything = (await world.call(both as TestCaller, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`)).body
    .value as unknown as Entry[];
  const statuses = [];
  for (const entry of everything) statuses.push((await at(id, entry.id)).status);
  expect((await at(id, everything.at(-1)?.id ?? 0, both as TestCaller)).status).toBe(200);
  expect(statuses).toEqual([200, 200, 404]);
});

it('takes what is there for a unit without any record', async () => {
  const id = await open();
  const [created] = await world.system.db.query<{ work_unit_id: number }>({
    text: `insert into work_unit (title, severity_id, state_id, work_unit_type_id, tenant_id, created_by, modified_by)
      select 'Brought in', severity_id, state_id, work_unit_type_id, tenant_id, 'import', 'import' from work_unit where work_unit_id = $1 returning work_unit_id`,
    values: [id],
  });
  const brought = Number(created?.work_unit_id);
  await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: brought, detail: 'Here.', isExternalNote: false });
  const [note] = await feed(brought);
  expect((await at(brought, Number(note?.id))).body).toMatchObject({ unit: { title: 'Brought in' } });
});

it('undoes one change as a new change, and refuses when the field has changed since', async () => {
  const id = await open();
  await set(id, 'assignedTo', 'tom@example.com');
  const [change] = await feed(id);
  const undo = [
    { op: 'test', path: '/assignedTo', value: change?.newValue },
    { op: 'replace', path: '/assignedTo', value: change?.oldValue },
  ];
  expect((await patch(id, undo)).body).toMatchObject({ assignedTo: null });
  expect((await feed(id))[0]).toMatchObject({ field: 'assignedTo', oldValue: 'tom@example.com', newValue: null });
  const again = await patch(id, undo);
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('is not equal to the test value')]);
});
