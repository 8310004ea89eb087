/** Keys of other systems over HTTP: one open unit for each, whoever asks at once. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  ({ tenantId: otherId } = await world.tenant());
  me = { ...holder([tenantId]), actor: { kind: 'token', id: crypto.randomUUID(), name: 'icinga', scopes: [] } };
});
afterAll(() => world.close());

interface Unit {
  workUnitId: number;
  stateId: string;
  referenceId: string;
  title: string;
}
const disk = (key: string) => ({ source: 'icinga', key });
const open = (key: string, more: object = {}, caller = me, headers = {}) =>
  world.call(
    caller,
    'POST',
    '/v1/workUnits/byKey/open',
    { ...disk(key), workUnit: { title: 'Disk full', severityId: 'Sev2' }, ...more },
    headers,
  );
const close = (key: string, more: object = {}, caller = me) =>
  world.call(caller, 'POST', '/v1/workUnits/byKey/close', { ...disk(key), ...more });
const find = (key: string, caller = me) => world.call(caller, 'GET', `/v1/workUnits/byKey?source=icinga&key=${encodeURIComponent(key)}`);
const unitOf = ({ body }: Awaited<ReturnType<typeof open>>) => body['workUnit'] as Unit;
const notes = async (id: number) =>
  (await world.call(me, 'GET', `/v1/workUnits(${id})/notes?$filter=historyType eq null&$orderby=workUnitNoteId`)).body.value?.map(
    (row) => row['detail'],
  );

it('opens a unit, answers the same one while it is open, closes it, and opens another after that', async () => {
  const key = 'web-1/disk';
  expect((await find(key)).status).toBe(404);
  expect((await close(key)).body).toEqual({ closed: false, workUnit: null });
  const first = await open(key, { note: '/ is at 91 %' });
  expect([first.status, first.body['opened'], unitOf(first)]).toMatchObject([
    200,
    true,
    { stateId: 'New', title: 'Disk full', referenceId: key, tenantId },
  ]);
  const { workUnitId } = unitOf(first);
  const again = await open(key, { note: '/ is at 95 %' });
  expect([again.body['opened'], unitOf(again).workUnitId]).toEqual([false, workUnitId]);
  expect(await notes(workUnitId)).toEqual(['/ is at 91 %', '/ is at 95 %']);
  expect((await find(key)).body).toMatchObject({ workUnitId, stateId: 'New' });
  const closed = await close(key, { note: '/ is at 40 %', resolution: 'Cleaned by itself.' });
  expect([closed.body['closed'], unitOf(closed)]).toMatchObject([
    true,
    { workUnitId, stateId: 'Resolved', resolution: 'Cleaned by itself.', modifiedBy: 'icinga (token)' },
  ]);
  expect(await notes(workUnitId)).toEqual(['/ is at 91 %', '/ is at 95 %', '/ is at 40 %']);
  expect(unitOf(closed)).toHaveProperty('resolved', expect.stringMatching(/Z$/));
  expect((await close(key)).body['closed']).toBe(false);
  expect((await find(key)).body).toMatchObject({ workUnitId, stateId: 'Resolved' });
  const next = await open(key);
  expect([next.body['opened'], unitOf(next).workUnitId > workUnitId]).toEqual([true, true]);
  const audit = await world.system.db.query<{ actor_name: string; verb: string }>({
    text: "select actor_name, verb from audit where entity = 'workUnits' and entity_id = $1 order by audit_id",
    values: [String(workUnitId)],
  });
  expect(audit).toEqual([
    { actor_name: 'icinga (token)', verb: 'create' },
    { actor_name: 'icinga (token)', verb: 'update' },
  ]);
});

it('leaves a resolution that is there when a close names none', async () => {
  const { workUnitId } = unitOf(await open('web-3/disk'));
  await world.call(holder([tenantId]), 'POST', `/v1/workUnits/${workUnitId}`, { resolution: 'A bigger disk.' });
  expect(unitOf(await close('web-3/disk'))).toMatchObject({ stateId: 'Resolved', resolution: 'A bigger disk.' });
});

it('opens one unit and closes it once, however many ask at once', async () => {
  const opened = await Promise.all(Array.from({ length: 8 }, () => open('storm')));
  expect(new Set(opened.map((item) => unitOf(item).workUnitId)).size).toBe(1);
  expect(opened.filter(({ body }) => body['opened'] === true)).toHaveLength(1);
  const closed = await Promise.all(Array.from({ length: 8 }, () => close('storm')));
  expect(closed.filter(({ body }) => body['closed'] === true)).toHaveLength(1);
});

it('opens another when a person has ended the unit, or moved it to another tenant', async () => {
  const { workUnitId } = unitOf(await open('by hand'));
  await world.call(me, 'PATCH', `/v1/workUnits(${workUnitId})`, { stateId: 'Canceled' });
  const second = unitOf(await open('by hand')).workUnitId;
  expect(second).toBeGreaterThan(workUnitId);
  const both = holder([tenantId, otherId]);
  expect((await world.call(both, 'PATCH', `/v1/workUnits(${second})`, { tenantId: otherId })).status).toBe(200);
  expect((await find('by hand')).status).toBe(404);
  expect((await close('by hand', { tenantId }, both)).body['closed']).toBe(false);
  expect(unitOf(await open('by hand', { tenantId }, both)).workUnitId).toBeGreaterThan(second);
});

it('keeps the keys of tenants apart, and asks whoever has several which one', async () => {
  const here = unitOf(await open('shared'));
  const there = await open('shared', {}, holder([otherId]));
  expect([there.body['opened'], unitOf(there)]).toMatchObject([true, { tenantId: otherId }]);
  expect(unitOf(there).workUnitId).not.toBe(here.workUnitId);
  for (const [caller, more, message] of [
    [holder([tenantId, otherId]), {}, 'Please name the tenant: you have several.'],
    [me, { tenantId: otherId }, 'Tenant was not found.'],
  ] as const)
    expect((await open('shared', more, caller)).body['error']).toMatchObject({ target: 'tenantId', message });
});

it('needs the permissions of what it does, and refuses what is wrong with the unit without keeping the key', async () => {
  const only = (verb: 'view' | 'create' | 'edit') => holder([tenantId], [permission('WorkUnits', 'view'), permission('WorkUnits', verb)]);
  expect((await open('rights', {}, only('view'))).status).toBe(403);
  expect((await close('rights', {}, only('create'))).status).toBe(403);
  const refused = await open('wrong', { workUnit: { titel: 'x', title: 'Full' } });
  expect([refused.status, refused.text.includes('has no field titel')]).toEqual([400, true]);
  expect((await open('wrong', { key: ' ' })).body['error']).toMatchObject({ target: 'key' });
  expect(await world.system.db.query({ text: "select key from work_unit_key where key in ('wrong', 'rights')" })).toEqual([]);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const [one, same] = [await open('repeated', {}, me, headers), await open('repeated', {}, me, headers)];
  expect([one.body['opened'], same.body['opened']]).toEqual([true, true]);
});

it('closes nothing that a person could not resolve either, but for the acknowledgement', async () => {
  const { workUnitId } = unitOf(await open('change'));
  await world.system.db.query({
    text: 'update work_unit set work_unit_type_id = $2 where work_unit_id = $1',
    values: [workUnitId, workUnitType.changeRequest],
  });
  const refused = await close('change');
  expect([refused.status, refused.text.includes('Implementation Plan is required for a Change Request.')]).toEqual([400, true]);
  expect((await find('change')).body).toMatchObject({ stateId: 'New' });
});

it('takes notes of several lines, and keys in their normal form', async () => {
  const { workUnitId } = unitOf(await open('K\u00f6ln/disk', { note: 'first\nsecond' }));
  expect(await notes(workUnitId)).toEqual(['first\nsecond']);
  expect(unitOf(await open('Ko\u0308ln/disk')).workUnitId).toBe(workUnitId);
});
