/** A fault that comes back: it is added to the open unit of its rule and subject, reopens that unit, or opens a new one. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { executionId } from '../../executions/execution-id.ts';
import { expireMatches } from '../expire-matches.ts';
import { queueActions } from '../queue-actions.ts';

let world: TestWorld;
let workers: Automation[] = [];
let receiver: http.Server;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
const calls: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  receiver = http.createServer((request, response) => {
    calls.push(request.url ?? '');
    response.end('noted');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  workers = [await startAutomation(world), await startAutomation(world)];
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  receiver.closeAllConnections();
  receiver.close();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** Creates a device, and a rule that calls, opens a unit and calls with the number of the unit. */
async function rule(name: string, fields: object = {}) {
  const { port } = receiver.address() as AddressInfo;
  const hook = async (path: string) => {
    const { body } = await world.call(me, 'PUT', '/v1/actionDefinitions', {
      name: `Hook ${crypto.randomUUID()}`,
      actionDefinitionTypeId: 4,
      tenantId: home.tenantId,
      endpointUrl: `http://127.0.0.1:${port}${path}`,
      httpMethod: 'POST',
    });
    return { ActionDefinitionId: String(body['actionDefinitionId']), Parameters: {} };
  };
  const matchActions = [
    await hook(`/${name}/before`),
    { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} },
    await hook(`/${name}/{PublicWorkUnitId}`),
  ];
  const created = await world.call(me, 'PUT', '/v1/rules', {
    name,
    ruleTypeId: 1,
    ...home,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Disk', Operator: 3, RightOperand: '90' }],
    matchActions,
    ...fields,
  });
  expect([created.status, created.body['error']]).toEqual([201, undefined]);
  const [device] = await rows<{ id: string }>(
    "insert into device (tenant_id, subscription_id, name) values ($1, $2, 'srv-db-07') returning device_id as id",
    home.tenantId,
    home.subscriptionId,
  );
  return { ruleId: String(created.body['ruleId']), deviceId: device?.id ?? '', matchActions };
}

type Rule = Awaited<ReturnType<typeof rule>>;

