/** Service levels: which one holds for a unit, the clocks that follow it, and what a warning and a breach leave behind. */
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { update } from '../../../resources/update.ts';
import { startProtocolSteps } from '../../../automation/protocols/protocol-run.ts';
import { workUnitEvent } from '../work-unit-event.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { servedWorkUnitNotes, servedWorkUnits } from '../work-units.served.ts';
import { watchClocks } from './watch-clocks.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
/** The time of the next change. */
let now: number;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId: otherId } = await world.tenant());
});
afterAll(() => world.close());
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  me = holder([tenantId, otherId]);
  now = Date.parse('2026-05-04T08:00:00Z');
});

type Body = Record<string, unknown>;
const ctx = (by = me): Ctx => ({ ...world.ctx(by), now: () => new Date(now) });
const level = (change: Body = {}) =>
  world.call(me, 'PUT', '/v1/serviceLevels', { name: 'Gold', tenantId, acknowledgeMinutes: 15, resolveMinutes: 240, ...change });
const open = async (change: Body = {}): Promise<number> =>
  (await create(ctx(), servedWorkUnits, { title: 'Pump 7', severityId: 'Sev1', workUnitTypeId: 1, tenantId, ...change })).workUnitId;
const change = (id: number, values: Parameters<typeof update<typeof servedWorkUnits.resource>>[3]) =>
  update(ctx(), servedWorkUnits, id, values);
const after = (minutes: number): void => void (now += minutes * minuteMs);
const watch = () => watchClocks(world.database, pino({ level: 'silent' }), () => new Date(now));
const clocksOf = async (id: number): Promise<Body[]> =>
  (await world.call(me, 'GET', `/v1/workUnitClocks?$filter=workUnitId eq ${id}&$orderby=workUnitClockId`)).body.value ?? [];
const shown = async (id: number): Promise<string[]> =>
  (await clocksOf(id)).map(
    (clock) => `${clock['kind']} ${clock['state']} ${clock['levelName']} ${clock['ended'] === null ? 'open' : 'ended'}`,
  );
const unitOf = async (id: number): Promise<Body> => (await world.call(me, 'GET', `/v1/workUnits(${id})`)).body;
const feedOf = async (id: number): Promise<string[]> =>
  (await world.call(me, 'GET', `/v1/workUnitNotes?$filter=workUnitId eq ${id}&$orderby=workUnitNoteId`)).body.value?.map((entry) =>
    String(entry['detail']),
  ) ?? [];
const time = (minutes: number): string => new Date(Date.parse('2026-05-04T08:00:00Z') + minutes * minuteMs).toISOString();

it('begins the clocks of the level together with the unit', async () => {
  await level({ firstAnswerMinutes: 60, nextUpdateMinutes: 120 });
  const id = await open();
  expect(await shown(id)).toEqual([
    'Acknowledge Running Gold open',
    'FirstAnswer Running Gold open',
    'Resolve Running Gold open',
    'NextUpdate Running Gold open',
  ]);
  expect(await unitOf(id)).toMatchObject({ clockDue: time(15), clockWarn: time(11.25), levelWarned: null, levelBreached: null });
  const [clock] = await clocksOf(id);
  expect(clock).toMatchObject({ targetMinutes: 15, dueAt: time(15), warnAt: time(11.25), started: time(0), ended: null, calendar: null });
});

it('takes the level of the tenant before one for all tenants, and none without one', async () => {
  expect(await shown(await open())).toEqual([]);
  const everywhere = holder('all');
  const name = 'For all tenants';
  const global = await world.call(everywhere, 'PUT', '/v1/serviceLevels', {
    name,
    tenantId: null,
    severityId: 'Sev1',
    acknowledgeMinutes: 30,
  });
  expect(global.status).toBe(201);
  expect(await shown(await open())).toEqual(['Acknowledge Running For all tenants open']);
  await level({ resolveMinutes: null });
  expect(await shown(await open())).toEqual(['Acknowledge Running Gold open']);
  expect((await world.call(everywhere, 'DELETE', `/v1/serviceLevels/${String(global.body['serviceLevelId'])}`)).status).toBe(204);
});

