/** What becomes of a unit on which nobody works: unanswered, paged again, and no longer acknowledged. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { watchAnswers } from './answer-watch.ts';

let world: TestWorld;
let worker: Automation;
let tenantId: string;
let me: TestCaller;
let personId: string;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('North plant'));
  me = holder([tenantId]);
  personId = await personIn(world, tenantId, 'Ada Answers');
  worker = await startAutomation(world);
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const notify = { actionDefinitionId: builtInAction.notify, runAutomatically: true };

/** A protocol that pages Ada for New and, by a text of its own, for OnUnanswered. */
async function protocol(times: object): Promise<string> {
  const { body } = await world.call(me, 'PUT', '/v1/protocols', { name: `Night ${crypto.randomUUID()}`, tenantId, ...times });
  expect(body['error']).toBeUndefined();
  const protocolId = String(body['protocolId']);
  for (const [event, subject] of [
    [1, 'Page {PublicWorkUnitId}'],
    [11, 'Nobody answered {PublicWorkUnitId}'],
  ] as const) {
    const parameters = JSON.stringify({ Whom: 'Person', PersonId: personId, Subject: subject });
    const step = await world.call(me, 'PUT', '/v1/protocolActions', { ...notify, protocolId, workUnitEventTypeId: event, parameters });
    expect(step.body['error']).toBeUndefined();
  }
  return protocolId;
}

async function open(protocolId: string) {
  const input = { title: 'Pump', severityId: 'Sev1', workUnitTypeId: 1, tenantId, protocolId };
  const { body } = await world.call(me, 'PUT', '/v1/workunits', input);
  expect(body['error']).toBeUndefined();
  return { id: Number(body['workUnitId']), number: String(body['publicWorkUnitId']) };
}
const subjects = (number: string) => worker.mails.flatMap(({ subject }) => (subject.endsWith(number) ? [subject.slice(0, 4)] : []));
/** Looks as two processes do, as if this many minutes had passed for the unit. */
async function pass(id: number, minutes: number): Promise<void> {
  await rows(
    `update answer_watch set since = since - make_interval(mins => $2::int), chain_ended = chain_ended - make_interval(mins => $2::int), look_at = now() where work_unit_id = $1`,
    id,
    minutes,
  );
  await Promise.all([1, 2].map(() => watchAnswers(world.database, log)));
}
/** Waits until the messages about the unit have their outcome, which comes after the mail. */
const settled = (id: number) =>
  until(async () => {
    const text = `select 1 from notification n join action_history h on h.message_id = n.message_id where n.work_unit_id = $1 and h.result_status_id = ${resultStatus.enqueueSuccess}`;
    return (await rows(text, id)).length === 0;
  });
const unit = async (id: number) => (await world.call(me, 'GET', `/v1/workUnits(${id})`)).body;
const feed = async (id: number): Promise<string[]> =>
  (await rows<{ detail: string }>('select detail from work_unit_note where work_unit_id = $1 order by work_unit_note_id', id)).map(
    ({ detail }) => detail,
  );
const count = async (id: number, beginning: string) => (await feed(id)).filter((detail) => detail.startsWith(beginning)).length;

it('says once that nobody acknowledged after the last step, runs the steps for that, and begins again', async () => {
  const { id, number } = await open(await protocol({ unansweredAfter: '00:10:00', repeatEvery: '00:30:00' }));
  await until(() => subjects(number).length === 1);
  await until(async () => {
    await pass(id, 0);
    return (await rows('select 1 from answer_watch where work_unit_id = $1 and chain_ended is not null', id)).length === 1;
  });
  await pass(id, 9);
  expect(await unit(id)).toMatchObject({ unansweredSince: null });
  await rows('update tenant set enabled = false where tenant_id = $1', tenantId);
  await pass(id, 2);
  await rows('update tenant set enabled = true where tenant_id = $1', tenantId);
  expect(await unit(id)).toMatchObject({ unansweredSince: null });
  await pass(id, 0);
  expect(await unit(id)).toMatchObject({ stateId: 'New', unansweredSince: expect.any(String) });
  await until(() => subjects(number).length === 2);
  expect(subjects(number)).toEqual(['Page', 'Nobo']);
  const listed = await world.call(me, 'GET', '/v1/ledger?kind=protocol');
  expect(listed.body.value).toContainEqual(
    expect.objectContaining({ state: 'late', id: String(id), title: expect.stringContaining('Pump') }),
  );
  expect(await count(id, 'Unanswered:')).toBe(1);
  await settled(id);
  await pass(id, 20);
  await until(() => subjects(number).length === 3);
  expect(subjects(number)).toEqual(['Page', 'Nobo', 'Page']);
  expect(await count(id, 'Nobody works on it')).toBe(1);
  await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged' });
  expect(await unit(id)).toMatchObject({ unansweredSince: null });
  await pass(id, 600);
  expect(subjects(number)).toHaveLength(3);
});

