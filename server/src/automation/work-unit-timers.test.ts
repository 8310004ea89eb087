/** OnTimer of work units: a timer exists while a unit is open and runs once per due time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { until } from '../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { runTimers } from './work-unit-timers.ts';

let world: TestWorld;
let worker: Automation;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  worker = await startAutomation(world);
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function protocol(timerInverval = '00:10:00', parameters: object = {}): Promise<string> {
  const created = await world.call(me, 'PUT', '/v1/protocols', { name: crypto.randomUUID(), tenantId: home.tenantId, timerInverval });
  await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId: created.body['protocolId'],
    actionDefinitionId: builtInAction.email,
    workUnitEventTypeId: 7,
    parameters: JSON.stringify({ To: 'desk@example.com', Template: 'None', Subject: 'Still {State}', ...parameters }),
    runAutomatically: true,
  });
  return String(created.body['protocolId']);
}

async function open(protocolId: string | null, body: Record<string, unknown> = {}): Promise<number> {
  const created = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Mail is down',
    workUnitTypeId: 1,
    tenantId: home.tenantId,
    protocolId,
    ...body,
  });
  return Number(created.body['workUnitId']);
}

const set = (id: number, body: Record<string, unknown>) => world.call(me, 'POST', `/v1/workunits/${id}`, body);

interface Timer {
  due: string;
  /** When the timer is due, in seconds from now. */
  ahead: number;
  last_late_ms: number | null;
}
const timer = async (id: number): Promise<Timer | undefined> =>
  (
    await rows<Timer>(
      'select due, extract(epoch from due - now())::float8 as ahead, last_late_ms from work_unit_timer where work_unit_id = $1',
      id,
    )
  )[0];
const overdue = async (id: number, seconds: number): Promise<Timer | undefined> => {
  await rows('update work_unit_timer set due = now() - make_interval(secs => $2) where work_unit_id = $1', id, seconds);
  return timer(id);
};

interface Execution {
  result_detail: Record<string, unknown> | null;
}
const executions = (id: number) =>
  rows<Execution>('select result_detail from action_history where work_unit_id = $1 order by action_history_id', id);
const ended = (id: number, count: number) =>
  until(async () => {
    const done = await rows('select 1 from action_history where work_unit_id = $1 and result_status_id = 1', id);
    const [run] = await rows('select 1 from protocol_run where work_unit_id = $1', id);
    return done.length === count && run === undefined;
  });

describe('the timer of a work unit', () => {
  it('is there while the unit is New, Acknowledged, InProgress or OnHold and has a protocol', async () => {
    const protocolId = await protocol('00:30:00');
    const id = await open(protocolId);
    const first = await timer(id);
    expect(first?.ahead).toBeGreaterThan(1_790);
    for (const stateId of ['Acknowledged', 'InProgress', 'OnHold']) {
      await set(id, { stateId });
      expect(await timer(id)).toMatchObject({ due: first?.due });
    }
    for (const stateId of ['Mitigated', 'Resolved', 'Closed', 'Canceled']) {
      await set(id, { stateId });
      expect(await timer(id)).toBeUndefined();
    }
    await set(id, { stateId: 'InProgress' });
    expect((await timer(id))?.ahead).toBeGreaterThan(1_790);
    await set(id, { protocolId: null });
    expect(await timer(id)).toBeUndefined();
    expect(await timer(await open(null))).toBeUndefined();
    expect(await timer(await open(protocolId, { isSpamCall: true, stakeHolderPhoneNumber: '1' }))).toBeUndefined();
  });

  it('runs once per due moment with two workers, while its tenant is enabled, and says how late', async () => {
    const id = await open(await protocol());
    const before = await overdue(id, 5);
    await rows('update tenant set enabled = false');
    expect(await runTimers(world.system.db)).toBe(0);
    await rows('update tenant set enabled = true');
    await Promise.all([1, 2, 3].map(() => runTimers(world.system.db)));
    await ended(id, 1);
    const [one] = await executions(id);
    expect(one?.result_detail).toMatchObject({ event: 'OnTimer', due: new Date(before?.due ?? '').toISOString() });
    expect(one?.result_detail?.['lateMs']).toBeGreaterThanOrEqual(5_000);
    const after = await timer(id);
    expect(Date.parse(after?.due ?? '') - Date.parse(before?.due ?? '')).toBe(600_000);
    expect(after?.last_late_ms).toBeGreaterThanOrEqual(5_000);
    const feed = await rows<{ detail: string }>('select detail from work_unit_note where work_unit_id = $1', id);
    expect(feed.map((entry) => entry.detail)).toContainEqual(
      expect.stringMatching(/^Email started \(OnTimer, step 1 of 1, \d+ s late\)\.$/),
    );
  });

  it('makes up for nothing that was missed, and counts it', async () => {
    const id = await open(await protocol());
    const before = await overdue(id, 1_500);
    await runTimers(world.system.db);
    await ended(id, 1);
    expect((await executions(id)).map((execution) => execution.result_detail?.['missed'])).toEqual([2]);
    const after = await timer(id);
    expect(Date.parse(after?.due ?? '') - Date.parse(before?.due ?? '')).toBe(1_800_000);
    expect(after?.ahead).toBeGreaterThan(0);
  });

  it('takes another interval or protocol from its next due time on', async () => {
    const first = await protocol();
    const id = await open(first);
    const due = (await timer(id))?.due;
    await world.call(me, 'POST', `/v1/protocols/${first}`, { timerInverval: '02:00:00' });
    expect((await timer(id))?.due).toBe(due);
    await overdue(id, 0);
    await runTimers(world.system.db);
    await ended(id, 1);
    expect((await timer(id))?.ahead).toBeGreaterThan(7_100);
    await set(id, { protocolId: await protocol('01:00:00', { Subject: 'Other' }) });
    await overdue(id, 0);
    await runTimers(world.system.db);
    await ended(id, 2);
    expect((await timer(id))?.ahead).toBeLessThan(3_601);
  });

  it('passes over a moment at which the steps of the one before still run, and does not run for a unit that is closed', async () => {
    const id = await open(await protocol());
    await rows(
      `insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, correlation_id)
        select uuidv7(), tenant_id, work_unit_id, protocol_id, 7, '{}', uuidv7() from work_unit where work_unit_id = $1`,
      id,
    );
    await overdue(id, 1);
    await runTimers(world.system.db);
    expect(await executions(id)).toEqual([]);
    const feed = await rows<{ detail: string }>(
      "select detail from work_unit_note where work_unit_id = $1 and history_type = 'ProtocolActionFailure'",
      id,
    );
    expect(feed).toEqual([{ detail: 'OnTimer was skipped: the steps of the previous run are still running.' }]);
    const closed = await open(await protocol());
    await rows("update work_unit set state_id = 'Closed' where work_unit_id = $1", closed);
    await overdue(closed, 1);
    await runTimers(world.system.db);
    expect([await timer(closed), await executions(closed)]).toEqual([undefined, []]);
  });
});
