/** What people and programs are told about a unit that is ended while its matches go on, and groups of such matches. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { silent, until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { expireMatches } from '../expire-matches.ts';
import { groupsWork } from '../groups/follow-groups.job.ts';
import { followEndedUnits } from './goes-on.ts';
import { repeatMessages } from './repeat-messages.ts';

let world: TestWorld;
let workers: Automation[] = [];
let ingest: Ingest;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let token: ReturnType<TestWorld['ctx']>;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  workers = [await startAutomation(world), await startAutomation(world)];
  ingest = await openIngest({ database: world.database, log: silent });
});
afterAll(async () => {
  await ingest.stop();
  for (const worker of workers) await worker.stop();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function put(set: string, fields: object): Promise<Record<string, unknown>> {
  const { status, body } = await world.call(me, 'PUT', `/v1/${set}`, fields);
  expect([status, body['error']]).toEqual([201, undefined]);
  return body;
}

const openUnit = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} };
const mail = { ActionDefinitionId: builtInAction.email, Parameters: { To: 'duty@example.com', Subject: 'Down' } };

/** Creates a rule about the metric of this name, and devices. */
async function ruleOf(name: string, devices: number, fields: object = {}) {
  const rule = await put('rules', {
    name,
    ruleTypeId: 1,
    ...home,
    useSlidingExpiration: true,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: name, Operator: 3, RightOperand: '90' }],
    matchActions: [openUnit, mail],
    ...fields,
  });
  const ruleId = String(rule['ruleId']);
  await until(() => ingest.rules.ingestion().get(ruleId) !== undefined);
  const deviceIds: string[] = [];
  for (let i = 0; i < devices; i += 1) deviceIds.push(String((await put('devices', { name: `${name}-${i}`, ...home }))['deviceId']));
  return { name, ruleId, deviceIds };
}

type Rule = Awaited<ReturnType<typeof ruleOf>>;

async function send({ name, deviceIds, ruleId }: Rule, value: number, ids = deviceIds): Promise<void> {
  const packets = ids.map((entityId) => ({ entityId, message: { Metrics: { [name]: value } } }));
  await ingest.ingestBody(token, packets, 'application/json');
  await settle(ruleId);
}

/** Waits until the matches of the rule have their groups, and their executions outcomes. */
const settle = (ruleId: string) =>
  until(async () => {
    const waiting = await rows(
      `select 1 from rule_match m left join match_group_member g using (rule_match_id) left join action_history h on h.reference_id = m.rule_match_id::text
       where m.rule_id = $1 and (g.rule_match_id is not null and g.match_group_id is null or h.result_status_id = ${resultStatus.enqueueSuccess})`,
      ruleId,
    );
    return waiting.length === 0;
  });

const unitsOf = ({ ruleId }: Rule) =>
  rows<{ id: number; number: number; state: string; occurrences: number }>(
    'select work_unit_id as id, public_work_unit_id as number, state_id as state, occurrences from work_unit where rule_id = $1 order by 1',
    ruleId,
  );
const feedOf = async (id: number | undefined): Promise<string[]> =>
  (await rows<{ detail: string }>('select detail from work_unit_note where work_unit_id = $1 order by work_unit_note_id', id)).map(
    ({ detail }) => detail,
  );
const mailsOf = async ({ ruleId }: Rule): Promise<number> =>
  (
    await rows(
      `select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id
       where m.rule_id = $1 and h.action_definition_id = '${builtInAction.email}' and h.result_status_id = ${resultStatus.success}`,
      ruleId,
    )
  ).length;
const edit = (id: number | undefined, body: object, headers: Record<string, string> = {}) =>
  world.call(me, 'PATCH', `/v1/workUnits/${String(id)}`, body, headers);

/** Lets six minutes pass for the matches of the rule and for units that have ended. */
async function later({ ruleId }: Rule): Promise<void> {
  await rows("update rule_match set last_match = last_match - interval '6 minutes' where rule_id = $1 and closed is null", ruleId);
  await rows(
    "update unit_watch set since = since - interval '6 minutes' where work_unit_id in (select work_unit_id from work_unit where rule_id = $1)",
    ruleId,
  );
}

