/** Steps that wait: they run once, at their time, if their conditions hold and nobody has acted; and the people they notify. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { Layer } from '@cloudfit/contract/on-call/shifts.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { runPlannedSteps } from './planned-steps.ts';

let world: TestWorld;
let workers: Automation[];
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  workers = [await startAutomation(world), await startAutomation(world)];
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const step = (subject: string, body: object = {}, to = 'desk@example.com') => ({
  actionDefinitionId: builtInAction.email,
  workUnitEventTypeId: 1,
  runAutomatically: true,
  parameters: JSON.stringify({ To: to, Template: 'None', Subject: subject }),
  ...body,
});
const notify = (parameters: object, body: object = {}) =>
  step('', { actionDefinitionId: builtInAction.notify, parameters: JSON.stringify(parameters), ...body });

async function protocol(steps: readonly object[]): Promise<string> {
  const created = await world.call(me, 'PUT', '/v1/protocols', { name: `Outage ${crypto.randomUUID()}`, tenantId });
  const protocolId = String(created.body['protocolId']);
  for (const [sequence, one] of steps.entries()) {
    const action = await world.call(me, 'PUT', '/v1/protocolActions', { protocolId, sequence, ...one });
    expect(action.body['error']).toBeUndefined();
  }
  return protocolId;
}
async function open(protocolId: string, body: object = {}): Promise<number> {
  const unit = await world.call(me, 'PUT', '/v1/workunits', { title: 'Mail is down', workUnitTypeId: 1, tenantId, protocolId, ...body });
  expect(unit.body['error']).toBeUndefined();
  return Number(unit.body['workUnitId']);
}
const set = (id: number, body: object) => world.call(me, 'POST', `/v1/workunits/${id}`, body);
const quiet = () =>
  until(async () => {
    const [left] = await rows<{ count: number }>(
      'select (select count(*)::int from job where dead_at is null) + (select count(*)::int from protocol_run) as count',
    );
    return left?.count === 0;
  });
/** Simulates that `minutes` have passed, and lets two servers run the due steps. */
async function pass(id: number, minutes: number): Promise<void> {
  await quiet();
  await rows('update planned_step set due = due - make_interval(mins => $2::int) where work_unit_id = $1 and ended is null', id, minutes);
  await Promise.all([runPlannedSteps(world.system.db), runPlannedSteps(world.system.db)]);
  await quiet();
}
const ran = async (id: number): Promise<string[]> => {
  await quiet();
  const executions = await rows<{ subject: string; status: number; why: string | null }>(
    `select input_parameters::jsonb->>'Subject' as subject, result_status_id as status, result_detail->>'why' as why from action_history
      where work_unit_id = $1 order by action_history_id`,
    id,
  );
  return executions.map(({ subject, status, why }) => (status === 1 ? subject : `${subject} (${why ?? status})`));
};
const planned = (id: number) =>
  rows<{ name: string; reason: string | null; is_open: boolean; runs: number }>(
    'select name, reason, ended is null as is_open, runs from planned_step where work_unit_id = $1 order by sequence',
    id,
  );