it('follows the state of the unit', async () => {
  await level();
  const id = await open();
  after(10);
  await change(id, { stateId: 'Acknowledged' });
  after(20);
  await change(id, { stateId: 'OnHold' });
  expect(await shown(id)).toEqual(['Acknowledge Met Gold ended', 'Resolve Paused Gold open']);
  expect(await unitOf(id)).toMatchObject({ clockDue: null });
  after(100);
  await change(id, { stateId: 'InProgress' });
  expect(await unitOf(id)).toMatchObject({ clockDue: time(340) });
  after(200);
  await change(id, { stateId: 'Resolved', resolution: 'Done' });
  const [, resolve] = await clocksOf(id);
  expect(resolve).toMatchObject({
    state: 'Met',
    ended: time(330),
    periods: [
      { from: Date.parse(time(0)), to: Date.parse(time(30)) },
      { from: Date.parse(time(130)), to: Date.parse(time(330)) },
    ],
  });
});

it('counts the working hours of a calendar', async () => {
  const calendar = await world.call(me, 'PUT', '/v1/workingCalendars', {
    name: 'Office',
    tenantId,
    timeZone: 'Europe/Berlin',
    hours: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '10:30' }],
    holidays: ['2026-05-05'],
  });
  expect(calendar.body['error']).toBeUndefined();
  await level({ workingCalendarId: calendar.body['workingCalendarId'], acknowledgeMinutes: null, resolveMinutes: 60 });
  // Half an hour is left on Monday, Tuesday is a holiday.
  expect(await unitOf(await open())).toMatchObject({ clockDue: '2026-05-06T06:30:00.000Z' });
  expect((await world.call(me, 'DELETE', `/v1/workingCalendars/${String(calendar.body['workingCalendarId'])}`)).status).toBe(409);
});

it('lets another level hold when the severity changes, with the time that has passed', async () => {
  await level({ severityId: 'Sev3', name: 'Slow', acknowledgeMinutes: null, resolveMinutes: 600 });
  await level({ severityId: 'Sev0', name: 'Fast', resolveMinutes: 60 });
  const id = await open({ severityId: 'Sev3' });
  after(50);
  await change(id, { severityId: 'Sev0' });
  expect(await shown(id)).toEqual(['Resolve Replaced Slow ended', 'Acknowledge Running Fast open', 'Resolve Running Fast open']);
  expect(await unitOf(id)).toMatchObject({ clockDue: time(60) });
});

it('keeps the terms of running clocks when the level changes or goes', async () => {
  const { body } = await level();
  const id = await open();
  await world.call(me, 'POST', `/v1/serviceLevels/${String(body['serviceLevelId'])}`, { name: 'Platinum', resolveMinutes: 10 });
  after(5);
  await change(id, { stateId: 'Acknowledged' });
  expect(await unitOf(id)).toMatchObject({ clockDue: time(240) });
  expect((await clocksOf(id)).map((clock) => [clock['levelName'], clock['targetMinutes']])).toEqual([
    ['Gold', 15],
    ['Gold', 240],
  ]);
  expect(await unitOf(await open())).toMatchObject({ clockDue: time(5 + 10) });
  await world.call(me, 'DELETE', `/v1/serviceLevels/${String(body['serviceLevelId'])}`);
  expect(await shown(await open())).toEqual([]);
  expect(await unitOf(id)).toMatchObject({ clockDue: time(240) });
});

const note = (id: number, detail: string, isExternalNote: boolean, by = me) =>
  create(ctx(by), servedWorkUnitNotes, { workUnitId: id, detail, isExternalNote });

it('takes an external note for an answer, unless the customer wrote it', async () => {
  await level({ acknowledgeMinutes: null, resolveMinutes: null, firstAnswerMinutes: 30, nextUpdateMinutes: 60 });
  const id = await open({ stakeHolderEmailAddress: 'Customer@example.com' });
  after(10);
  await note(id, 'Internal', false);
  await note(id, 'Please call me', true, {
    ...me,
    actor: { kind: 'person', id: crypto.randomUUID(), name: 'C', userName: 'customer@example.com' },
  });
  expect(await shown(id)).toEqual(['FirstAnswer Running Gold open', 'NextUpdate Running Gold open']);
  await note(id, 'We look at it', true);
  expect(await shown(id)).toEqual(['FirstAnswer Met Gold ended', 'NextUpdate Met Gold ended', 'NextUpdate Running Gold open']);
  expect(await unitOf(id)).toMatchObject({ clockDue: time(70) });
});