async function follow({ ruleId }: Rule): Promise<void> {
  await Promise.all([1, 2, 3].map(() => followEndedUnits(world.system.db)));
  await settle(ruleId);
}

it('warns whoever ends a unit whose match is open, in the body and in a header, and nobody else', async () => {
  const one = await ruleOf('warns', 1);
  await send(one, 95);
  const [unit] = await unitsOf(one);
  const plain = await edit(unit?.id, { stateId: 'Acknowledged' });
  expect([plain.body['@cloudfit.warnings'], plain.headers['cloudfit-warnings']]).toEqual([undefined, undefined]);
  const ended = await edit(unit?.id, { stateId: 'Resolved', resolution: 'Restarted' });
  const text = /^The fault still holds: the rule warns matched \d+ s ago\. The work unit opens again after 5 min if it goes on\.$/;
  expect(ended).toMatchObject({ status: 200, body: { stateId: 'Resolved', '@cloudfit.warnings': [expect.stringMatching(text)] } });
  expect(ended.headers['etag']).toBe(ended.body['@odata.etag']);
  expect(JSON.parse(String(ended.headers['cloudfit-warnings']))).toEqual(ended.body['@cloudfit.warnings']);
  // A further edit of the ended unit says nothing.
  expect((await edit(unit?.id, { stateId: 'Closed' })).body['@cloudfit.warnings']).toBeUndefined();
  await edit(unit?.id, { stateId: 'New' });
  const minimal = await edit(unit?.id, { stateId: 'Canceled' }, { prefer: 'return=minimal' });
  expect([minimal.status, JSON.parse(String(minimal.headers['cloudfit-warnings']))]).toEqual([204, [expect.stringMatching(text)]]);
  await edit(unit?.id, { stateId: 'New' });
  const other = await put('workUnits', { title: 'By hand', severityId: 'Sev3', workUnitTypeId: 1, tenantId: home.tenantId });
  const many = await world.call(me, 'PATCH', '/v1/workUnits', {
    ids: [unit?.id, other['workUnitId']],
    newState: { stateId: 'Canceled' },
  });
  expect(many.body.value?.map((row) => row['@cloudfit.warnings'])).toEqual([[expect.stringMatching(text)], undefined]);
});

it.each([
  ['New', 'Another work unit opens after 5 min if it goes on.'],
  ['Silent', 'Nothing tells of it until the match ends.'],
])('says what the rule does while it matches: %s', async (whileMatching, sentence) => {
  const one = await ruleOf(`says ${whileMatching} é`, 1, { whileMatching });
  await send(one, 95);
  const { body, headers } = await edit((await unitsOf(one))[0]?.id, { stateId: 'Canceled' });
  expect(body['@cloudfit.warnings']).toEqual([expect.stringContaining(sentence)]);
  expect(String(headers['cloudfit-warnings'])).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(String(headers['cloudfit-warnings']))).toEqual(body['@cloudfit.warnings']);
});

