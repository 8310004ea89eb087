/** Events of work units run the steps of their protocol in order and once, even when a step fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { advanceRun, sweepRuns } from './protocol-run.ts';

let world: TestWorld;
let workers: Automation[];
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  workers = [await startAutomation(world), await startAutomation(world)];
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

const events = { OnNew: 1, OnAcknowledged: 2, OnHold: 3, OnCanceled: 6, OnChange: 8, OnInProgress: 9 };

interface TestStep {
  on: keyof typeof events;
  subject: string;
  parameters?: object;
  sequence?: number;
  actionDefinitionId?: string;
  /** What follows the step: `onFailure`, `onLate`, `lateAfter`. */
  after?: object;
}

async function protocol(steps: readonly TestStep[]) {
  const created = await world.call(me, 'PUT', '/v1/protocols', { name: `Outage ${crypto.randomUUID()}`, tenantId: home.tenantId });
  const actions: string[] = [];
  for (const [index, step] of steps.entries()) {
    const action = await world.call(me, 'PUT', '/v1/protocolActions', {
      protocolId: created.body['protocolId'],
      actionDefinitionId: step.actionDefinitionId ?? builtInAction.email,
      workUnitEventTypeId: events[step.on],
      parameters: JSON.stringify({ To: 'desk@example.com', Template: 'None', Subject: step.subject, ...step.parameters }),
      sequence: step.sequence ?? index,
      runAutomatically: true,
      ...step.after,
    });
    expect(action.body['error']).toBeUndefined();
    actions.push(String(action.body['protocolActionId']));
  }
  return { protocolId: String(created.body['protocolId']), actions };
}

async function open(protocolId: string | null, body: Record<string, unknown> = {}): Promise<number> {
  const created = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Mail is down',
    workUnitTypeId: 1,
    tenantId: home.tenantId,
    protocolId,
    ...body,
  });
  expect([created.status, created.body['error']]).toEqual([201, undefined]);
  return Number(created.body['workUnitId']);
}

const set = (id: number, body: Record<string, unknown>) => world.call(me, 'POST', `/v1/workunits/${id}`, body);

interface Execution {
  subject: string;
  event: string;
  status: number;
  message_id: string;
}
const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const executions = (id: number) =>
  rows<Execution>(
    `select input_parameters::jsonb->>'Subject' as subject, result_detail->>'event' as event, result_status_id as status, message_id
      from action_history where work_unit_id = $1 order by action_history_id`,
    id,
  );

/** Waits until there are no jobs and no protocol runs. */
const quiet = () =>
  until(async () => {
    const [left] = await rows<{ count: number }>(
      'select (select count(*)::int from job where dead_at is null) + (select count(*)::int from protocol_run) as count',
    );
    return left?.count === 0;
  });

const ran = async (id: number) => {
  await quiet();
  return (await executions(id)).map(({ event, subject }) => `${event} ${subject}`);
};