it('does not wait for a message that cannot be sent, so that those for unanswered units are told', async () => {
  const { id, number } = await open(await protocol({ unansweredAfter: '00:10:00' }));
  await until(() => subjects(number).length === 1);
  await settled(id);
  const waits = (minutes: number) =>
    rows(
      `with stuck as (
        update action_history h set result_status_id = ${resultStatus.enqueueSuccess}, next_try = now() + interval '1 hour' from notification n
        where n.message_id = h.message_id and n.work_unit_id = $1 returning n.notification_id
      ) update notification n set created = now() - make_interval(mins => $2) from stuck s where s.notification_id = n.notification_id`,
      id,
      minutes,
    );
  await waits(1);
  await pass(id, 0);
  await pass(id, 11);
  expect(await unit(id)).toMatchObject({ unansweredSince: null });
  await waits(3);
  // The run of the steps ends a moment after their last message.
  await until(async () => {
    await pass(id, 0);
    return (await rows('select 1 from answer_watch where work_unit_id = $1 and chain_ended is not null', id)).length === 1;
  });
  await pass(id, 11);
  expect(await unit(id)).toMatchObject({ unansweredSince: expect.any(String) });
  await until(() => subjects(number).includes('Nobo'));
});

it('lets an acknowledgement run out that nobody follows up, and pages again', async () => {
  const { id, number } = await open(await protocol({ acknowledgedFor: '00:30:00' }));
  await until(() => subjects(number).length === 1);
  await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged', assignedTo: 'ada' });
  // Work by a person counts, here the acknowledgement itself, however long the unit has had its state.
  await pass(id, 600);
  expect(await unit(id)).toMatchObject({ stateId: 'Acknowledged', assignedTo: 'ada' });
  await rows(
    'update protocol set acknowledged_for = 1 where protocol_id = (select protocol_id from work_unit where work_unit_id = $1)',
    id,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await pass(id, 0);
  expect(await unit(id)).toMatchObject({ stateId: 'New', assignedTo: null });
  await until(() => subjects(number).length === 2);
  expect(await count(id, 'The acknowledgement ran out: nobody has changed the work unit')).toBe(1);
});

it('counts a unit without automatic steps for New, and one in work, as nothing to answer', async () => {
  const { body } = await world.call(me, 'PUT', '/v1/protocols', { name: 'By hand', tenantId, repeatEvery: '00:05:00' });
  const { id } = await open(String(body['protocolId']));
  await pass(id, 600);
  expect(await unit(id)).toMatchObject({ unansweredSince: null });
  expect(await rows('select look_at as at from answer_watch where work_unit_id = $1', id)).toEqual([{ at: null }]);
  for (const stateId of ['Acknowledged', 'InProgress']) await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId });
  expect(await rows('select 1 from answer_watch where work_unit_id = $1', id)).toEqual([]);
});

it('refuses times outside of a minute and 30 days', async () => {
  const refused = await world.call(me, 'PUT', '/v1/protocols', { name: 'Never', tenantId, repeatEvery: '00:00:10' });
  expect(refused.body['error']).toMatchObject({ details: [{ target: 'repeatEvery', message: 'Enter a time from 00:01:00 to 30 days.' }] });
});