describe('a step that waits', () => {
  it('runs once when its time comes and its tenant is enabled, however many look, and not with the step before', async () => {
    const id = await open(await protocol([step('at once'), step('later', { wait: '00:15:00' })]));
    expect(await ran(id)).toEqual(['at once']);
    await pass(id, 14);
    expect(await ran(id)).toEqual(['at once']);
    const enable = (enabled: boolean) => rows('update tenant set enabled = $2 where tenant_id = $1', tenantId, enabled);
    await enable(false);
    await pass(id, 1);
    expect(await ran(id)).toEqual(['at once']);
    await enable(true);
    await pass(id, 0);
    await pass(id, 60);
    expect(await ran(id)).toEqual(['at once', 'later']);
    expect(await planned(id)).toEqual([{ name: 'Email', reason: null, is_open: false, runs: 1 }]);
  });

  it('of a protocol that one request saved runs: at once, after an approval that is asked for later, and last by itself', async () => {
    const steps = [step('at once'), step('approved', { wait: '00:10:00', runAutomatically: false }), step('later', { wait: '00:30:00' })];
    const protocolPart = { id: 'protocol', method: 'PUT', url: '/v1/protocols', body: { name: `Outage ${crypto.randomUUID()}`, tenantId } };
    const parts = steps.map((body, at) => ({
      id: `new-${at}`,
      method: 'PUT',
      url: '/v1/protocolActions',
      body: { ...body, sequence: at, 'protocol@odata.bind': '$protocol' },
    }));
    const requests = [protocolPart, ...parts].map((part) => ({ ...part, atomicityGroup: 'save' }));
    const saved = await world.call(me, 'POST', '/v1/$batch', { requests });
    const answers = saved.body['responses'] as { status: number; body: Record<string, string> }[];
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201]);
    const id = await open(String(answers[0]?.body['protocolId']));
    const offered = async () => {
      const { body } = await world.call(me, 'GET', `/v1/workunits/${id}/pendingActions`);
      return (body.value ?? []).map((item) => [item['protocolActionId'], item['status']]);
    };
    expect(await offered()).toEqual([]);
    expect(await ran(id)).toEqual(['at once']);
    expect(await offered()).toEqual([]);
    await pass(id, 10);
    const approval = answers[2]?.body['protocolActionId'] ?? '';
    expect([await ran(id), await offered()]).toEqual([['at once'], [[approval, 'waiting']]]);
    const feed = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
    expect(feed.body.value?.map((entry) => entry['detail'])).toContain('Email waits for a person in Pending Actions.');
    expect((await world.call(me, 'POST', `/v1/workunits/${id}/protocolActions/${approval}/trigger`, { workUnitEventType: 1 })).status).toBe(
      200,
    );
    await pass(id, 20);
    expect(await ran(id)).toEqual(['at once', 'approved', 'later']);
    expect((await planned(id)).map((item) => [item.is_open, item.runs])).toEqual([
      [false, 0],
      [false, 1],
    ]);
  });

  it('is not held by a step that is still tried', async () => {
    const hook = await world.call(me, 'PUT', '/v1/actionDefinitions', {
      name: `Hook ${crypto.randomUUID()}`,
      actionDefinitionTypeId: 2,
      tenantId,
      endpointUrl: 'http://127.0.0.1:9/',
      httpMethod: 'POST',
    });
    const failing = step('hook', { actionDefinitionId: hook.body['actionDefinitionId'] });
    const id = await open(await protocol([failing, step('mail', { wait: '00:00:00' })]));
    await until(async () => (await planned(id)).length === 1);
    await runPlannedSteps(world.system.db);
    await until(() => workers.some(({ mails }) => mails.some((mail) => mail.subject === 'mail')));
    const [tried] = await rows<{ status: number }>(
      'select result_status_id as status from action_history where work_unit_id = $1 and action_definition_id = $2',
      id,
      hook.body['actionDefinitionId'],
    );
    expect(tried?.status).toBe(3);
    await rows('delete from job where dead_at is null');
    await rows('delete from protocol_run where work_unit_id = $1', id);
  });

  it('repeats as often as it says and ends', async () => {
    const id = await open(await protocol([step('wake', { wait: '00:05:00', repeatEvery: '00:10:00', repeatTimes: 2 })]));
    await quiet();
    for (const minutes of [5, 10, 10, 10, 60]) await pass(id, minutes);
    expect(await ran(id)).toEqual(['wake', 'wake', 'wake']);
    expect(await planned(id)).toEqual([{ name: 'Email', reason: null, is_open: false, runs: 3 }]);
  });

  it.each([
    ['Acknowledged', 'Acknowledged', []],
    ['Resolved', 'Acknowledged', ['wake']],
    ['Never', 'Canceled', ['wake']],
    ['Resolved', 'Canceled', []],
  ])('that stops when %s, at a unit that becomes %s', async (stopWhen, stateId, expected) => {
    const id = await open(await protocol([step('wake', { wait: '00:05:00', stopWhen })]));
    await quiet();
    expect((await set(id, { stateId })).body['error']).toBeUndefined();
    await pass(id, 10);
    expect(await ran(id)).toEqual(expected);
    const [one] = await planned(id);
    expect(one?.reason).toBe(expected.length > 0 ? null : `the work unit is ${stateId}`);
    if (expected.length === 0) {
      const notes = await rows<{ detail: string }>(
        "select detail from work_unit_note where work_unit_id = $1 and detail like '%not run any more%'",
        id,
      );
      expect(notes.map((note) => note.detail)).toEqual([`Email will not run any more: the work unit is ${stateId}.`]);
    }
  });

  it('is not run when it is acknowledged at the moment at which it is due', async () => {
    const id = await open(await protocol([step('wake', { wait: '00:05:00' })]));
    await quiet();
    // The event of the change has not been handled yet: only the state of the unit shows it.
    await rows("update work_unit set state_id = 'Acknowledged' where work_unit_id = $1", id);
    await pass(id, 5);
    expect(await ran(id)).toEqual(['wake (the work unit is Acknowledged)']);
  });

  it('begins again when the unit is New again', async () => {
    const id = await open(await protocol([step('wake', { wait: '00:05:00' })]));
    await quiet();
    await set(id, { stateId: 'Acknowledged' });
    await set(id, { stateId: 'New' });
    await pass(id, 5);
    expect(await ran(id)).toEqual(['wake']);
    expect((await planned(id)).map((item) => [item.runs, item.reason]).toSorted()).toEqual([
      [0, 'the work unit is Acknowledged'],
      [1, null],
    ]);
  });

  it('ends when the unit gets another protocol, and when the step is removed', async () => {
    const first = await protocol([step('wake', { wait: '00:05:00' })]);
    const moved = await open(first);
    const stays = await open(first);
    await quiet();
    await set(moved, { protocolId: await protocol([]) });
    await quiet();
    await rows('delete from protocol_action where protocol_id = $1', first);
    await pass(moved, 5);
    await pass(stays, 5);
    expect([await ran(moved), await ran(stays)]).toEqual([[], []]);
    expect((await planned(moved))[0]?.reason).toBe('the work unit has another protocol');
    expect((await planned(stays))[0]?.reason).toBe('The step was removed from the protocol.');
    expect(
      await rows(
        "select history_type from work_unit_note where work_unit_id = $1 and detail like '% did not run: the step was removed%'",
        stays,
      ),
    ).toEqual([{ history_type: 'ProtocolActionFailure' }]);
  });

  it('is refused with times that make no sense', async () => {
    const protocolId = await protocol([]);
    const target = async (body: object) => {
      const { body: answer } = await world.call(me, 'PUT', '/v1/protocolActions', { protocolId, sequence: 1, ...step('x', body) });
      return (answer['error'] as { details: { target: string }[] }).details[0]?.target;
    };
    expect(await target({ repeatEvery: '00:10:00', repeatTimes: 2 })).toBe('wait');
    expect(await target({ wait: '00:10:00', repeatEvery: '00:10:00', repeatTimes: 1, runAutomatically: false })).toBe('repeatEvery');
    expect(await target({ wait: '1000:00:00' })).toBe('wait');
    expect(await target({ wait: '00:10:00', repeatTimes: 2 })).toBe('repeatEvery');
    expect(await target({ wait: '00:10:00', repeatEvery: '00:10:00' })).toBe('repeatTimes');
    expect(await target({ wait: '00:10:00', repeatEvery: '00:00:59', repeatTimes: 1 })).toBe('repeatEvery');
    expect(await target({ hours: 'Covered' })).toBe('hoursScheduleId');
    expect(await target({ onlyStates: ['Nowhere'] })).toBe('onlyStates');
  });
});