it('takes a public communication, and each change that customers read, for an answer', async () => {
  await level({ acknowledgeMinutes: null, resolveMinutes: null, nextUpdateMinutes: 60 });
  const id = await open();
  const communication = async (isPublic: boolean): Promise<string> => {
    const body = { title: 'Outage', tenantId, isPublic, nextUpdate: '2036-01-01T00:00:00Z' };
    const created = (await world.call(me, 'PUT', '/v1/workUnitCommunications', body)).body['workUnitCommunicationId'];
    expect(
      (await world.call(me, 'POST', `/v1/workunitcommunications/${String(created)}/workUnits`, { workunitIds: [id] })).body['error'],
    ).toBeUndefined();
    return String(created);
  };
  await communication(false);
  expect(await shown(id)).toHaveLength(1);
  const shownToAll = await communication(true);
  expect(await shown(id)).toHaveLength(2);
  await world.call(me, 'POST', `/v1/workUnitCommunications/${shownToAll}`, { internalBridge: 'https://example.com' });
  expect(await shown(id)).toHaveLength(2);
  await world.call(me, 'POST', `/v1/workUnitCommunications/${shownToAll}`, { details: 'We have the cause.' });
  expect(await shown(id)).toHaveLength(3);
});

it('records a warning and a breach once, in the feed and as events of the protocol', async () => {
  await level({ resolveMinutes: null });
  const protocolId = (await world.call(me, 'PUT', '/v1/protocols', { name: 'Escalation', tenantId })).body['protocolId'];
  for (const workUnitEventTypeId of [12, 13, 8])
    await world.call(me, 'PUT', '/v1/protocolActions', {
      protocolId,
      actionDefinitionId: builtInAction.email,
      workUnitEventTypeId,
      runAutomatically: true,
      parameters: '{"To":"desk@example.com"}',
      summary: `Event ${workUnitEventTypeId}`,
    });
  const id = await open({ protocolId });
  const events = async (): Promise<number[]> => {
    const jobs = await world.system.db.query<{ payload: unknown; id: number }>({
      text: "delete from job where name = 'work-unit-event' and (payload->>'workUnitId')::bigint = $1 returning payload, job_id as id",
      values: [id],
    });
    for (const { payload } of jobs.toSorted((a, b) => a.id - b.id)) await startProtocolSteps(world.system, workUnitEvent.parse(payload));
    const runs = await world.system.db.query<{ type: number }>({
      text: 'delete from protocol_run where work_unit_id = $1 returning work_unit_event_type_id as type',
      values: [id],
    });
    return runs.map(({ type }) => type).toSorted((a, b) => a - b);
  };
  await events();
  after(11);
  await watch();
  expect(await unitOf(id)).toMatchObject({ levelWarned: null });
  after(1);
  await Promise.all([watch(), watch()]);
  expect(await unitOf(id)).toMatchObject({ levelWarned: time(11.25), levelBreached: null });
  expect(await events()).toEqual([12]);
  after(3);
  await Promise.all([watch(), watch()]);
  await watch();
  expect(await unitOf(id)).toMatchObject({ levelBreached: time(15), clockDue: time(15) });
  expect(await events()).toEqual([13]);
  expect((await feedOf(id)).filter((detail) => detail.startsWith('Service level'))).toEqual([
    'Service level Gold: 75 % of the 15 min to acknowledge have passed.',
    'Service level Gold breached: the 15 min to acknowledge are over.',
  ]);
  expect(await shown(id)).toEqual(['Acknowledge Breached Gold open']);
});

it('records a breach that nobody has looked at when the unit changes, beside the event of its state', async () => {
  await level({ resolveMinutes: null });
  const id = await open();
  after(20);
  await change(id, { stateId: 'Acknowledged' });
  expect(await shown(id)).toEqual(['Acknowledge Breached Gold ended']);
  expect(await unitOf(id)).toMatchObject({ levelBreached: time(15), clockDue: null });
  expect(await feedOf(id)).toContain('Service level Gold breached: the 15 min to acknowledge are over.');
});

it('records a breach that an answer is the first to notice, once, as an event of the unit', async () => {
  await level({ acknowledgeMinutes: null, resolveMinutes: null, firstAnswerMinutes: 30 });
  const id = await open();
  const events = () =>
    world.system.db.query({
      text: "select payload->'changed' as changed from job where name = 'work-unit-event' and (payload->>'workUnitId')::bigint = $1 and payload->>'verb' = 'update'",
      values: [id],
    });
  after(10);
  await note(id, 'Internal', false);
  expect(await events()).toEqual([]);
  after(30);
  await note(id, 'We look at it', true);
  await note(id, 'We have it', true);
  expect(await shown(id)).toEqual(['FirstAnswer Breached Gold ended']);
  expect(await unitOf(id)).toMatchObject({ levelBreached: time(30), clockDue: null });
  expect(await events()).toEqual([{ changed: ['clockDue', 'clockWarn', 'levelWarned', 'levelBreached'] }]);
  expect((await feedOf(id)).filter((detail) => detail.includes('breached'))).toHaveLength(1);
});