/** Ends the previous match, stores a new one, and queues its actions. */
async function match({ ruleId, deviceId, matchActions }: Rule): Promise<string> {
  await rows('update rule_match set closed = now() where rule_id = $1 and closed is null', ruleId);
  const [one] = await rows<{ id: string }>(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, rule_packet)
     values ($1, $2, $3, 'Disk full: srv-db-07', now() + interval '1 hour', now(), now(), gen_random_uuid(), '{"Metrics":{"Disk":97}}') returning rule_match_id as id`,
    home.tenantId,
    ruleId,
    deviceId,
  );
  const ruleMatchId = one?.id ?? '';
  await queueActions(world.system.db, [
    { ruleMatchId, tenantId: home.tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: matchActions },
  ]);
  return ruleMatchId;
}

async function outcomes(ruleMatchId: string, { matchActions }: Rule) {
  const histories = [];
  for (const index of matchActions.keys()) histories.push(await workers[0]?.outcome(executionId(ruleMatchId, 'match', index)));
  return histories.map((history) => ({ ...history?.result_detail, status: history?.result_status_id }));
}

interface Unit {
  id: number;
  number: number;
  state: string;
  occurrences: number;
  severity: string;
}
const units = ({ ruleId }: Rule) =>
  rows<Unit>(
    'select work_unit_id as id, public_work_unit_id as number, state_id as state, occurrences, severity_id as severity from work_unit where rule_id = $1 order by work_unit_id',
    ruleId,
  );
const set = async (id: number | undefined, stateId: string) =>
  expect((await world.call(me, 'POST', `/v1/workunits/${String(id)}`, { stateId })).body).toMatchObject({ stateId });
const callsOf = (name: string) => calls.filter((path) => path.startsWith(`/${name}/`));
const { success, suppressed } = resultStatus;

it('is added to the open unit: a note, a counter, the match as a relation, and nobody is called again', async () => {
  const one = await rule('append');
  const first = await match(one);
  expect((await outcomes(first, one)).map(({ status }) => status)).toEqual([success, success, success]);
  const [unit] = await units(one);
  expect(unit).toMatchObject({ state: 'New', occurrences: 1, severity: 'Sev3' });
  // Open pages are told that the match has its unit.
  expect(await rows("select verb from change where entity = 'ruleMatches' and entity_id = $1", first)).toEqual([{ verb: 'update' }]);
  const events = async () =>
    (await rows("select 1 from audit where entity = 'workUnits' and entity_id = $1 and verb = 'update'", String(unit?.id))).length;
  const again = [await match(one)];
  await outcomes(again[0] ?? '', one);
  again.push(await match(one));
  expect(await outcomes(again[1] ?? '', one)).toMatchObject([
    { status: suppressed, reason: 'appended', workUnitId: unit?.id },
    { status: success, added: true, publicWorkUnitId: unit?.number },
    { status: suppressed, reason: 'appended', workUnitId: unit?.id },
  ]);
  expect(await units(one)).toMatchObject([{ ...unit, occurrences: 3 }]);
  expect(callsOf('append')).toEqual(['/append/before', `/append/${unit?.number}`]);
  expect(await events()).toBe(2);
  const notes = await rows<{ detail: string }>(
    'select detail from work_unit_note where work_unit_id = $1 order by work_unit_note_id',
    unit?.id,
  );
  expect(notes.map(({ detail }) => detail).filter((detail) => detail.includes('again'))).toEqual([
    'The rule append matched again. Seen: Disk 97.',
    'The rule append matched again. Seen: Disk 97.',
  ]);
  const relations = await rows<{ id: string }>(
    "select reference_id as id from work_unit_relation where work_unit_id = $1 and reference_type = 'RuleMatch' order by work_unit_relation_id",
    unit?.id,
  );
  expect(relations.map(({ id }) => id)).toEqual([first, ...again]);
  const shown = await world.call(me, 'GET', `/v1/workUnits?$filter=workUnitId eq ${String(unit?.id)}&$expand=rule`);
  expect(shown.body.value).toMatchObject([{ occurrences: 3, rule: { ruleId: one.ruleId, name: 'append' } }]);
  const mayNot = holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']);
  expect((await world.call(mayNot, 'GET', '/v1/workUnits?$expand=rule')).status).toBe(403);
  // After the unit was resolved, the next match is a new fault.
  await set(unit?.id, 'Acknowledged');
  await set(unit?.id, 'Resolved');
  await outcomes(await match(one), one);
  const [, next] = await units(one);
  expect(next).toMatchObject({ state: 'New', occurrences: 1 });
  expect(callsOf('append').at(-1)).toBe(`/append/${next?.number}`);
});

it('says in the unit of a fault that comes and goes that it flaps', async () => {
  const one = await rule('flaps');
  for (let i = 0; i < 5; i += 1) await outcomes(await match(one), one);
  const notes = await rows<{ detail: string }>(
    "select detail from work_unit_note where work_unit_id = $1 and detail like '%matched again%' order by work_unit_note_id",
    (await units(one))[0]?.id,
  );
  expect(notes.map(({ detail }) => detail.replace('The rule flaps matched again. Seen: Disk 97.', '').trim())).toEqual([
    '',
    '',
    'It flaps: 8 changes within an hour.',
    'It flaps: 10 changes within an hour.',
  ]);
});

it('opens the unit again that was resolved within the hours of its rule, and calls again', async () => {
  const one = await rule('reopen', { recurrence: 'Reopen', reopenHours: 2 });
  await outcomes(await match(one), one);
  const [unit] = await units(one);
  await set(unit?.id, 'Acknowledged');
  await set(unit?.id, 'Resolved');
  expect(await outcomes(await match(one), one)).toMatchObject([
    { status: success },
    { reopened: true, workUnitId: unit?.id },
    { status: success },
  ]);
  expect(await units(one)).toMatchObject([{ id: unit?.id, state: 'New', occurrences: 2 }]);
  expect(callsOf('reopen').filter((path) => path === `/reopen/${unit?.number}`)).toHaveLength(2);
  await set(unit?.id, 'Acknowledged');
  await set(unit?.id, 'Resolved');
  await rows("update work_unit set resolved = now() - interval '3 hours' where work_unit_id = $1", unit?.id);
  await outcomes(await match(one), one);
  expect(await units(one)).toMatchObject([{ state: 'Resolved' }, { state: 'New', occurrences: 1 }]);
});

it('opens a new unit for each match where the rule says so, and does not open a canceled one again', async () => {
  const one = await rule('new', { recurrence: 'New' });
  await outcomes(await match(one), one);
  await outcomes(await match(one), one);
  expect((await units(one)).map(({ occurrences }) => occurrences)).toEqual([1, 1]);
  expect(callsOf('new')).toHaveLength(4);
  const other = await rule('canceled', { recurrence: 'Reopen', reopenHours: 2 });
  await outcomes(await match(other), other);
  await set((await units(other))[0]?.id, 'Canceled');
  await outcomes(await match(other), other);
  expect((await units(other)).map(({ state }) => state)).toEqual(['Canceled', 'New']);
});

it('has one open unit when two workers handle many of its matches at the same time', async () => {
  const one = await rule('race', {});
  const open = one.matchActions.slice(1, 2);
  const matches: string[] = [];
  for (let i = 0; i < 8; i += 1) matches.push(await match({ ...one, matchActions: open }));
  for (const id of matches) await workers[0]?.outcome(executionId(id, 'match', 0));
  expect(await units(one)).toMatchObject([{ occurrences: 8 }]);
});

it('calls again when somebody was told that the fault had ended', async () => {
  const one = await rule('ended');
  const first = await match(one);
  await outcomes(first, one);
  const end = one.matchActions.slice(0, 1);
  await queueActions(world.system.db, [
    { ruleMatchId: first, tenantId: home.tenantId, correlationId: crypto.randomUUID(), phase: 'expiration', calls: end },
  ]);
  await workers[0]?.outcome(executionId(first, 'expiration', 0));
  expect(await outcomes(await match(one), one)).toMatchObject([{ status: success }, { status: success, added: true }, { status: success }]);
  expect(await units(one)).toMatchObject([{ occurrences: 2 }]);
  expect(callsOf('ended')).toHaveLength(5);
  expect(await outcomes(await match(one), one)).toMatchObject([{ reason: 'appended' }, { added: true }, { reason: 'appended' }]);
});

const email = { ActionDefinitionId: builtInAction.email, Parameters: { To: 'duty@example.com', Subject: 'Down' } };
const resolve = { ActionDefinitionId: builtInAction.resolveWorkUnit, Parameters: {} };

/** Ends the match and returns the outcomes of the expiration actions. */
async function end(ruleMatchId: string, actions: readonly object[]) {
  await rows("update rule_match set expires = now() - interval '1 second' where rule_match_id = $1", ruleMatchId);
  await expireMatches(world.system.db);
  const histories = [];
  for (const index of actions.keys()) histories.push(await workers[0]?.outcome(executionId(ruleMatchId, 'expiration', index)));
  return histories.map((history) => ({ ...history?.result_detail, status: history?.result_status_id }));
}

it('resolves at its end what the rule opened, with a note in the feed, but not what a person took', async () => {
  const one = await rule('resolve', { expirationActions: [resolve] });
  const first = await match(one);
  await outcomes(first, one);
  expect(await end(first, [resolve])).toMatchObject([{ status: success, stateId: 'Resolved' }]);
  const [unit] = await rows<Record<string, unknown>>(
    'select state_id, resolution, modified_by, resolved is not null as ended from work_unit where rule_id = $1',
    one.ruleId,
  );
  expect(unit).toEqual({
    state_id: 'Resolved',
    resolution: 'The rule resolve no longer matches.',
    modified_by: 'Rule resolve',
    ended: true,
  });
  const [note] = await rows<{ n: number }>(
    "select count(*)::int as n from work_unit_note where detail = 'The match of the rule resolve has ended.'",
  );
  expect(note?.n).toBe(1);
  // A unit that a person has acknowledged or assigned is left to people, unless the action says otherwise.
  for (const [take, reason] of [
    [{ stateId: 'Acknowledged' }, 'unitTaken'],
    [{ assignedTo: 'sam@example.com' }, 'unitTaken'],
  ] as const) {
    const other = await rule('taken', { expirationActions: [resolve, { ...resolve, Parameters: { EvenIfTaken: true } }] });
    const id = await match(other);
    await outcomes(id, other);
    await world.call(me, 'POST', `/v1/workunits/${String((await units(other))[0]?.id)}`, take);
    expect(await end(id, [resolve, resolve])).toMatchObject([
      { status: suppressed, reason },
      { status: success, stateId: 'Resolved' },
    ]);
  }
  // A person, unlike the rule, must acknowledge a unit before resolving it.
  const mine = await rule('person');
  await outcomes(await match(mine), mine);
  const refused = await world.call(me, 'POST', `/v1/workunits/${String((await units(mine))[0]?.id)}`, { stateId: 'Resolved' });
  expect([refused.status, refused.text]).toMatchObject([
    400,
    expect.stringContaining('A New work unit can only become Acknowledged or Canceled'),
  ]);
});

it('lowers the severity, assigns and adds a note; a unit that somebody took gets the note alone', async () => {
  const change = (Parameters: object) => ({ ActionDefinitionId: builtInAction.changeWorkUnit, Parameters });
  const actions = [
    change({ SeverityId: 'Sev1' }),
    change({
      SeverityId: 'Sev4',
      AssignedTo: 'sam@example.com',
      AssignmentGroup: 'Databases',
      Note: '{DeviceName} is well: {MatchState}.',
    }),
  ];
  const one = await rule('change', { expirationActions: actions });
  const first = await match(one);
  await outcomes(first, one);
  expect(await end(first, actions)).toMatchObject([{ status: success }, { status: success, severityId: 'Sev4' }]);
  const fields = 'severity_id as severity, assigned_to as person, assignment_group as "group"';
  expect(await rows(`select ${fields} from work_unit where rule_id = $1`, one.ruleId)).toEqual([
    { severity: 'Sev4', person: 'sam@example.com', group: 'Databases' },
  ]);
  const notes = () => rows<{ detail: string }>("select detail from work_unit_note where detail = 'srv-db-07 is well: Ended.'");
  expect(await notes()).toHaveLength(1);
  const [unit] = await units(one);
  await set(unit?.id, 'Acknowledged');
  const second = await match(one);
  await outcomes(second, one);
  expect(await end(second, actions)).toMatchObject([{ reason: 'unitTaken' }, { status: success, left: 'unitTaken' }]);
  expect(await notes()).toHaveLength(2);
  const refused = await world.call(me, 'POST', `/v1/rules/${one.ruleId}`, { expirationActions: [change({ SeverityId: 'Sev9' })] });
  expect([refused.status, refused.text]).toMatchObject([400, expect.stringContaining('Severity is one of Sev0')]);
});

it('tells whoever was told of the fault, once, that it is over; receivers that were called only by the option', async () => {
  const normal = { ActionDefinitionId: builtInAction.backToNormal, Parameters: {} };
  const sent = () => workers.flatMap(({ mails }) => mails).filter(({ to }) => to === 'duty@example.com');
  const backToNormals = async (id: string) => {
    const all = await rows<{ id: string }>(
      "select message_id as id from action_history where reference_id = $1 and result_detail ? 'backToNormal'",
      id,
    );
    for (const one of all) await workers[0]?.outcome(one.id);
    return all.length;
  };
  const one = await rule('normal');
  const matchActions = [...one.matchActions, email, email];
  await world.call(me, 'POST', `/v1/rules/${one.ruleId}`, { matchActions, expirationActions: [normal] });
  const story = { ...one, matchActions };
  const first = await match(story);
  await outcomes(first, story);
  expect(sent()).toHaveLength(2);
  expect(await end(first, [normal])).toMatchObject([{ status: success, messages: 1 }]);
  expect(await backToNormals(first)).toBe(1);
  const [mail] = sent().filter(({ subject }) => subject.startsWith('All clear'));
  expect(mail).toMatchObject({
    subject: 'All clear: Disk full: srv-db-07',
    text: expect.stringMatching(/^Back to normal\.\nEnded: 2.*Z\n/),
  });
  expect(mail?.text).toContain('Seen: Disk 97');
  // The recipients were notified of the end, so they are notified of the next match. With the option `Calls`, receivers are
  // called too.
  const calling = { ...normal, Parameters: { Calls: true } };
  await world.call(me, 'POST', `/v1/rules/${one.ruleId}`, { expirationActions: [calling] });
  const second = await match(story);
  await outcomes(second, story);
  expect(sent()).toHaveLength(5);
  const before = callsOf('normal').length;
  expect(await end(second, [calling])).toMatchObject([{ messages: 3 }]);
  expect(await backToNormals(second)).toBe(3);
  expect([sent().length, callsOf('normal').length - before]).toEqual([6, 2]);
  // Nobody was notified of a match without mails.
  const silent = await rule('silent');
  await world.call(me, 'POST', `/v1/rules/${silent.ruleId}`, { expirationActions: [normal] });
  const third = await match(silent);
  await outcomes(third, silent);
  expect(await end(third, [normal])).toMatchObject([{ status: suppressed, reason: 'nobodyTold' }]);
});

it('tells at the end of the second fault of a unit only whoever was told of that fault', async () => {
  const normal = { ActionDefinitionId: builtInAction.backToNormal, Parameters: {} };
  const one = await rule('twice');
  const fault = async (To: string) => {
    const story = { ...one, matchActions: [...one.matchActions, { ...email, Parameters: { ...email.Parameters, To } }] };
    await world.call(me, 'POST', `/v1/rules/${one.ruleId}`, { matchActions: story.matchActions, expirationActions: [normal] });
    const id = await match(story);
    await outcomes(id, story);
    expect(await end(id, [normal])).toMatchObject([{ status: success, messages: 1 }]);
    return rows<{ to: string }>(
      "select input_parameters::jsonb ->> 'To' as to from action_history where reference_id = $1 and result_detail ? 'backToNormal'",
      id,
    );
  };
  expect(await fault('first@example.com')).toEqual([{ to: 'first@example.com' }]);
  expect(await fault('second@example.com')).toEqual([{ to: 'second@example.com' }]);
  expect(await fault('first@example.com')).toEqual([{ to: 'first@example.com' }]);
  expect(await units(one)).toMatchObject([{ occurrences: 3 }]);
});

it('previews the unit of a rule that is being written, with the latest packet that it could be about', async () => {
  const preview = (body: object, caller = me) =>
    world.call(caller, 'POST', '/v1/rules/previewWorkUnit', {
      tenantId: home.tenantId,
      name: 'Pressure high',
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Pressure', Operator: 3, RightOperand: '5' }],
      parameters: { Title: '{DeviceName}: {Seen}, unit {PublicWorkUnitId}' },
      ...body,
    });
  expect((await preview({})).body).toMatchObject({
    subject: null,
    at: null,
    title: '{DeviceName}: {Seen}, unit {PublicWorkUnitId}',
    severityId: 'Sev3',
  });
  const devices: string[] = [];
  for (const [name, seconds, message] of [
    ['pump-1', 60, { Metrics: { Pressure: 7 } }],
    ['pump-2', 10, { Metrics: { Pressure: 6 } }],
    ['other', 1, { Metrics: { Cpu: 99 } }],
  ] as const) {
    const [device] = await rows<{ id: string }>(
      'insert into device (tenant_id, subscription_id, name) values ($1, $2, $3) returning device_id as id',
      home.tenantId,
      home.subscriptionId,
      name,
    );
    devices.push(device?.id ?? '');
    await rows(
      `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
       values ($1, $2, now() - $3::int * interval '1 second', now(), gen_random_uuid(), $4)`,
      device?.id,
      home.tenantId,
      seconds,
      JSON.stringify(message),
    );
  }
  const { body } = await preview({});
  expect(body).toMatchObject({ subject: 'pump-2', title: 'pump-2: Pressure 6, unit ' });
  expect(body['description']).toMatch(/^Condition: Metric Pressure > 5\nSeen: Pressure 6\nSince: .*Z\nDevice: pump-2\n/);
  // Conditions that name a device, and the latest match of a saved rule, say which packet it is.
  const onFirst = { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: devices[0] };
  expect((await preview({ conditions: [onFirst], parameters: { SeverityId: 'Sev1' } })).body).toMatchObject({
    subject: 'pump-1',
    title: 'Pressure high: pump-1',
    severityId: 'Sev1',
  });
  const saved = await rule('previewed');
  await match(saved);
  expect((await preview({ ruleId: saved.ruleId, parameters: { Title: '{Metrics.Disk}' } })).body).toMatchObject({
    subject: 'srv-db-07',
    title: '97',
  });
  const other = await world.tenant();
  expect((await preview({}, holder([other.tenantId]))).status).toBe(403);
  expect((await preview({}, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
});

it('joins the unit into which that of its rule was merged, and its own again when they are taken apart', async () => {
  const [one, other] = [await rule('merged'), await rule('merged-into')];
  await outcomes(await match(one), one);
  await outcomes(await match(other), other);
  const [[duplicate], [into]] = [await units(one), await units(other)];
  expect((await world.call(me, 'POST', `/v1/workUnits/${into?.id}/merge`, { ids: [duplicate?.id] })).status).toBe(200);
  const unitOf = async (id: string) =>
    (await rows<{ unit: number | null }>('select work_unit_id as unit from rule_match where rule_match_id = $1', id))[0]?.unit;
  const joined = await match(one);
  await outcomes(joined, one);
  expect([await unitOf(joined), (await units(one)).length]).toEqual([into?.id, 1]);
  expect((await units(other))[0]).toMatchObject({ state: 'New', occurrences: 2 });
  expect((await world.call(me, 'POST', `/v1/workUnits/${duplicate?.id}/split`)).status).toBe(200);
  const afterwards = await match(one);
  await outcomes(afterwards, one);
  expect([await unitOf(afterwards), (await units(one)).length, await unitOf(joined)]).toEqual([duplicate?.id, 1, into?.id]);
  expect((await units(one))[0]).toMatchObject({ state: 'New' });
});