const always: Layer = { name: 'All', people: [], start: '2026-01-05T09:00', unit: 'Weeks', every: 1, restrictions: [], holidays: 'Same' };
async function schedule(people: readonly string[]): Promise<string> {
  const layers = people.length > 0 ? [{ ...always, people: [...people] }] : [];
  const created = await world.call(me, 'PUT', '/v1/onCallSchedules', {
    name: `Plant ${crypto.randomUUID()}`,
    tenantId,
    timeZone: 'UTC',
    layers,
  });
  expect(created.body['error']).toBeUndefined();
  return String(created.body['onCallScheduleId']);
}

it('runs by state, severity and hours, and says why it was passed over', async () => {
  const empty = await schedule([]);
  const kim = await personIn(world, tenantId, 'Kim Hours');
  const staffed = await schedule([kim]);
  const id = await open(
    await protocol([
      step('sev1', { onlySeverities: ['Sev0', 'Sev1'] }),
      step('acknowledged', { onlyStates: ['Acknowledged'] }),
      step('covered', { hours: 'Covered', hoursScheduleId: empty }),
      step('outside', { hours: 'NotCovered', hoursScheduleId: empty }),
      step('inside', { hours: 'Covered', hoursScheduleId: staffed }),
      step('all', { onlyStates: ['New'], onlySeverities: ['Sev2'] }),
    ]),
    { severityId: 'Sev2' },
  );
  expect(await ran(id)).toEqual([
    'sev1 (it is for Sev0, Sev1, and the work unit is Sev2)',
    'acknowledged (it is for Acknowledged, and the work unit is New)',
    'covered (nobody of its schedule is on call now)',
    'outside',
    'inside',
    'all',
  ]);
});