describe('events of a work unit', () => {
  it('run their automatic steps in sequence: a change of the state its event, any other change OnChange', async () => {
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'second', sequence: 2 },
      { on: 'OnNew', subject: 'first', sequence: 1 },
      { on: 'OnAcknowledged', subject: 'taken' },
      { on: 'OnChange', subject: 'changed' },
      { on: 'OnCanceled', subject: 'canceled' },
    ]);
    const id = await open(protocolId);
    expect(await ran(id)).toEqual(['OnNew first', 'OnNew second']);
    await set(id, { stateId: 'Acknowledged', assignedTo: 'sam' });
    await set(id, { assignedTo: 'kim' });
    await set(id, { assignedTo: 'kim' });
    await set(id, { stateId: 'Canceled' });
    expect((await ran(id)).toSorted()).toEqual([
      'OnAcknowledged taken',
      'OnCanceled canceled',
      'OnChange changed',
      'OnNew first',
      'OnNew second',
    ]);
    const feed = await rows<{ detail: string }>(
      "select detail from work_unit_note where work_unit_id = $1 and history_type = 'ProtocolActionActivity' order by work_unit_note_id",
      id,
    );
    expect(feed.slice(0, 4).map((entry) => entry.detail)).toEqual([
      'Email started (OnNew, step 1 of 2).',
      'Email succeeded.',
      'Email started (OnNew, step 2 of 2).',
      'Email succeeded.',
    ]);
  });

  it('go on after a step that failed, and say in the feed that it did', async () => {
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'fails', parameters: { Template: 'Nonsense' } },
      { on: 'OnNew', subject: 'runs' },
    ]);
    const id = await open(protocolId);
    await quiet();
    expect((await executions(id)).map((execution) => [execution.subject, execution.status])).toEqual([
      ['fails', resultStatus.failure],
      ['runs', resultStatus.success],
    ]);
    const feed = await rows<{ detail: string }>(
      "select detail from work_unit_note where work_unit_id = $1 and history_type = 'ProtocolActionFailure'",
      id,
    );
    expect(feed).toEqual([{ detail: 'Email failed: There is no mail template Nonsense.' }]);
  });

  it('come from every way a work unit is written', async () => {
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'new' },
      { on: 'OnChange', subject: 'changed' },
      { on: 'OnAcknowledged', subject: 'taken' },
    ]);
    const [patched, first, second] = [await open(protocolId), await open(protocolId), await open(null)];
    await world.call(me, 'PATCH', `/v1/workunits/${patched}`, [{ op: 'replace', path: '/category', value: 'Mail' }], {
      'content-type': 'application/json-patch+json',
    });
    expect((await ran(patched)).toSorted()).toEqual(['OnChange changed', 'OnNew new']);
    // A bulk edit of two units, the second of which has no protocol.
    const bulk = await world.call(me, 'PATCH', '/v1/workunits', { ids: [first, second], newState: { stateId: 'Acknowledged' } });
    expect(bulk.status).toBe(200);
    expect((await ran(first)).toSorted()).toEqual(['OnAcknowledged taken', 'OnNew new']);
    // A protocol assigned later misses OnNew; the assignment itself is OnChange.
    await set(second, { protocolId });
    expect(await ran(second)).toEqual(['OnChange changed']);
  });

  it('are cut when they have led to themselves', async () => {
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'one' },
      { on: 'OnNew', subject: 'two' },
    ]);
    const body = { title: 'Mail is down', workUnitTypeId: 1, tenantId: home.tenantId, protocolId };
    const created = await world.call(me, 'PUT', '/v1/workunits', body, {
      'cloudfit-hops': world.hopCounts.header(8, home.tenantId),
    });
    const id = Number(created.body['workUnitId']);
    await quiet();
    expect((await executions(id)).map((execution) => execution.status)).toEqual([resultStatus.suppressed, resultStatus.suppressed]);
    const feed = await rows<{ detail: string }>(
      "select detail from work_unit_note where work_unit_id = $1 and history_type = 'ProtocolActionFailure'",
      id,
    );
    expect(feed[0]?.detail).toBe('Email was not started (OnNew, step 1 of 2): the protocol has led to itself 8 times.');
    const near = await world.call(me, 'PUT', '/v1/workunits', body, {
      'cloudfit-hops': world.hopCounts.header(7, home.tenantId),
    });
    await quiet();
    expect((await executions(Number(near.body['workUnitId']))).map((execution) => execution.status)).toEqual([
      resultStatus.success,
      resultStatus.success,
    ]);
  });

  it('run whatever count of hops a caller claims by itself', async () => {
    const { protocolId } = await protocol([{ on: 'OnNew', subject: 'one' }]);
    const body = { title: 'Mail is down', workUnitTypeId: 1, tenantId: home.tenantId, protocolId };
    const foreign = world.hopCounts.header(8, crypto.randomUUID());
    for (const claimed of ['8', '99', foreign, world.hopCounts.header(8, home.tenantId).slice(0, -1)]) {
      const created = await world.call(me, 'PUT', '/v1/workunits', body, { 'cloudfit-hops': claimed });
      await quiet();
      expect((await executions(Number(created.body['workUnitId']))).map((execution) => execution.status)).toEqual([resultStatus.success]);
    }
  });

  it('pass over a step that is removed before its turn', async () => {
    const { protocolId, actions } = await protocol([
      { on: 'OnNew', subject: 'one' },
      { on: 'OnNew', subject: 'two' },
    ]);
    const id = await open(null);
    const [first = '', second = ''] = actions;
    const eventId = crypto.randomUUID();
    await rows(
      `insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, correlation_id) values ($1, $2, $3, $4, 1, $5, uuidv7())`,
      eventId,
      home.tenantId,
      id,
      protocolId,
      [first, second],
    );
    await world.call(me, 'DELETE', `/v1/protocolActions/${first}`);
    await advanceRun(world.system.db, eventId);
    expect(await ran(id)).toEqual(['OnNew two']);
  });

  it('start a step once, however many look at the same time, and take up again what was lost', async () => {
    const { protocolId, actions } = await protocol([
      { on: 'OnNew', subject: 'one' },
      { on: 'OnNew', subject: 'two' },
      { on: 'OnNew', subject: 'three' },
    ]);
    const id = await open(null);
    const eventId = crypto.randomUUID();
    await rows(
      `insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, correlation_id, looked)
        values ($1, $2, $3, $4, 1, $5, uuidv7(), now() - interval '2 minutes')`,
      eventId,
      home.tenantId,
      id,
      protocolId,
      actions,
    );
    await Promise.all([1, 2, 3, 4].map(() => advanceRun(world.system.db, eventId)));
    expect(await ran(id)).toEqual(['OnNew one', 'OnNew two', 'OnNew three']);
    // A run whose step has neither an outcome nor a job, because its worker died.
    const lost = await open(null);
    await rows(
      `with run as (
        insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, correlation_id, looked)
        values ($1, $2, $3, $4, 1, $5, uuidv7(), now() - interval '2 minutes') returning *)
      insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, work_unit_id, protocol_action_id, protocol_event_id)
      select tenant_id, $6, 3, correlation_id, uuidv7(), work_unit_id, $7, event_id from run`,
      crypto.randomUUID(),
      home.tenantId,
      lost,
      protocolId,
      actions,
      builtInAction.email,
      actions[0],
    );
    await sweepRuns(world.system.db);
    await quiet();
    expect((await executions(lost)).map((execution) => execution.status)).toEqual([
      resultStatus.failure,
      resultStatus.success,
      resultStatus.success,
    ]);
  });
});

