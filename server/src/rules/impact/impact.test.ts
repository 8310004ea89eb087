/** What a change touches, before it is saved: counts, first names, and only what the caller may view. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { ImpactGroup } from '@cloudfit/contract/impact/calls.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample } from '../../testing/samples.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
/** The name of `home`. */
let northwind: string;

beforeAll(async () => {
  world = await createWorld();
});
// Each test has new tenants, because the groups count all rows of a tenant.
beforeEach(async () => {
  northwind = `Northwind ${crypto.randomUUID()}`;
  [home, other] = [await world.tenant(northwind), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
async function create(path: string, body: object, key: string, by = me): Promise<string> {
  const answer = await world.call(by, 'PUT', path, body);
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return String(answer.body[key]);
}
const device = (name: string, of = home, by = me) => create('/v1/devices', { name, ...of }, 'deviceId', by);
const named = (name: string) => ({ Type: 'And', LeftOperand: 31, Operator: 9, RightOperand: name });
const hot = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const rule = (name: string, more: object = {}) =>
  create('/v1/rules', { name, ruleTypeId: 1, ...home, conditions: [named('web'), hot], matchActions: [], ...more }, 'ruleId');
const ask = (entity: string, id: string, body: object = {}, by: TestCaller | null = me) =>
  world.call(by, 'POST', `/v1/impact/${entity}/${id}`, body);
async function impact(entity: string, id: string, body: object = {}, by = me): Promise<Record<string, [number, string[]]>> {
  const answer = await ask(entity, id, body, by);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  const groups = answer.body['groups'] as ImpactGroup[];
  return Object.fromEntries(groups.map(({ kind, count, first }) => [kind, [count, first.map(({ name }) => name)]]));
}
const match = (ruleId: string, subjectId: string, label: string, isHeld = false) =>
  rows(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, held_since, correlation_id)
values ($1, $2, $3, $4, now() + interval '1 hour', now(), now(), $5, uuidv7())`,
    home.tenantId,
    ruleId,
    subjectId,
    label,
    isHeld ? new Date().toISOString() : null,
  );
const unit = (more: object) =>
  create('/v1/workunits', { title: 'Broken fan', severityId: 'Sev3', workUnitTypeId: 1, tenantId: home.tenantId, ...more }, 'workUnitId');

describe('of a rule', () => {
  it('lists devices before and after, matches that nothing repeats any more, units and what waits', async () => {
    const [web1, web2, db1] = [await device('web-1'), await device('web-2'), await device('db-1')];
    await device('web-9', other, holder([other.tenantId]));
    const ruleId = await rule('High CPU');
    await match(ruleId, web1, 'High CPU: web-1');
    await match(ruleId, db1, 'High CPU: db-1', true);
    const unitId = await unit({});
    await rows('update work_unit set rule_id = $1 where work_unit_id = $2', ruleId, Number(unitId));
    expect(await impact('rules', ruleId)).toMatchObject({
      devicesBefore: [2, ['web-1', 'web-2']],
      devicesAfter: [2, ['web-1', 'web-2']],
      openMatches: [2, expect.arrayContaining(['High CPU: web-1', 'High CPU: db-1'])],
      heldMatches: [1, ['High CPU: db-1']],
      units: [1, [expect.stringMatching(/^#\d+ Broken fan$/)]],
    });
    const draft = { name: 'High CPU', ruleTypeId: 1, ...home, conditions: [named('db'), hot] };
    expect(await impact('rules', ruleId, { rule: { ...draft, runbookId: null } })).toMatchObject({
      devicesBefore: [2, ['web-1', 'web-2']],
      devicesAfter: [1, ['db-1']],
      devicesGained: [1, ['db-1']],
      devicesLost: [2, ['web-1', 'web-2']],
      endingMatches: [1, ['High CPU: web-1']],
    });
    for (const removal of [{ change: 'delete' }, { enabled: false }])
      expect(await impact('rules', ruleId, removal)).toMatchObject({ devicesAfter: [0, []], devicesLost: [2, ['web-1', 'web-2']] });
    expect(web2).not.toBe(web1);
  });

  it('counts devices as they are now, however recently it was asked', async () => {
    const gauges = { conditions: [named('gauge'), hot] };
    const ruleId = await rule('Gauges', gauges);
    const first = await device('gauge-1');
    expect(await impact('rules', ruleId)).toMatchObject({ devicesBefore: [1, ['gauge-1']] });
    const second = await device('gauge-2');
    expect(await impact('rules', ruleId)).toMatchObject({ devicesBefore: [2, ['gauge-1', 'gauge-2']] });
    expect((await world.call(me, 'POST', `/v1/devices/${first}`, { name: 'meter-1' })).status).toBe(200);
    expect(await impact('rules', ruleId)).toMatchObject({ devicesBefore: [1, ['gauge-2']] });
    expect((await world.call(me, 'DELETE', `/v1/devices/${second}`)).status).toBe(204);
    expect(await impact('rules', ruleId)).toMatchObject({ devicesBefore: [0, []] });
  });

  it('lists the rules that look at its matches, also to recover', async () => {
    const ruleId = await rule('Gateway');
    const looks = { Type: 'And', LeftOperand: 86, Operator: 2, RightOperand: ruleId };
    await rule('Sensor', { conditions: [named('web'), hot, looks] });
    await rule('Sensor too', { recoveryConditions: [looks] });
    expect(await impact('rules', ruleId, { enabled: false })).toMatchObject({ rules: [2, ['Sensor', 'Sensor too']] });
    expect(await impact('rules', await rule('Alone'))).not.toHaveProperty('rules');
  });

  it('counts what is open, held and waits, and names five of each at most', async () => {
    const devices = [];
    for (let n = 0; n < 7; n += 1) devices.push(await device(`web-${n}`));
    const [lost] = devices;
    const [ruleId, otherId] = [await rule('Load'), await rule('Other')];
    const add = async (
      of: string,
      subject: string,
      label: string,
      more: { closed?: boolean; isHeld?: boolean; isReleased?: boolean } = {},
    ) => {
      const now = new Date().toISOString();
      const [row] = await rows<{ id: string }>(
        `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, closed, held_since, held_until, correlation_id)
         values ($1, $2, $3, $4, now(), now(), now(), $5, $6, $7, uuidv7()) returning rule_match_id as id`,
        home.tenantId,
        of,
        subject,
        label,
        more.closed ? now : null,
        more.isHeld || more.isReleased ? now : null,
        more.isReleased ? now : null,
      );
      return row?.id ?? '';
    };
    const [operation] = await rows<{ id: string }>(
      `with o as (insert into operation (tenant_id, name, frequency_definitions) values ($1, 'Disk space', '[]') returning operation_id)
       insert into device_operation (tenant_id, device_id, operation_id, label, frequency_type_id, operation_type, package_executable_type, package_name, package_type)
       select $1, $2, operation_id, 'Disk', 1, 'x', 'x', 'x', 'x' from o returning device_operation_id as id`,
      home.tenantId,
      lost,
    );
    const open = await add(ruleId, lost ?? '', 'open', { isHeld: true });
    const closed = await add(ruleId, lost ?? '', 'closed', { closed: true });
    await add(ruleId, devices[1] ?? '', 'released', { isReleased: true });
    await add(ruleId, operation?.id ?? '', 'of an operation');
    const ofOther = await add(otherId, lost ?? '', 'of another rule', { isHeld: true });
    for (const [state, of] of [
      ['New', ruleId],
      ['Resolved', ruleId],
      ['Closed', ruleId],
      ['Canceled', ruleId],
      ['New', otherId],
    ])
      await rows(
        'update work_unit set rule_id = $1, state_id = $2 where work_unit_id = $3',
        of,
        state,
        Number(await unit({ title: `${state}` })),
      );
    for (const [match, status] of [
      [open, resultStatus.enqueueSuccess],
      [open, resultStatus.success],
      [closed, resultStatus.enqueueSuccess],
      [ofOther, resultStatus.enqueueSuccess],
    ] as const)
      await rows(
        `insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, reference_id)
         values ($1, gen_random_uuid(), $2, uuidv7(), uuidv7(), $3)`,
        home.tenantId,
        status,
        match,
      );
    const now = await impact('rules', ruleId);
    expect(now['devicesBefore']).toEqual([7, ['web-0', 'web-1', 'web-2', 'web-3', 'web-4']]);
    expect([now['openMatches']?.[0], now['heldMatches'], now['units']?.[0], now['executions']?.[0]]).toEqual([3, [1, ['open']], 1, 1]);
    expect([now['devicesGained'], now['devicesLost'], now['endingMatches']]).toEqual([undefined, undefined, undefined]);
    const notZero = { Type: 'And', LeftOperand: 31, Operator: 2, RightOperand: 'web-0' };
    const draft = { name: 'Load', ruleTypeId: 1, ...home, conditions: [named('web'), notZero, hot] };
    const { devicesLost, endingMatches } = await impact('rules', ruleId, { rule: draft });
    expect([devicesLost, endingMatches?.[0], endingMatches?.[1].toSorted()]).toEqual([[1, ['web-0']], 2, ['of an operation', 'open']]);
    const [subscription] = await rows<{ id: string }>(
      "insert into subscription (tenant_id, name) values ($1, 'Another') returning subscription_id as id",
      home.tenantId,
    );
    const elsewhere = await impact('rules', ruleId, { rule: { ...draft, subscriptionId: subscription?.id } });
    expect([elsewhere['devicesBefore']?.[0], elsewhere['devicesAfter']]).toEqual([7, [0, []]]);
  });

  it('shows only what the caller may view, and no rule of another tenant', async () => {
    const ruleId = await rule('Quiet');
    await match(ruleId, await device('web-quiet'), 'Quiet: web-quiet');
    const reader = holder([home.tenantId], ['CloudFit.CFS.Rules:view']);
    expect(Object.keys(await impact('rules', ruleId, {}, reader))).toEqual(['openMatches']);
    expect((await ask('rules', ruleId, {}, holder([other.tenantId]))).status).toBe(404);
    expect((await ask('rules', ruleId, {}, holder([home.tenantId], ['CloudFit.CFS.Packages:view']))).status).toBe(403);
    expect((await ask('rules', ruleId, {}, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await ask('rules', ruleId, {}, null)).status).toBe(401);
    expect((await ask('rules', ruleId, { change: 'burn' })).status).toBe(400);
    expect((await ask('people', ruleId)).status).toBe(400);
  });
});

it('of an action lists rules and protocols that use it, and executions that wait', async () => {
  const id = await create(
    '/v1/actionDefinitions',
    { name: 'Call desk', actionDefinitionTypeId: 4, tenantId: home.tenantId, endpointUrl: 'https://example.com/', httpMethod: 'POST' },
    'actionDefinitionId',
  );
  expect(await impact('actionDefinitions', id)).toEqual({});
  await rule('Calls', { matchActions: [{ ActionDefinitionId: id, Parameters: {} }] });
  const protocolId = await create('/v1/protocols', { name: 'Night', tenantId: home.tenantId }, 'protocolId');
  const step = { protocolId, actionDefinitionId: id, workUnitEventTypeId: 1, parameters: '{}', summary: 'Call' };
  expect((await world.call(me, 'PUT', '/v1/protocolActions', step)).status).toBe(201);
  await rows(
    `insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, correlation_id, message_id) values ($1, $2, ${resultStatus.enqueueSuccess}, '{}', uuidv7(), uuidv7())`,
    home.tenantId,
    id,
  );
  expect(await impact('actionDefinitions', id)).toEqual({
    rules: [1, ['Calls']],
    protocols: [1, ['Night']],
    executions: [1, [northwind]],
  });
});

it('of something global lists the tenants', async () => {
  const anywhere = holder('all');
  const id = await create('/v1/protocols', { name: 'Everywhere' }, 'protocolId', anywhere);
  await unit({ protocolId: id });
  expect(await impact('protocols', id, {}, anywhere)).toMatchObject({ tenants: [1, [northwind]] });
});

it('of a protocol lists the units that follow it and their waiting steps', async () => {
  const protocolId = await create('/v1/protocols', { name: 'Day', tenantId: home.tenantId }, 'protocolId');
  const workUnitId = await unit({ protocolId });
  const { plannedStepId } = await insertSample(world, requireResource('plannedSteps'), home);
  await rows(
    "update planned_step set work_unit_id = $1, protocol_id = $2, name = 'Call the second line', ended = null where planned_step_id = $3",
    Number(workUnitId),
    protocolId,
    plannedStepId,
  );
  await rule('Opens', { protocolId });
  expect(await impact('protocols', protocolId)).toEqual({
    rules: [1, ['Opens']],
    units: [1, [expect.stringContaining('Broken fan')]],
    waitingSteps: [1, ['Call the second line']],
  });
});

it('of a package and a version lists installations, of a custom field the units that have a value', async () => {
  const installation = await insertSample(world, requireResource('deviceInstallations'), home);
  const [packageId, versionId] = [String(installation['packageId']), String(installation['packageVersionId'])];
  const { installations } = await impact('packages', packageId, {}, holder('all'));
  expect(installations?.[0]).toBeGreaterThan(0);
  expect((await impact('packageVersions', versionId, {}, holder('all')))['installations']?.[0]).toBeGreaterThan(0);
  const workUnitId = await unit({});
  await rows('update work_unit set custom_value3 = $1 where work_unit_id = $2', 'Lisbon', Number(workUnitId));
  expect(await impact('tenants', home.tenantId, { fields: ['workUnitFieldDef3', 'workUnitFieldDef4'] })).toEqual({
    unitsWithValue: [1, [expect.stringContaining('Broken fan')]],
  });
  expect(await impact('tenants', home.tenantId)).toEqual({});
});