it('says in the feed of the ended unit, once, that it still matches, with the value, and when it opens again', async () => {
  const one = await ruleOf('feed', 1);
  await send(one, 95);
  const [unit] = await unitsOf(one);
  await edit(unit?.id, { stateId: 'Canceled' });
  await follow(one);
  expect((await feedOf(unit?.id)).filter((text) => text.startsWith('Still'))).toEqual([]);
  for (const value of [97, 98, 99]) {
    await send(one, value);
    await follow(one);
  }
  expect((await feedOf(unit?.id)).filter((text) => text.startsWith('Still'))).toEqual([
    'Still matching: the rule feed matched again after the unit had ended. Seen: feed 97. It opens again 5 min after its end, if the match goes on.',
  ]);
  const listed = await world.call(me, 'GET', `/v1/unitMatches?$filter=workUnitId eq ${String(unit?.id)}`);
  const opensAt = Date.parse(String(listed.body.value?.[0]?.['opensAgainAt'])) - Date.now();
  expect(opensAt > 4 * 60_000 && opensAt <= 5 * 60_000).toBe(true);
  const why = () => world.call(me, 'GET', `/v1/rulematches/${String(listed.body.value?.[0]?.['ruleMatchId'])}/explain`);
  expect((await why()).body).toMatchObject({
    workUnits: [{ stateId: 'Canceled', opensAgainAt: listed.body.value?.[0]?.['opensAgainAt'] }],
  });
  await later(one);
  await send(one, 96);
  await follow(one);
  expect((await why()).body['workUnits']).toEqual([expect.not.objectContaining({ opensAgainAt: expect.anything() })]);
  expect(await unitsOf(one)).toMatchObject([{ id: unit?.id, state: 'New', occurrences: 1 }]);
  expect((await feedOf(unit?.id)).slice(-3)).toContain('Opened again: the rule feed still matches.');
  expect(await mailsOf(one)).toBe(2);
  const again = await world.call(me, 'GET', `/v1/unitMatches?$filter=workUnitId eq ${String(unit?.id)}`);
  expect(again.body.value?.[0]?.['opensAgainAt']).toBeNull();
});

it('leaves an ended unit alone that was moved to another tenant, whose people may not read the match', async () => {
  const one = await ruleOf('moved', 1);
  await send(one, 95);
  const [unit] = await unitsOf(one);
  const { tenantId } = await world.tenant();
  const end = { tenantId, stateId: 'Canceled' };
  const moved = await world.call(holder([home.tenantId, tenantId]), 'POST', `/v1/workunits/${String(unit?.id)}`, end);
  expect(moved.body).toMatchObject(end);
  await send(one, 97);
  await follow(one);
  await later(one);
  await send(one, 96);
  await follow(one);
  expect(await unitsOf(one)).toMatchObject([{ id: unit?.id, state: 'Canceled' }]);
  expect((await feedOf(unit?.id)).filter((text) => text.startsWith('Still'))).toEqual([]);
  expect(await rows('select 1 from action_history where tenant_id = $1', tenantId)).toEqual([]);
});

it('relates the unit that opens in place of the ended one to it, and to the device', async () => {
  const one = await ruleOf('another', 1, { whileMatching: 'New' });
  await send(one, 95);
  const [first] = await unitsOf(one);
  await edit(first?.id, { stateId: 'Canceled' });
  await later(one);
  await send(one, 96);
  await follow(one);
  const [, second] = await unitsOf(one);
  expect(second).toMatchObject({ state: 'New' });
  const relations = await rows<{ id: string }>('select reference_id as id from work_unit_relation where work_unit_id = $1', second?.id);
  expect(relations.map(({ id }) => id)).toEqual(expect.arrayContaining([String(first?.id), one.deviceIds[0]]));
  expect(await mailsOf(one)).toBe(2);
});

it('opens the unit of a group again while one of its matches goes on, with one mail', async () => {
  const one = await ruleOf('group', 4, { groupBy: 'Rule' });
  await send(one, 95);
  const [unit] = await unitsOf(one);
  expect(unit).toMatchObject({ state: 'New', occurrences: 4 });
  await edit(unit?.id, { stateId: 'Canceled' });
  // The match whose actions ran, and one more, end; another goes on.
  await rows(
    "update rule_match set expires = now() - interval '1 second' where rule_id = $1 and subject_id = any($2::uuid[])",
    one.ruleId,
    one.deviceIds.slice(0, 2),
  );
  await expireMatches(world.system.db);
  await later(one);
  await follow(one);
  expect(await unitsOf(one)).toMatchObject([{ state: 'Canceled' }]);
  await send(one, 95, one.deviceIds.slice(3));
  await follow(one);
  expect(await unitsOf(one)).toMatchObject([{ id: unit?.id, state: 'New', occurrences: 4 }]);
  expect(await mailsOf(one)).toBe(2);
  await rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1 and closed is null", one.ruleId);
  await expireMatches(world.system.db);
  await groupsWork(world.database, silent).run(world.system.db);
  // Retried, because a worker may be at the group at this moment.
  await until(async () => ((await feedOf(unit?.id)).at(-1) === 'All 4 matches have ended: all its matches.' ? true : undefined));
});

