/**
 * What is told about a unit, and about the units of one rule and subject, has the order of the changes, whichever worker is faster.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { writeExecutions } from '../executions/executions.ts';
import { NotDue, type JobAttempt } from '../jobs/job.ts';
import { attemptOf } from '../testing/attempt.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { loadExecution } from './action-context.ts';
import { waitFor } from './order-of-messages.ts';
import { advanceRun, startProtocolSteps } from './protocols/protocol-run.ts';
import { workUnitEventJob } from './work-unit-event.job.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let protocolId: string;

const mail = (to: string, subject: string) => ({ To: to, Subject: subject, Body: 'x' });

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
  const protocol = await world.call(me, 'PUT', '/v1/protocols', { name: 'Tells', tenantId });
  protocolId = String(protocol.body['protocolId']);
  const steps = [
    [1, mail('first@example.com', 'DOWN')],
    [1, mail('desk@example.com', 'DOWN')],
    [6, mail('desk@example.com', 'UP')],
    [8, mail('other@example.com', 'CHANGED')],
  ] as const;
  for (const [sequence, [workUnitEventTypeId, parameters]] of steps.entries()) {
    const action = await world.call(me, 'PUT', '/v1/protocolActions', {
      protocolId,
      sequence,
      actionDefinitionId: builtInAction.email,
      workUnitEventTypeId,
      runAutomatically: true,
      parameters: JSON.stringify(parameters),
    });
    if (action.status !== 201) throw new Error(JSON.stringify(action.body));
  }
});
afterAll(() => world.close());

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function openUnit(): Promise<number> {
  const unit = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Pump is down',
    severityId: 'Sev2',
    workUnitTypeId: 1,
    tenantId,
    protocolId,
  });
  expect(unit.body['error']).toBeUndefined();
  return Number(unit.body['workUnitId']);
}
async function change(id: number, fields: object): Promise<void> {
  const changed = await world.call(me, 'POST', `/v1/workunits/${id}`, fields);
  expect(changed.body['error']).toBeUndefined();
}

interface EventJob {
  job_id: number;
  payload: unknown;
}
const eventsOf = (id: number) =>
  rows<EventJob>(
    "select job_id, payload from job where name = 'work-unit-event' and payload ->> 'workUnitId' = $1::text order by job_id",
    id,
  );
/** Handles an event as a worker does, which deletes the job afterwards. */
async function handle({ job_id: jobId, payload }: EventJob): Promise<void> {
  const attempt: JobAttempt = { ...attemptOf(), lease: { jobId, worker: 'w' } };
  await workUnitEventJob([startProtocolSteps]).run(world.system, payload, attempt);
  await rows('delete from job where job_id = $1', jobId);
}
/** The runs of a unit in the order in which they began. */
const runsOf = async (id: number) =>
  (await rows<{ event_id: string }>('select event_id from protocol_run where work_unit_id = $1 order by place', id)).map(
    (run) => run.event_id,
  );
const startedOf = async (...ids: number[]) =>
  (
    await rows<{ text: string }>(
      `select input_parameters::jsonb ->> 'To' || ' ' || (input_parameters::jsonb ->> 'Subject') as text from action_history where work_unit_id = any($1) order by action_history_id`,
      ids,
    )
  ).map(({ text }) => text);
const endSteps = (id: number) =>
  rows(
    `with ended as (update action_history set result_status_id = 1 where work_unit_id = $1 and result_status_id = 3 returning message_id) delete from job j using ended e where j.once_key = e.message_id::text`,
    id,
  );
const wokenRuns = async () =>
  (await rows<{ id: string }>("delete from job where name = 'protocol-steps' returning payload ->> 'eventId' as id")).map(({ id }) => id);

it('handles the changes of a unit in their order, and none of them waits for ever for one that fails', async () => {
  const id = await openUnit();
  await change(id, { stateId: 'Canceled' });
  const [opened, canceled] = await eventsOf(id);
  if (!opened || !canceled) throw new Error('Both changes have an event.');
  await expect(handle(canceled)).rejects.toThrow(NotDue);
  expect(await runsOf(id)).toEqual([]);
  // The earlier one has failed for longer than an action is held, and is tried again later.
  await rows(
    "update job set attempts = 2, created = now() - interval '1 minute', run_at = now() + interval '1 minute' where job_id = $1",
    opened.job_id,
  );
  await handle(canceled);
  expect(await runsOf(id)).toHaveLength(1);
});

