/** Pending actions of a work unit, simulated protocols, and repeated executions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await automation.stop();
  await world.close();
});

const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
async function protocol(body: Record<string, unknown> = {}): Promise<string> {
  const created = await world.call(me, 'PUT', '/v1/protocols', { name: crypto.randomUUID(), tenantId: home.tenantId, ...body });
  return String(created.body['protocolId']);
}
async function action(protocolId: string, body: Record<string, unknown> = {}): Promise<string> {
  const created = await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId,
    actionDefinitionId: builtInAction.email,
    workUnitEventTypeId: 1,
    parameters: '{"To":"desk@example.com","Template":"None","Subject":"x"}',
    ...body,
  });
  return String(created.body['protocolActionId']);
}
async function unit(protocolId: string): Promise<number> {
  const created = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Mail is down',
    workUnitTypeId: 1,
    tenantId: home.tenantId,
    protocolId,
  });
  return Number(created.body['workUnitId']);
}
const trigger = (id: number, actionId: string, body: Record<string, unknown> = {}) =>
  world.call(me, 'POST', `/v1/workunits/${id}/protocolActions/${actionId}/trigger`, { workUnitEventType: 1, ...body });

describe('pending actions', () => {
  const pending = (id: number | string, caller = me) => world.call(caller, 'GET', `/v1/workunits/${id}/pendingActions`);
  const statuses = (answer: WorldReply) => answer.body.value?.map((row) => [row['protocolActionId'], row['status'], row['mayRun']]);

  it('are the manual actions of the state, until they are run or rejected, or again where repeatable', async () => {
    const id = await protocol();
    const [first, second, often] = [
      await action(id, { sequence: 1 }),
      await action(id, { sequence: 2, parameters: '{"Template":"Nonsense"}' }),
      await action(id, { sequence: 3, repeatable: true }),
    ];
    await action(id, { runAutomatically: true });
    const acknowledged = await action(id, { workUnitEventTypeId: 2 });
    const workUnitId = await unit(id);
    const before = await pending(workUnitId);
    await proves('[WU-113] lists those that a person runs in this state', () =>
      expect([before.status, before.body['waiting'], statuses(before)]).toEqual([
        200,
        3,
        [
          [first, 'waiting', true],
          [second, 'waiting', true],
          [often, 'waiting', true],
        ],
      ]),
    );
    await trigger(workUnitId, first, { reject: true });
    for (const one of [second, often]) await automation.outcome((await trigger(workUnitId, one)).body['id']);
    const after = await pending(workUnitId);
    await proves('[WU-114] tells how each ended', () =>
      expect([after.body['waiting'], statuses(after)]).toEqual([
        0,
        [
          [first, 'rejected', false],
          [second, 'failure', false],
          [often, 'success', true],
        ],
      ]),
    );
    await proves('[WU-115] runs none again', async () => {
      for (const one of [first, second]) expect((await trigger(workUnitId, one)).status).toBe(409);
    });
    await proves('[WU-116] rejects none again', async () => {
      for (const one of [first, second]) expect((await trigger(workUnitId, one, { reject: true })).status).toBe(409);
    });
    await proves('[WU-117] runs a repeatable one again', async () => expect((await trigger(workUnitId, often)).status).toBe(200));
    await world.call(me, 'POST', `/v1/workunits/${workUnitId}`, { stateId: 'Acknowledged' });
    expect(statuses(await pending(workUnitId))).toEqual([[acknowledged, 'waiting', true]]);
  });

  it('come with the text for people, its placeholders filled without case', async () => {
    const workUnitId = await unit(await protocol({ name: 'Mail', manualActions: 'Open {WORKUNITURL}, {title}, {workunitid}' }));
    const { body } = await pending(workUnitId);
    const url = `http://localhost/${home.tenantId}/workunitsv2?workUnitId=${workUnitId}`;
    await proves('[WU-060] the address of the work unit', () => expect(body['manualActions']).toContain(`Open ${url}, `));
    await proves('[WU-059] and others of its values', () =>
      expect(body).toEqual({ waiting: 0, protocolName: 'Mail', manualActions: `Open ${url}, Mail is down, ${workUnitId}`, value: [] }),
    );
    expect((await pending(workUnitId, holder([other.tenantId]))).status).toBe(404);
    expect((await pending(workUnitId, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
    expect(details(await pending('x'))).toMatchObject([{ target: 'id' }]);
  });
});

it('keeps in the history why somebody ran or rejected an action', async () => {
  const id = await protocol();
  const workUnitId = await unit(id);
  await trigger(workUnitId, await action(id), { reject: true, note: ' The pump is on already. ' });
  const feed = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${workUnitId})`);
  expect(feed.body.value?.map((entry) => entry['detail'])).toContain('Email was rejected: The pump is on already.');
  expect(details(await trigger(workUnitId, await action(id), { note: 'x'.repeat(2_001) }))).toMatchObject([{ target: 'note' }]);
});

describe('the simulation of a protocol', () => {
  const simulate = (id: string, body: Record<string, unknown> = {}, caller = me) =>
    world.call(caller, 'POST', `/v1/protocols/${id}/simulate`, { severityId: 'Sev1', start: '2026-05-01T08:00:00Z', ...body });

  it('says what runs when, what waits, what is never reached and who has no address', async () => {
    const id = await protocol();
    const [mail, nobody, ask, hold] = [
      await action(id, { runAutomatically: true }),
      await action(id, { runAutomatically: true, sequence: 1, parameters: '{"Template":"None"}' }),
      await action(id, { sequence: 2 }),
      await action(id, { workUnitEventTypeId: 3 }),
    ];
    const { status, body } = await simulate(id, { states: [{ stateId: 'Acknowledged', at: '2026-05-01T09:00:00Z' }] });
    expect([status, body['timeline']]).toEqual([
      200,
      [
        {
          at: '2026-05-01T08:00:00.000Z',
          event: 'OnNew',
          stateId: 'New',
          after: null,
          skipped: [],
          runs: [
            expect.objectContaining({ protocolActionId: mail, to: 'desk@example.com' }),
            expect.objectContaining({ protocolActionId: nobody, to: null }),
          ],
          waits: [expect.objectContaining({ protocolActionId: ask })],
        },
        expect.objectContaining({ event: 'OnAcknowledged', runs: [], waits: [] }),
      ],
    ]);
    expect(body['unreachable']).toMatchObject([{ protocolActionId: hold, never: false }]);
    expect(body['withoutAddress']).toMatchObject([{ protocolActionId: nobody }]);
    const [row] = await world.system.db.query<{ count: number }>({
      text: "select count(*)::int as count from audit where entity_id = $1 and verb not in ('create')",
      values: [id],
    });
    expect(row?.count).toBe(0);
  });

  it('names whoever is on call when a step that waits runs', async () => {
    const kim = await personIn(world, home.tenantId, 'Kim Berg');
    const layer = { name: 'All', people: [kim], start: '2026-05-01T10:10', unit: 'Days', every: 1, restrictions: [], holidays: 'Same' };
    const schedule = await world.call(me, 'PUT', '/v1/onCallSchedules', {
      name: 'Plant',
      tenantId: home.tenantId,
      timeZone: 'Europe/Berlin',
      layers: [layer],
    });
    const parameters = JSON.stringify({ Whom: 'Schedule', ScheduleId: schedule.body['onCallScheduleId'] });
    const id = await protocol();
    const body = { actionDefinitionId: builtInAction.notify, parameters, runAutomatically: true };
    const early = await action(id, { ...body, wait: '00:05:00' });
    await action(id, { ...body, wait: '00:15:00', repeatEvery: '01:30:00', repeatTimes: 1, sequence: 1 });
    const { body: answer } = await simulate(id);
    const runs = (answer['timeline'] as { at: string; after: string | null; runs: { to: string | null }[] }[]).slice(1);
    expect(runs.map((run) => [run.at.slice(11, 16), run.after, run.runs[0]?.to])).toEqual([
      ['08:05', '00:05:00', null],
      ['08:15', '00:15:00', 'Kim Berg (on call: Plant)'],
      ['09:45', '01:45:00', 'Kim Berg (on call: Plant)'],
    ]);
    expect(answer['withoutAddress']).toMatchObject([
      { protocolActionId: early, reason: expect.stringContaining('Nobody is on call in Plant') as string },
    ]);
  });

  it('is the same for steps that are not saved yet', async () => {
    const id = await protocol();
    const steps = [
      { runAutomatically: true, parameters: '{"To":"desk@example.com","Template":"None","Subject":"x"}' },
      { runAutomatically: false, wait: '00:10:00', parameters: '{"To":"night@example.com"}' },
      { runAutomatically: true, wait: '00:30:00', repeatEvery: '00:10:00', repeatTimes: 2, parameters: '{"Template":"Nonsense"}' },
    ].map((step, sequence) => ({ actionDefinitionId: builtInAction.email, workUnitEventTypeId: 1, sequence, ...step }));
    const ids: string[] = [];
    for (const step of steps) ids.push(await action(id, step));
    const rest = { stopWhen: 'Acknowledged', onlyStates: [], onlySeverities: [], hours: 'Any' };
    const course = { severityId: 'Sev1', start: '2026-05-01T08:00:00Z' };
    const draft = {
      ...course,
      protocolTenantId: home.tenantId,
      timerInverval: '00:10:00',
      steps: steps.map((step, at) => ({ ...rest, ...step, protocolActionId: ids[at] })),
    };
    const simulateDraft = (body: object, caller = me) => world.call(caller, 'POST', '/v1/protocols/simulate', body);
    const ofDraft = await simulateDraft(draft);
    expect([ofDraft.status, ofDraft.body]).toEqual([200, (await simulate(id)).body]);
    expect(
      (ofDraft.body['timeline'] as { at: string; runs: object[]; waits: object[] }[]).map((item) => [
        item.at.slice(11, 16),
        item.runs.length,
        item.waits.length,
      ]),
    ).toEqual([
      ['08:00', 1, 0],
      ['08:10', 0, 1],
    ]);
    expect(ofDraft.body['unreachable']).toMatchObject([{ protocolActionId: ids[2], never: true }]);

    const unknown = { ...draft, steps: draft.steps.map((step) => ({ ...step, actionDefinitionId: crypto.randomUUID() })) };
    expect((await simulateDraft(unknown)).body['unreachable']).toMatchObject(ids.map(() => ({ reason: 'Its action no longer exists.' })));
    const wrong = await simulateDraft({ ...draft, steps: draft.steps.map((step) => ({ ...step, wait: 'soon' })) });
    expect([wrong.status, details(wrong)[0]?.target]).toEqual([400, 'steps.0.wait']);
    expect((await simulateDraft(draft, holder([home.tenantId], ['CloudFit.CFS.WorkUnits.Protocols:view']))).status).toBe(403);
    expect((await simulateDraft(draft, holder([other.tenantId]))).status).toBe(404);
    expect((await simulateDraft({ ...draft, protocolTenantId: null })).status).toBe(403);
  });

  it.each([
    [{ severityId: 'Sev9' }, 'severityId'],
    [{ start: 'tomorrow' }, 'start'],
    [{ states: [{ stateId: 'Resolved', at: '2026-05-01T09:00:00Z' }] }, 'states[0].stateId'],
    [{ states: [{ stateId: 'Canceled', at: '2026-05-01T07:00:00Z' }] }, 'states[0].at'],
  ])('refuses %j', async (body, target) => {
    const answer = await simulate(await protocol(), body);
    expect([answer.status, details(answer).map((detail) => detail.target)]).toEqual([400, [target]]);
  });

  it('is for those who may view protocols, of their tenant', async () => {
    const id = await protocol();
    expect((await simulate(id, {}, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
    expect((await simulate(id, {}, holder([other.tenantId]))).status).toBe(404);
  });
});

describe('the replay of an execution', () => {
  const replay = (id: unknown, caller = me) => world.call(caller, 'POST', `/v1/actionHistories/${String(id)}/replay`);
  async function failed(): Promise<{ action_history_id: number; message_id: string }> {
    const id = await protocol();
    const workUnitId = await unit(id);
    const triggered = await trigger(workUnitId, await action(id, { parameters: '{"Template":"Nonsense","To":"a@example.com"}' }));
    await automation.outcome(triggered.body['id']);
    const [row] = await world.system.db.query<{ action_history_id: number; message_id: string }>({
      text: 'select action_history_id, message_id from action_history where message_id = $1',
      values: [triggered.body['id']],
    });
    return row ?? { action_history_id: 0, message_id: '' };
  }

  it('runs it once more with its inputs, under a new id that names the original', async () => {
    const original = await failed();
    const answer = await replay(original.action_history_id);
    expect([answer.status, answer.body]).toEqual([200, { id: expect.any(String), replayOf: original.message_id }]);
    expect(answer.body['id']).not.toBe(original.message_id);
    const again = await automation.outcome(answer.body['id']);
    const before = await automation.outcome(original.message_id);
    expect(again.input_parameters).toBe(before.input_parameters);
    expect(again.result_detail).toMatchObject({ replayOf: original.message_id, by: 'person@example.com' });
    expect((await replay(original.action_history_id)).body['id']).not.toBe(answer.body['id']);
  });

  it('is asked for at once by several and runs for each, or tells that it is under way; never under one id twice', async () => {
    const original = await failed();
    const answers = await Promise.all([1, 2, 3].map(() => replay(original.action_history_id)));
    const ids = answers.filter((answer) => answer.status === 200).map((answer) => answer.body['id']);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(answers.filter((answer) => answer.status !== 200).map((answer) => answer.status)).toEqual(Array(3 - ids.length).fill(409));
  });

  it('is for those who may edit actions, of what has ended and was not rejected', async () => {
    const original = await failed();
    expect((await replay(original.action_history_id, holder([home.tenantId], ['CloudFit.CFS.ActionDefinitions:view']))).status).toBe(403);
    expect((await replay(original.action_history_id, holder([other.tenantId]))).status).toBe(404);
    expect(details(await replay('x'))).toMatchObject([{ target: 'id' }]);
    const set = (status: number, detail: string) =>
      world.system.db.query({
        text: 'update action_history set result_status_id = $2, result_detail = $3 where action_history_id = $1',
        values: [original.action_history_id, status, detail],
      });
    await set(3, '{}');
    expect((await replay(original.action_history_id)).status).toBe(409);
    await set(5, '{"reason":"rejected"}');
    expect((await replay(original.action_history_id)).status).toBe(409);
  });
});
