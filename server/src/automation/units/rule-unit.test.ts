/** A fault that comes back: added to the open unit of its rule and subject, which is opened again, or in a new unit. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { executionId } from '../../executions/execution-id.ts';
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

/** A rule that calls, opens a unit and calls with its number, and a device. */
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

/** Stores a match, after the end of the one before, and queues its actions. */
async function match({ ruleId, deviceId, matchActions }: Rule): Promise<string> {
  await rows('update rule_match set closed = now() where rule_id = $1', ruleId);
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
  return histories.map((one) => ({ ...one?.result_detail, status: one?.result_status_id }));
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
  // After somebody has resolved it, the next match is a new fault.
  await set(unit?.id, 'Acknowledged');
  await set(unit?.id, 'Resolved');
  await outcomes(await match(one), one);
  const [, next] = await units(one);
  expect(next).toMatchObject({ state: 'New', occurrences: 1 });
  expect(callsOf('append').at(-1)).toBe(`/append/${next?.number}`);
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