it('starts no step before an earlier event has started what reaches the same receiver', async () => {
  const id = await openUnit();
  await change(id, { title: 'Pump is slow' });
  await change(id, { stateId: 'Canceled' });
  for (const event of await eventsOf(id)) await handle(event);
  const [opened = '', changed = '', canceled = ''] = await runsOf(id);
  await advanceRun(world.system.db, canceled);
  expect(await startedOf(id)).toEqual([]);
  // A run that is blocked wakes no other.
  await wokenRuns();
  await advanceRun(world.system.db, canceled);
  expect(await wokenRuns()).toEqual([]);
  // Another receiver is told at once.
  await advanceRun(world.system.db, changed);
  await advanceRun(world.system.db, opened);
  expect(await startedOf(id)).toEqual(['other@example.com CHANGED', 'first@example.com DOWN']);
  await advanceRun(world.system.db, canceled);
  expect(await startedOf(id)).toHaveLength(2);
  await endSteps(id);
  await wokenRuns();
  await advanceRun(world.system.db, opened);
  expect(await wokenRuns()).toContain(canceled);
  await advanceRun(world.system.db, canceled);
  expect((await startedOf(id)).slice(2)).toEqual(['desk@example.com DOWN', 'desk@example.com UP']);
});

it('orders the end of one unit of a fault and the start of the next one', async () => {
  const [first, next] = [await openUnit(), await openUnit()];
  await rows('update work_unit set line = $2 where work_unit_id = any($1)', [first, next], crypto.randomUUID());
  const [[opened], [again]] = [await eventsOf(first), await eventsOf(next)];
  if (!opened || !again) throw new Error('Both units have an event.');
  await expect(handle(again)).rejects.toThrow(NotDue);
  await handle(opened);
  await handle(again);
  const [[run = ''], [nextRun = '']] = [await runsOf(first), await runsOf(next)];
  await advanceRun(world.system.db, nextRun);
  expect(await startedOf(first, next)).toEqual([]);
  await advanceRun(world.system.db, run);
  await endSteps(first);
  await advanceRun(world.system.db, run);
  await advanceRun(world.system.db, nextRun);
  expect(await startedOf(first, next)).toEqual(['first@example.com DOWN', 'desk@example.com DOWN', 'first@example.com DOWN']);
});

it('waits for the message just before it, so that the end of one wakes one, and for what the match of the unit tells', async () => {
  const id = await openUnit();
  const matchId = crypto.randomUUID();
  await rows(
    `with r as (insert into rule (tenant_id, name, rule_type_id, conditions, match_lifetime) values ($1, 'r', 1, '[]', 300) returning rule_id)
insert into rule_match (rule_match_id, tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id)
select $2, $1, rule_id, $2, 'r', now(), now(), now(), $2, $3 from r`,
    tenantId,
    matchId,
    id,
  );
  const write = async (referenceId: string, about: { workUnitId?: number }) => {
    const messageId = crypto.randomUUID();
    await writeExecutions(world.system.db, [
      {
        tenantId,
        actionDefinitionId: builtInAction.email,
        messageId,
        correlationId: crypto.randomUUID(),
        referenceId,
        parameters: mail('desk@example.com', 'x'),
        suppressed: false,
        detail: {},
        ...about,
      },
    ]);
    return messageId;
  };
  const matchMail = await write(matchId, {});
  const messages = [await write(String(id), { workUnitId: id }), await write(String(id), { workUnitId: id })];
  // The match's mail has failed and is tried again in a minute.
  await rows("update job set attempts = 1, run_at = now() + interval '1 minute' where once_key = $1", matchMail);
  const predecessors = [];
  for (const messageId of messages) {
    const execution = await loadExecution(world.system.db, messageId, { publicUrl: 'http://localhost', ackLinks: world.ackLinks });
    predecessors.push(execution?.order.heldBy ?? undefined);
    await waitFor(world.system.db, messageId, execution?.order.heldBy ?? '');
  }
  expect(predecessors).toEqual([matchMail, messages[0]]);
});