it('looks at a due unit behind two hundred that cannot be looked at', async () => {
  await level({ resolveMinutes: null });
  const locked = await Promise.all(Array.from({ length: 200 }, () => open()));
  after(1);
  const behind = await open();
  after(15);
  await world.system.db.transaction(async (db) => {
    await db.query({ text: 'select 1 from work_unit where work_unit_id = any($1) for update', values: [locked] });
    await watch();
  });
  expect(await shown(behind)).toEqual(['Acknowledge Breached Gold open']);
  expect(await shown(locked[0] ?? 0)).toEqual(['Acknowledge Running Gold open']);
  await world.system.db.query({ text: 'delete from work_unit_clock where work_unit_id = any($1)', values: [locked] });
});

it('ends the clocks of a change that an approver declines', async () => {
  now = Date.now();
  await level();
  const userName = 'approver@example.com';
  const plan = { implementationPlan: 'Swap', rollbackPlan: 'Swap back', affectedResources: 'Pump 7', environment: 'Production' };
  const times = { plannedStartTime: '2027-01-01T08:00:00Z', plannedFinishTime: '2027-01-01T09:00:00Z' };
  const approvers = { approver1: userName, approver2: 'other@example.com', expectedCFSAlerts: 'None', resolution: 'None yet' };
  const id = await open({ workUnitTypeId: 2, ...plan, ...times, ...approvers });
  await world.system.db.query({ text: 'update work_unit set unanswered_since = now() where work_unit_id = $1', values: [id] });
  const approver: TestCaller = { ...me, actor: { kind: 'person', id: crypto.randomUUID(), name: 'A', userName } };
  const declined = await world.call(approver, 'POST', `/v1/workunits/${id}/decline/1`, { decisionNote: 'Not now' });
  expect(declined.body).toMatchObject({ stateId: 'Canceled', clockDue: null, clockWarn: null, unansweredSince: null });
  expect(await shown(id)).toEqual(['Acknowledge Canceled Gold ended', 'Resolve Canceled Gold ended']);
});

it('lets clocks follow each unit of a mass edit', async () => {
  await level({ severityId: 'Sev0', acknowledgeMinutes: null });
  const ids = [await open(), await open()];
  const edited = await world.call(me, 'PATCH', '/v1/workUnits', { ids, newState: { severityId: 'Sev0' } });
  expect(edited.body['error']).toBeUndefined();
  for (const id of ids) expect(await shown(id)).toEqual(['Resolve Running Gold open']);
});

it('ends the clocks of a unit that a server without clocks has ended', async () => {
  await level({ acknowledgeMinutes: null });
  const id = await open();
  await world.system.db.query({
    text: "update work_unit set state_id = 'Resolved', resolved = $2 where work_unit_id = $1",
    values: [id, time(30)],
  });
  after(300);
  await watch();
  expect((await clocksOf(id))[0]).toMatchObject({ state: 'Met', ended: time(30), breached: null });
  expect(await unitOf(id)).toMatchObject({ clockDue: null, levelBreached: null });
});

it('moves the clocks with the unit to another tenant, where another level holds', async () => {
  await level();
  await level({ tenantId: otherId, name: 'Other', acknowledgeMinutes: null });
  const id = await open();
  after(30);
  await change(id, { tenantId: otherId });
  expect((await clocksOf(id)).map((clock) => [clock['tenantId'], clock['levelName'], clock['kind'], clock['state']])).toEqual([
    [otherId, 'Gold', 'Acknowledge', 'Replaced'],
    [otherId, 'Gold', 'Resolve', 'Replaced'],
    [otherId, 'Other', 'Resolve', 'Running'],
  ]);
});

it('refuses a level without a target, for the same units as another, or for a category of another type', async () => {
  const targets = async (body: Body) =>
    ((await level(body)).body['error'] as { details?: { target: string }[] } | undefined)?.details?.map(({ target }) => target);
  expect(await targets({ acknowledgeMinutes: null, resolveMinutes: null })).toEqual(['resolveMinutes']);
  expect(await targets({})).toBeUndefined();
  expect(await targets({ name: 'Silver' })).toEqual(['name']);
  const category = await world.call(me, 'PUT', '/v1/workUnitCategories', { name: 'Network', workUnitTypeId: 3, tenantId });
  const { workUnitCategoryId } = category.body;
  expect(await targets({ workUnitCategoryId, workUnitTypeId: 1 })).toEqual(['workUnitCategoryId']);
  expect(await targets({ workUnitCategoryId, workUnitTypeId: 3 })).toBeUndefined();
  expect(await targets({ workUnitCategoryId, tenantId: otherId })).toEqual(['workUnitCategoryId']);
});