it('repeats the messages of a group once, while one of its matches is open, and says so in its unit and explanation', async () => {
  const one = await ruleOf('repeats', 3, { groupBy: 'Rule', repeatEvery: '01:00:00' });
  await send(one, 95);
  const [unit] = await unitsOf(one);
  const repeat = async () => {
    await Promise.all([1, 2, 3].map(() => repeatMessages(world.system.db)));
    await settle(one.ruleId);
  };
  const pass = async () => {
    await rows("update rule_match set created = created - interval '2 hours' where rule_id = $1", one.ruleId);
    await rows(
      `update action_history h set action_processed = action_processed - interval '2 hours' from rule_match m
       where m.rule_match_id::text = h.reference_id and m.rule_id = $1`,
      one.ruleId,
    );
  };
  const [lead] = await rows<{ id: string }>('select lead_match_id as id from match_group where work_unit_id = $1', unit?.id);
  const repeatsAt = async () => (await world.call(me, 'GET', `/v1/rulematches/${String(lead?.id)}/explain`)).body['repeatsAt'];
  await repeat();
  expect(await mailsOf(one)).toBe(1);
  const inMs = Date.parse(String(await repeatsAt())) - Date.now();
  expect(inMs > 50 * 60_000 && inMs <= 60 * 60_000).toBe(true);
  await pass();
  // The match whose actions ran ends; others go on.
  await rows("update rule_match set expires = now() - interval '1 second' where rule_match_id = $1", lead?.id);
  await expireMatches(world.system.db);
  await repeat();
  expect(await mailsOf(one)).toBe(2);
  expect((await feedOf(unit?.id)).filter((text) => text.startsWith('Nobody'))).toEqual([
    'Nobody works on it, and it still matches: the messages and calls of the rule repeats run again.',
  ]);
  await edit(unit?.id, { stateId: 'Acknowledged' });
  await pass();
  await repeat();
  expect([await mailsOf(one), await repeatsAt()]).toEqual([2, undefined]);
});

it('leaves an ended unit of a group alone while further matches of the group have another open unit', async () => {
  const one = await ruleOf('further', 2, { groupBy: 'Rule' });
  await send(one, 95, one.deviceIds.slice(0, 1));
  const [first] = await unitsOf(one);
  await edit(first?.id, { stateId: 'Canceled' });
  await send(one, 95, one.deviceIds.slice(1));
  await until(async () => (await unitsOf(one)).length === 2);
  await later(one);
  await send(one, 95);
  await follow(one);
  expect(await unitsOf(one)).toMatchObject([{ state: 'Canceled' }, { state: 'New' }]);
});

it('warns whoever saves a rule whose protocol never runs', async () => {
  const protocol = await put('protocols', { name: 'Call', tenantId: home.tenantId, timerInverval: '00:10:00' });
  const { body: rule } = await world.call(me, 'PUT', '/v1/rules', {
    name: 'idle',
    ruleTypeId: 1,
    ...home,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'idle', Operator: 3, RightOperand: '90' }],
    matchActions: [mail],
    protocolId: protocol['protocolId'],
  });
  expect(rule['@cloudfit.warnings']).toEqual([expect.stringMatching(/^The protocol never runs: .*Add the action Create Work Unit\.$/)]);
  const { body } = await world.call(me, 'POST', `/v1/rules/${String(rule['ruleId'])}`, { matchActions: [openUnit, mail] });
  expect([body['ruleId'], body['@cloudfit.warnings']]).toEqual([rule['ruleId'], undefined]);
});
