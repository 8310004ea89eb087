/** Change freezes: what may not be approved or started in them, for whom, and what an override does. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { allPermissions, overrideApproval } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let asker: TestCaller;
let first: TestCaller;
let second: TestCaller;

beforeAll(async () => {
  world = await createWorld();
});
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  const person = async (name: string, permissions: readonly string[]): Promise<TestCaller> => {
    const userName = `${name}.${tenantId}@example.com`;
    const [row] = await world.system.db.query<{ person_id: string }>({
      text: 'insert into person (name, user_name) values ($1, $2) returning person_id',
      values: [name, userName],
    });
    return { ...holder([tenantId], permissions), actor: { kind: 'person', id: row?.person_id ?? '', name, userName } };
  };
  const plain = allPermissions.filter((permission) => permission !== overrideApproval);
  [asker, first, second] = [await person('ada', allPermissions), await person('olga', plain), await person('otto', plain)];
});
afterAll(() => world.close());

const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();
const messageOf = ({ body }: WorldReply) => (body['error'] as { message: string; details: { message: string }[] } | undefined)?.message;
const nameOf = ({ actor }: TestCaller) => (actor?.kind === 'person' ? actor.userName : '');

async function put(path: string, body: object, by = asker): Promise<Record<string, unknown>> {
  const answer = await world.call(by, 'PUT', path, body);
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body;
}
const freeze = (fromDays: number, untilDays: number, of: string | null = tenantId, by = asker) =>
  put('/v1/changeFreezes', { name: 'End of the year', startsAt: inDays(fromDays), endsAt: inDays(untilDays), tenantId: of }, by);

/** A change that is planned from one day to another. */
async function change(fromDays: number, untilDays: number): Promise<number> {
  const { workUnitId } = await put('/v1/workunits', {
    title: 'Replace the pump',
    tenantId,
    workUnitTypeId: 2,
    severityId: 'Sev3',
    implementationPlan: 'Swap it.',
    rollbackPlan: 'Swap it back.',
    affectedResources: 'Pump 7',
    environment: 'Production',
    expectedCFSAlerts: 'Pump is silent',
    plannedStartTime: inDays(fromDays),
    plannedFinishTime: inDays(untilDays),
    approver1: nameOf(first),
    approver2: nameOf(second),
    resolution: 'None yet.',
  });
  return Number(workUnitId);
}
const approve = (by: TestCaller, id: number, slot: number) => world.call(by, 'POST', `/v1/workunits/${id}/approve/${slot}`, {});
const override = (id: number, by = asker) => world.call(by, 'POST', `/v1/workunits/${id}/overrideApproval`, { reason: 'The pump leaks.' });
const become = (id: number, stateId: string) => world.call(asker, 'PATCH', `/v1/workUnits/${id}`, { stateId });
const frozen =
  /^Changes are frozen from \d{4}-\d\d-\d\d \d\d:\d\d UTC to .+ UTC \(End of the year\)\. Plan this one at another time, or let somebody override its approval\.$/;

it('refuses the approval of a change that is planned in a freeze, and tells its approver so before', async () => {
  await freeze(10, 20);
  const [inside, at, before, after] = [await change(12, 13), await change(19, 21), await change(9, 9.9), await change(20.1, 21)];
  for (const id of [inside, at]) {
    const answer = await approve(first, id, 1);
    expect([answer.status, messageOf(answer)]).toEqual([409, expect.stringMatching(frozen)]);
    const address = `/api/generallookup/approval?approverId=${nameOf(first)}&workUnitId=${id}&slot=1`;
    const lookup = await world.call(first, 'GET', address);
    expect(lookup.body['refusals']).toEqual({ approve: expect.stringMatching(frozen) as unknown, decline: null });
  }
  for (const id of [before, after]) expect((await approve(first, id, 1)).status).toBe(200);
});

it('lets a change start during a freeze by an override alone, also one that was approved before the freeze', async () => {
  const id = await change(1, 2);
  expect((await approve(first, id, 1)).status).toBe(200);
  expect((await approve(second, id, 2)).status).toBe(200);
  expect(messageOf(await override(id))).toBe('This Change Request needs no further approval.');
  await freeze(-1, 3);
  expect((await become(id, 'Acknowledged')).status).toBe(200);
  const refused = await become(id, 'InProgress');
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { details: [{ target: 'stateId', message: expect.stringMatching(frozen) as unknown }] } },
  });
  expect((await override(id, first)).status).toBe(403);
  expect((await override(id)).status).toBe(200);
  expect((await become(id, 'InProgress')).status).toBe(200);
  expect(messageOf(await override(id))).toBe('This Change Request needs no further approval.');
});

it('counts the time of the start beside the planned time, and no freeze that is over', async () => {
  await freeze(-1, 1);
  await freeze(-30, -20);
  const [late, outside] = [await change(-5, -4), await change(-25, -24)];
  for (const id of [late, outside]) {
    expect((await approve(first, id, 1)).status).toBe(200);
    expect((await approve(second, id, 2)).status).toBe(200);
    expect((await become(id, 'Acknowledged')).status).toBe(200);
    expect((await become(id, 'InProgress')).status).toBe(400);
  }
  await world.system.db.query({ text: 'delete from change_freeze where tenant_id = $1 and ends_at > now()', values: [tenantId] });
  expect((await become(outside, 'InProgress')).status).toBe(200);
});

it('holds for changes without approvals, for all tenants, and not for those of another', async () => {
  await world.call(asker, 'POST', `/v1/tenants/${tenantId}`, { changesNeedApproval: false });
  const other = await world.tenant();
  await freeze(-1, 2, other.tenantId, holder('all'));
  const free = await change(1, 2);
  expect((await become(free, 'Acknowledged')).status).toBe(200);
  expect((await become(free, 'InProgress')).status).toBe(200);
  const { changeFreezeId } = await freeze(-1, 2, null, holder('all'));
  const id = await change(1, 2);
  expect((await become(id, 'Acknowledged')).status).toBe(200);
  expect((await become(id, 'InProgress')).status).toBe(400);
  expect((await become(free, 'OnHold')).status).toBe(200);
  expect((await become(free, 'InProgress')).status).toBe(200);
  expect((await become(id, 'Canceled')).status).toBe(200);
  expect((await world.call(asker, 'DELETE', `/v1/changeFreezes/${String(changeFreezeId)}`)).status).toBe(403);
  expect((await world.call(holder('all'), 'DELETE', `/v1/changeFreezes/${String(changeFreezeId)}`)).status).toBe(204);
});

it('is named while a change is planned, also one without devices', async () => {
  await freeze(10, 20);
  const ask = (fromDays: number, untilDays: number) =>
    world.call(asker, 'POST', '/v1/maintenance/collisions', { tenantId, deviceIds: [], from: inDays(fromDays), until: inDays(untilDays) });
  expect((await ask(12, 13)).body.value).toMatchObject([{ kind: 'freeze', name: 'End of the year', devices: 0, first: [] }]);
  expect((await ask(20.1, 21)).body.value).toEqual([]);
});

it('refuses a freeze that ends before it starts', async () => {
  const { changeFreezeId } = await freeze(1, 2);
  const body = { endsAt: inDays(0) };
  const answer = await world.call(asker, 'POST', `/v1/changeFreezes/${String(changeFreezeId)}`, body);
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { details: [{ target: 'endsAt', message: 'A freeze ends after its start.' }] } },
  });
});