describe('Notify', () => {
  const notified = (id: number) =>
    rows<{ name: string; whom: string; outcome: string; address: string }>(
      'select name, whom, outcome, address from notification_outcome where work_unit_id = $1 order by created, name',
      id,
    );
  const mailsTo = (address: string | undefined) => workers.flatMap(({ mails }) => mails).filter((mail) => mail.to === address);

  it('tells whoever is on call at that moment, with a link that acknowledges, and shows it in the API and the feed', async () => {
    const kim = await personIn(world, tenantId, 'Kim Duty');
    const lee = await personIn(world, tenantId, 'Lee Duty');
    const scheduleId = await schedule([kim]);
    const parameters = { Whom: 'Schedule', ScheduleId: scheduleId, Body: 'Look at {Title}.' };
    const id = await open(await protocol([notify(parameters), notify(parameters, { wait: '00:15:00' })]));
    await quiet();
    const [first] = await notified(id);
    expect(first).toMatchObject({ name: 'Kim Duty', outcome: 'Sent' });
    const [mail] = mailsTo(first?.address);
    expect(mail?.text).toMatch(/^Look at Mail is down\.\n[^]*\/ack\//);
    const hour = 3_600_000;
    const override = {
      onCallScheduleId: scheduleId,
      personId: lee,
      startsAt: new Date(Date.now() - hour),
      endsAt: new Date(Date.now() + hour),
    };
    expect((await world.call(me, 'PUT', '/v1/onCallOverrides', override)).status).toBe(201);
    await pass(id, 15);
    expect((await notified(id)).map((named) => named.name)).toEqual(['Kim Duty', 'Lee Duty']);
    const { body } = await world.call(me, 'GET', `/v1/notifications?$filter=workUnitId eq ${id}&$orderby=created`);
    expect(body['value']).toMatchObject([
      { name: 'Kim Duty', channel: 'Mail', outcome: 'Sent' },
      { name: 'Lee Duty', channel: 'Mail', outcome: 'Sent' },
    ]);
    const feed = await rows<{ detail: string }>(
      "select detail from work_unit_note where work_unit_id = $1 and detail like 'Mail to %' order by work_unit_note_id",
      id,
    );
    expect(feed.map((item) => item.detail)[0]).toMatch(/^Mail to Kim Duty \(On call: Plant .*\) succeeded\.$/);
  });

  it('tells people, groups, the assignee and the customer; a customer gets no link', async () => {
    const ada = await personIn(world, tenantId, 'Ada Group');
    const bo = await personIn(world, tenantId, 'Bo Group');
    const claim = `night-${crypto.randomUUID()}`;
    await rows('update person set claims = array[$2::text] where person_id = any($1::uuid[])', [ada, bo], claim);
    const [user] = await rows<{ user_name: string }>('select user_name from person where person_id = $1', ada);
    const id = await open(
      await protocol([
        notify({ Whom: 'Person', PersonId: bo }),
        notify({ Whom: 'Group', Group: claim }),
        notify({ Whom: 'Assignee' }),
        notify({ Whom: 'Customer', Subject: 'We are on it' }),
      ]),
      { assignedTo: user?.user_name, stakeHolderEmailAddress: 'sam@customer.example', stakeHolderFullName: 'Sam' },
    );
    await quiet();
    expect((await notified(id)).map((named) => `${named.name}: ${named.whom}`).toSorted()).toEqual([
      'Ada Group: Assigned to',
      `Ada Group: Group ${claim}`,
      `Bo Group: Group ${claim}`,
      'Bo Group: Named by the protocol',
      'Sam: Customer',
    ]);
    const [mail] = mailsTo('sam@customer.example');
    expect([mail?.subject, mail?.text.includes('/ack/')]).toEqual(['We are on it', false]);
  });

  it('tells the assignee also by the address by which the unit is assigned', async () => {
    const ina = await personIn(world, tenantId, 'Ina Address');
    await rows("update person set email = 'Ina@mail.example' where person_id = $1", ina);
    const id = await open(await protocol([notify({ Whom: 'Assignee' })]), { assignedTo: 'ina@mail.example' });
    await quiet();
    expect(await notified(id)).toMatchObject([{ name: 'Ina Address', whom: 'Assigned to', outcome: 'Sent' }]);
  });

  it('fails and says so when there is nobody', async () => {
    const mute = await personIn(world, tenantId, 'Mute');
    const scheduleId = await schedule([]);
    const id = await open(
      await protocol([
        notify({ Whom: 'Schedule', ScheduleId: scheduleId }),
        notify({ Whom: 'Person', PersonId: mute }),
        notify({ Whom: 'Customer' }),
        step('next'),
      ]),
    );
    await quiet();
    await rows('update person set email = null where person_id = $1', mute);
    const errors = await rows<{ error: string | null }>(
      "select result_detail->>'error' as error from action_history where work_unit_id = $1 and result_status_id = 2 order by action_history_id",
      id,
    );
    expect(errors.map((error) => error.error)).toEqual([
      expect.stringMatching(/^Nobody is on call in Plant .* now\.$/),
      'The work unit has no email address of its customer.',
    ]);
    // The unit shows them among the others, so that it does not seem that everybody was notified.
    const failed = (await notified(id)).filter(({ outcome }) => outcome === 'Failed');
    expect(failed.map(({ name, whom }) => `${name}: ${whom}`)).toEqual(['On call: On call', 'Customer: Customer']);
    const left = await world.call(me, 'DELETE', `/v1/onCallSchedules/${scheduleId}`);
    expect([left.status, (left.body['error'] as { message: string }).message]).toEqual([
      409,
      expect.stringContaining('is used by the protocol'),
    ]);
  });

  it('tells nobody twice when its worker is lost before the outcome, also when somebody else is on call by then', async () => {
    const kim = await personIn(world, tenantId, 'Kim Lost');
    const lee = await personIn(world, tenantId, 'Lee Lost');
    const scheduleId = await schedule([kim]);
    const id = await open(await protocol([notify({ Whom: 'Schedule', ScheduleId: scheduleId })]));
    await quiet();
    const hour = 3_600_000;
    await world.call(me, 'PUT', '/v1/onCallOverrides', {
      onCallScheduleId: scheduleId,
      personId: lee,
      startsAt: new Date(Date.now() - hour),
      endsAt: new Date(Date.now() + hour),
    });
    // The job of the step runs again, as after the end of a lease.
    const [execution] = await rows<{ message_id: string }>(
      `update action_history set result_status_id = 3 where work_unit_id = $1 and action_definition_id = $2 returning message_id`,
      id,
      builtInAction.notify,
    );
    await rows(
      `insert into job (name, payload, tenant_id, correlation_id, once_key) values ('run-action', jsonb_build_object('messageId', $1::text), $2, uuidv7(), $1)`,
      execution?.message_id,
      tenantId,
    );
    await quiet();
    const all = await notified(id);
    expect(all.map((named) => named.name)).toEqual(['Kim Lost']);
    expect(mailsTo(all[0]?.address)).toHaveLength(1);
  });

  it('stops a message that is still tried when somebody acknowledges', async () => {
    const kim = await personIn(world, tenantId, 'Kim Stop');
    const id = await open(await protocol([notify({ Whom: 'Person', PersonId: kim }, { wait: '00:15:00' })]));
    await pass(id, 15);
    const [message] = await rows<{ message_id: string }>('select message_id from notification where work_unit_id = $1', id);
    // Simulates that the mail server refused the message temporarily.
    await rows(
      "update action_history set result_status_id = 3, next_try = now() + interval '1 hour' where message_id = $1",
      message?.message_id,
    );
    await rows(
      `insert into job (name, payload, tenant_id, correlation_id, once_key, run_at) values ('run-action', jsonb_build_object('messageId', $1::text), $2, uuidv7(), $1, now() + interval '1 hour')`,
      message?.message_id,
      tenantId,
    );
    await set(id, { stateId: 'Acknowledged' });
    await quiet();
    expect((await notified(id)).map((item) => item.outcome)).toEqual(['Stopped']);
  });
});
