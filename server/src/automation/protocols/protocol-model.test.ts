/** Work unit states, approvals and protocol steps against a model, with concurrent calls and two workers. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, eventOfState, workUnitStates, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { runTimers } from '../work-unit-timers.ts';

let world: TestWorld;
let workers: Automation[];
let tenantId: string;
let protocolId: string;
/** Manual actions of OnAcknowledged: one runs once, one is repeatable. */
let once: string;
let often: string;

const person = (name: string): TestCaller => ({
  ...holder([tenantId]),
  actor: { kind: 'person', id: crypto.randomUUID(), name, userName: `${name}@example.com` },
});
let asker: TestCaller;
let approvers: Record<1 | 2, TestCaller>;

beforeAll(async () => {
  world = await createWorld();
  workers = [await startAutomation(world), await startAutomation(world)];
  ({ tenantId } = await world.tenant());
  asker = person('asker');
  approvers = { 1: person('first'), 2: person('second') };
  const created = await world.call(asker, 'PUT', '/v1/protocols', { name: 'Change', tenantId });
  protocolId = String(created.body['protocolId']);
  const add = async (workUnitEventTypeId: number, body: Record<string, unknown>): Promise<string> => {
    const parameters = JSON.stringify({ To: 'desk@example.com', Template: 'None', Subject: 'x' });
    const action = { protocolId, actionDefinitionId: builtInAction.email, workUnitEventTypeId, parameters, ...body };
    return String((await world.call(asker, 'PUT', '/v1/protocolActions', action)).body['protocolActionId']);
  };
  for (const event of [...Object.values(eventOfState), 7, 8])
    for (const sequence of [1, 2]) await add(event, { sequence, runAutomatically: true });
  once = await add(eventOfState.Acknowledged, {});
  often = await add(eventOfState.Acknowledged, { repeatable: true });
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

interface Model {
  state: WorkUnitState;
  /** The number of runs, by type of event. */
  events: Map<number, number>;
  decided: Record<1 | 2, 'approve' | 'decline' | undefined>;
  ranOnce: boolean;
  ranOften: number;
}
interface Real {
  id: number;
}

const ended: readonly WorkUnitState[] = ['Resolved', 'Closed', 'Canceled'];
const timed: readonly WorkUnitState[] = ['New', 'Acknowledged', 'InProgress', 'OnHold'];
const happen = (model: Model, event: number): void => void model.events.set(event, (model.events.get(event) ?? 0) + 1);
function move(model: Model, state: WorkUnitState): void {
  model.state = state;
  happen(model, eventOfState[state]);
}

const holds = (actual: number, expected: number): void => expect(actual).toBe(expected);

/** Makes the same call several times at the same time; returns how many succeed. */
async function atOnce(times: number, call: () => Promise<{ status: number }>): Promise<number> {
  // A loaded machine answers 429 or 503; the call is repeated, as clients do.
  const patient = async (): Promise<{ status: number }> => {
    for (;;) {
      const answer = await call();
      if (answer.status !== 503 && answer.status !== 429) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const answers = await Promise.all(Array.from({ length: times }, patient));
  for (const { status } of answers) expect([200, 400, 403, 409]).toContain(status);
  return answers.filter(({ status }) => status === 200).length;
}

class SetState implements fc.AsyncCommand<Model, Real> {
  readonly to: WorkUnitState;
  readonly times: number;
  constructor(to: WorkUnitState, times: number) {
    this.to = to;
    this.times = times;
  }
  check = (): boolean => true;
  async run(model: Model, { id }: Real): Promise<void> {
    const approved = model.decided[1] === 'approve' && model.decided[2] === 'approve';
    const waits = !approved && model.state !== this.to;
    const allowed = ['New', 'Acknowledged', 'Canceled'].includes(this.to) || (model.state !== 'New' && !waits);
    const done = await atOnce(this.times, () => world.call(asker, 'POST', `/v1/workunits/${id}`, { stateId: this.to }));
    holds(done, allowed ? this.times : 0);
    if (allowed && model.state !== this.to) move(model, this.to);
  }
  toString = (): string => `SetState(${this.to} x${this.times})`;
}

class SetCategory implements fc.AsyncCommand<Model, Real> {
  static next = 0;
  check = (): boolean => true;
  async run(model: Model, { id }: Real): Promise<void> {
    const category = String((SetCategory.next += 1));
    // Of two identical writes, only the first changes the unit.
    holds(await atOnce(2, () => world.call(asker, 'POST', `/v1/workunits/${id}`, { category })), 2);
    happen(model, 8);
  }
  toString = (): string => 'SetCategory';
}

class Decide implements fc.AsyncCommand<Model, Real> {
  readonly slot: 1 | 2;
  readonly what: 'approve' | 'decline';
  constructor(slot: 1 | 2, what: 'approve' | 'decline') {
    this.slot = slot;
    this.what = what;
  }
  check = (): boolean => true;
  async run(model: Model, { id }: Real): Promise<void> {
    const { slot, what } = this;
    const may = model.decided[slot] === undefined && !ended.includes(model.state);
    const body = { decisionNote: 'So it is.' };
    const done = await atOnce(3, () => world.call(approvers[slot], 'POST', `/v1/workunits/${id}/${what}/${slot}`, body));
    holds(done, may ? 1 : 0);
    if (!may) return;
    model.decided[slot] = what;
    if (what === 'decline') move(model, 'Canceled');
    else happen(model, 8);
  }
  toString = (): string => `Decide(${this.slot}, ${this.what})`;
}

class Trigger implements fc.AsyncCommand<Model, Real> {
  readonly repeatable: boolean;
  readonly reject: boolean;
  constructor(repeatable: boolean, reject: boolean) {
    this.repeatable = repeatable;
    this.reject = reject;
  }
  check = (): boolean => true;
  async run(model: Model, { id }: Real): Promise<void> {
    const path = `/v1/workunits/${id}/protocolActions/${this.repeatable ? often : once}/trigger`;
    const done = await atOnce(3, () => world.call(asker, 'POST', path, { workUnitEventType: 2, reject: this.reject }));
    if (model.state !== 'Acknowledged') holds(done, 0);
    else if (this.repeatable) model.ranOften += done;
    else {
      holds(done, model.ranOnce ? 0 : 1);
      model.ranOnce = true;
    }
    if (model.state === 'Acknowledged' && this.repeatable) holds(done, 3);
  }
  toString = (): string => `Trigger(${this.repeatable ? 'often' : 'once'}${this.reject ? ', reject' : ''})`;
}

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const quiet = () =>
  until(async () => {
    const [left] = await rows<{ count: number }>(
      'select (select count(*) from job)::int + (select count(*) from protocol_run)::int as count',
    );
    return left?.count === 0;
  });

class TimerIsDue implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, { id }: Real): Promise<void> {
    // The timer skips a due time while the steps of the previous one still run; another test covers that.
    await quiet();
    // The column rounds to milliseconds, and a due time that is rounded up is not due yet.
    const due = await rows("update work_unit_timer set due = date_trunc('milliseconds', now()) where work_unit_id = $1 returning 1", id);
    holds(due.length, timed.includes(model.state) ? 1 : 0);
    await Promise.all([runTimers(world.system.db), runTimers(world.system.db)]);
    if (timed.includes(model.state)) happen(model, 7);
  }
  toString = (): string => 'TimerIsDue';
}

interface RunRow {
  event: number;
  run: string;
  steps: number[];
  stati: number[];
}

/** Compares the database with the model: each event's steps exist once, in order. */
async function agree(model: Model, id: number): Promise<void> {
  await quiet();
  const [unit] = await rows<{ state_id: string }>('select state_id from work_unit where work_unit_id = $1', id);
  expect(unit?.state_id).toBe(model.state);
  const actual = await rows<RunRow>(
    `select min(a.work_unit_event_type_id) as event, h.protocol_event_id as run, array_agg(a.sequence order by h.action_history_id) as steps,
      array_agg(h.result_status_id) as stati
    from action_history h join protocol_action a using (protocol_action_id) where h.work_unit_id = $1 and h.protocol_event_id is not null group by 2`,
    id,
  );
  for (const run of actual)
    expect([run.steps, run.stati]).toEqual([
      [1, 2],
      [1, 1],
    ]);
  const counted = new Map<number, number>();
  for (const { event } of actual) counted.set(event, (counted.get(event) ?? 0) + 1);
  expect([...counted].toSorted(([a], [b]) => a - b)).toEqual([...model.events].toSorted(([a], [b]) => a - b));
  const [manual] = await rows<{ once: number; often: number }>(
    `select count(*) filter (where protocol_action_id = $2)::int as once, count(*) filter (where protocol_action_id = $3)::int as often
    from action_history where work_unit_id = $1`,
    id,
    once,
    often,
  );
  expect(manual).toEqual({ once: model.ranOnce ? 1 : 0, often: model.ranOften });
}

async function open(): Promise<number> {
  const created = await world.call(asker, 'PUT', '/v1/workunits', {
    title: 'New pump',
    workUnitTypeId: 2,
    tenantId,
    protocolId,
    implementationPlan: 'a',
    rollbackPlan: 'b',
    affectedResources: 'c',
    environment: 'd',
    expectedCFSAlerts: 'e',
    plannedStartTime: '2026-05-01T08:00:00Z',
    plannedFinishTime: '2026-05-01T09:00:00Z',
    resolution: 'f',
    isApproverRequired: true,
    approver1: 'first@example.com',
    approver2: 'second@example.com',
  });
  expect([created.status, created.body['error']]).toEqual([201, undefined]);
  return Number(created.body['workUnitId']);
}

const slot = fc.constantFrom<1 | 2>(1, 2);
const kinds: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] = [
  fc.tuple(fc.constantFrom(...workUnitStates), fc.integer({ min: 1, max: 3 })).map(([to, times]) => new SetState(to, times)),
  fc.constant(new SetState('Acknowledged', 2)),
  fc.constant(new SetCategory()),
  fc.tuple(slot, fc.constantFrom('approve' as const, 'decline' as const)).map(([which, what]) => new Decide(which, what)),
  fc.tuple(fc.boolean(), fc.boolean()).map(([repeatable, reject]) => new Trigger(repeatable, reject)),
  fc.constant(new TimerIsDue()),
];
const commands = fc.commands(kinds, { maxCommands: 12 });

it('holds for any course of calls', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (course) => {
      const id = await open();
      const model: Model = {
        state: 'New',
        events: new Map([[eventOfState.New, 1]]),
        decided: { 1: undefined, 2: undefined },
        ranOnce: false,
        ranOften: 0,
      };
      await fc.asyncModelRun(() => ({ model, real: { id } }), course);
      await agree(model, id);
    }),
    { numRuns: runs(10, 25), endOnFailure: true },
  );
});