describe('what follows a step', () => {
  /** An action whose receiver is down: it is retried again and again. */
  async function unanswered(): Promise<string> {
    const body = {
      name: `Unanswered ${crypto.randomUUID()}`,
      actionDefinitionTypeId: 4,
      tenantId: home.tenantId,
      endpointUrl: 'http://127.0.0.1:1/',
      httpMethod: 'POST',
      inputParameters: 'Subject',
    };
    return String((await world.call(me, 'PUT', '/v1/actionDefinitions', body)).body['actionDefinitionId']);
  }
  const statusesOf = async (id: number) => (await executions(id)).map(({ subject, status }) => [subject, status]);
  const feedOf = async (id: number) =>
    (
      await rows<{ detail: string; is_warning: boolean; history_type: string | null }>(
        'select detail, is_warning, history_type from work_unit_note where work_unit_id = $1 order by work_unit_note_id',
        id,
      )
    ).map(({ detail, is_warning, history_type }) => `${history_type}${is_warning ? ' (warning)' : ''}: ${detail}`);
  const tries = (id: number) =>
    until(async () => (await rows('select 1 from action_history where work_unit_id = $1 and next_try is not null', id)).length > 0);
  const age = (id: number, minutes: number) =>
    rows('update action_history set action_processed = action_processed - make_interval(mins => $2) where work_unit_id = $1', id, minutes);
  const runsOf = (id: number) => rows('select 1 from protocol_run where work_unit_id = $1', id);

  it('that failed for good is the next one at once, or nothing where the step says stop', async () => {
    const wrong = { on: 'OnNew', subject: 'fails', parameters: { Template: 'Fancy' } } as const;
    const next = { on: 'OnNew', subject: 'next' } as const;
    const ids = [];
    for (const after of [{}, { onFailure: 'Continue' }, { onFailure: 'Stop' }])
      ids.push(await open((await protocol([{ ...wrong, after }, next, next])).protocolId));
    await quiet();
    const went = [
      ['fails', resultStatus.failure],
      ['next', resultStatus.success],
      ['next', resultStatus.success],
    ];
    expect(await Promise.all(ids.map(statusesOf))).toEqual([went, went, [['fails', resultStatus.failure]]]);
    expect((await feedOf(ids[2] ?? 0)).at(-1)).toBe('ProtocolActionFailure: The protocol stopped: Email failed. 2 steps were not started.');
  });

  it('that is still tried is the next one after five minutes, and no sooner', async () => {
    const actionDefinitionId = await unanswered();
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'tries', actionDefinitionId },
      { on: 'OnNew', subject: 'next' },
    ]);
    const id = await open(protocolId);
    await tries(id);
    await age(id, 4);
    await sweepRuns(world.system.db);
    expect(await statusesOf(id)).toEqual([['tries', resultStatus.enqueueSuccess]]);
    await age(id, 1);
    await Promise.all([sweepRuns(world.system.db), sweepRuns(world.system.db)]);
    await until(async () => (await runsOf(id)).length === 0);
    expect(await statusesOf(id)).toEqual([
      ['tries', resultStatus.enqueueSuccess],
      ['next', resultStatus.success],
    ]);
    const late = (await feedOf(id)).filter((entry) => entry.includes('is late'));
    expect(late).toEqual([
      expect.stringMatching(
        /^ProtocolActionActivity \(warning\): Unanswered .* is late and is still being tried; the protocol continues\.$/,
      ),
    ]);
    await rows('delete from job where once_key in (select message_id::text from action_history where work_unit_id = $1)', id);
  });

  it('that a person stops is the next one at once, also where the step says stop', async () => {
    const actionDefinitionId = await unanswered();
    const after = { onFailure: 'Stop', onLate: 'Stop' };
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'tries', actionDefinitionId, after },
      { on: 'OnNew', subject: 'waits', actionDefinitionId },
    ]);
    const id = await open(protocolId);
    const stop = async (actionHistoryId: number | undefined) =>
      expect((await world.call(me, 'POST', `/v1/actionHistories/${actionHistoryId}/stop`)).status).toBe(200);
    const executions = () =>
      rows<{ action_history_id: number }>('select action_history_id from action_history where work_unit_id = $1 order by 1', id);
    await tries(id);
    await stop((await executions())[0]?.action_history_id);
    await until(async () => (await executions()).length === 2);
    await stop((await executions())[1]?.action_history_id);
    await until(async () => (await runsOf(id)).length === 0);
    expect(await statusesOf(id)).toEqual([
      ['tries', resultStatus.suppressed],
      ['waits', resultStatus.suppressed],
    ]);
    expect((await feedOf(id)).filter((entry) => entry.includes('was stopped'))).toEqual([
      expect.stringMatching(/was stopped; it is not tried again\. The protocol goes on with its next step\.$/),
      expect.stringMatching(/was stopped; it is not tried again\.$/),
    ]);
  });

  it('that is late is nothing where the step says stop, after its own time', async () => {
    const actionDefinitionId = await unanswered();
    const after = { onLate: 'Stop', lateAfter: '00:01:00' };
    const { protocolId } = await protocol([
      { on: 'OnNew', subject: 'tries', actionDefinitionId, after },
      { on: 'OnNew', subject: 'next' },
    ]);
    const id = await open(protocolId);
    await tries(id);
    await age(id, 1);
    await sweepRuns(world.system.db);
    expect(await runsOf(id)).toEqual([]);
    expect(await statusesOf(id)).toEqual([['tries', resultStatus.enqueueSuccess]]);
    expect((await feedOf(id)).at(-1)).toMatch(
      /^ProtocolActionFailure: The protocol stopped: Unanswered .* is late\. 1 step was not started\.$/,
    );
    await rows('delete from job where once_key in (select message_id::text from action_history where work_unit_id = $1)', id);
  });
});
