/** Who sees and changes rules of a group of tenants and of all, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
const everybody = holder('all');

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const make = (body: Record<string, unknown> = {}, caller = everybody) =>
  world.call(caller, 'PUT', '/v1/rules', {
    name: `Rule ${crypto.randomUUID()}`,
    ruleTypeId: 1,
    tenantId: null,
    conditions: [cpu],
    ...body,
  });
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
const group = async (tenantIds: string[]) =>
  String(
    (await world.call(everybody, 'PUT', '/v1/tenantGroups', { name: `Group ${crypto.randomUUID()}`, tenantIds })).body['tenantGroupId'],
  );
const idsFor = async (caller: TestCaller) =>
  ((await world.call(caller, 'GET', '/v1/rules?$top=1000')).body.value ?? []).map((row) => row['ruleId']);

describe('rules of all tenants', () => {
  it('[RULE-041] [PERM-033] are made by clearing the tenant, seen by everybody, and changed by those with the right for all tenants', async () => {
    const created = await make();
    expect([created.status, created.body['tenantId'], created.body['tenantGroupId']]).toEqual([201, null, null]);
    const url = `/v1/rules/${String(created.body['ruleId'])}`;
    expect((await world.call(me, 'GET', url)).body).toMatchObject({ name: created.body['name'] });
    expect((await make({}, me)).status).toBe(403);
    for (const caller of [me, holder([home.tenantId, other.tenantId])]) {
      expect((await world.call(caller, 'POST', url, { description: 'Taken' })).status).toBe(403);
      expect((await world.call(caller, 'POST', `/v1/rules/toggledisabled/${String(created.body['ruleId'])}`)).status).toBe(403);
      expect((await world.call(caller, 'DELETE', url)).status).toBe(403);
    }
    const ownRule = await world.call(me, 'PUT', '/v1/rules', { name: 'Own', ruleTypeId: 1, ...home, conditions: [cpu] });
    expect(
      (await world.call(me, 'POST', `/v1/rules/${String(ownRule.body['ruleId'])}`, { tenantId: null, subscriptionId: null })).status,
    ).toBe(403);
    expect((await world.call(everybody, 'POST', url, { description: 'Changed' })).status).toBe(200);
    expect((await world.call(everybody, 'DELETE', url)).status).toBe(204);
  });

  it('name nothing of one tenant', async () => {
    const device = (await world.call(me, 'PUT', '/v1/devices', { name: 'web-1', ...home, deviceTypeId: 1, operatingSystemId: 1 })).body[
      'deviceId'
    ];
    const refused = async (body: object) => details(await make(body as Record<string, unknown>)).map(({ target }) => target);
    expect(await refused({ subscriptionId: home.subscriptionId })).toEqual(['subscriptionId']);
    expect(await refused({ conditions: [{ Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: home.tenantId }, cpu] })).toEqual([
      'conditions[0].LeftOperand',
    ]);
    expect(await refused({ conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, cpu] })).toEqual([
      'conditions[0].RightOperand',
    ]);
    const call = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { TenantId: home.tenantId } };
    expect(await refused({ matchActions: [call] })).toEqual(['matchActions[0].Parameters.TenantId']);
    expect(await refused({ ...home, subscriptionId: null, tenantGroupId: await group([home.tenantId]) })).toEqual(['tenantGroupId']);
  });

  it('refer only to each other, and cannot be deleted while a rule of a tenant reads their matches', async () => {
    const global = String((await make()).body['ruleId']);
    const reads = { Type: 'And', LeftOperand: 83, Operator: 1, RightOperand: global };
    const reader = await world.call(me, 'PUT', '/v1/rules', { name: 'Reader', ruleTypeId: 1, ...home, conditions: [reads, cpu] });
    expect([reader.status, reader.body['error']]).toEqual([201, undefined]);
    const ofTenant = { ...reads, RightOperand: String(reader.body['ruleId']) };
    expect(details(await make({ conditions: [ofTenant, cpu] }))).toMatchObject([{ target: 'conditions[0].RightOperand' }]);
    expect(details(await world.call(everybody, 'DELETE', `/v1/rules/${global}`))[0]?.message).toContain('Reader');
  });
});

describe('rules of a group', () => {
  it('are seen by people of its tenants, who learn neither the group nor its other tenants', async () => {
    const [ours, theirs] = [await group([home.tenantId, other.tenantId]), await group([other.tenantId])];
    const [both, foreign] = [
      String((await make({ tenantGroupId: ours })).body['ruleId']),
      String((await make({ tenantGroupId: theirs })).body['ruleId']),
    ];
    expect(await idsFor(me)).toContain(both);
    expect(await idsFor(me)).not.toContain(foreign);
    expect((await world.call(me, 'GET', `/v1/rules(${foreign})`)).status).toBe(404);
    expect((await world.call(me, 'POST', `/v1/rules/${foreign}`, { description: 'x' })).status).toBe(404);
    expect((await world.call(me, 'GET', `/v1/tenantGroups(${ours})`)).status).toBe(404);
    expect((await world.call(me, 'GET', `/v1/rules(${both})?$expand=tenantGroup`)).body['tenantGroup']).toBeNull();
    const whole = holder([home.tenantId, other.tenantId]);
    expect((await world.call(whole, 'GET', `/v1/tenantGroups(${ours})`)).status).toBe(200);
    // The database itself hides the rule, whatever a query forgets.
    const hidden = await world.database.scoped([home.tenantId]).query({ text: 'select 1 from rule where rule_id = $1', values: [foreign] });
    expect(hidden).toEqual([]);
  });

  it('keep their group from deletion, and a group has existing tenants only', async () => {
    const tenantGroupId = await group([home.tenantId]);
    const { body } = await make({ tenantGroupId, name: 'Of the group' });
    expect(details(await world.call(everybody, 'DELETE', `/v1/tenantGroups/${tenantGroupId}`))[0]?.message).toContain('Of the group');
    await world.call(everybody, 'DELETE', `/v1/rules/${String(body['ruleId'])}`);
    expect((await world.call(everybody, 'DELETE', `/v1/tenantGroups/${tenantGroupId}`)).status).toBe(204);
    const unknown = await world.call(everybody, 'PUT', '/v1/tenantGroups', { name: 'None', tenantIds: [crypto.randomUUID()] });
    expect(details(unknown)).toMatchObject([{ target: 'tenantIds' }]);
    expect((await world.call(me, 'PUT', '/v1/tenantGroups', { name: 'Mine', tenantIds: [home.tenantId] })).status).toBe(403);
  });
});

describe('what a change of a rule of many touches', () => {
  it('counts the devices of the tenants whose devices the caller may view', async () => {
    const ofTenant = async (caller: TestCaller, place: object, name: string) =>
      world.call(caller, 'PUT', '/v1/devices', { name, ...place, deviceTypeId: 1, operatingSystemId: 1 });
    await ofTenant(everybody, home, 'impact-1');
    await ofTenant(everybody, other, 'impact-2');
    const named = { Type: 'And', LeftOperand: 31, Operator: 5, RightOperand: 'impact-' };
    const { body } = await make({ conditions: [named, cpu] });
    const count = async (caller: TestCaller, input: object = {}) => {
      const answer = await world.call(caller, 'POST', `/v1/impact/rules/${String(body['ruleId'])}`, input);
      const groups = (answer.body['groups'] ?? []) as { kind: string; count: number }[];
      return Object.fromEntries(groups.map((item) => [item.kind, item.count]));
    };
    expect(await count(everybody)).toMatchObject({ devicesBefore: 2 });
    expect(await count(me)).toMatchObject({ devicesBefore: 1 });
    const draft = { name: 'x', ruleTypeId: 1, tenantId: home.tenantId, conditions: [named, cpu] };
    expect(await count(everybody, { rule: draft })).toMatchObject({ devicesBefore: 2, devicesAfter: 1, devicesLost: 1 });
  });
});

describe('exceptions', () => {
  const put = (body: Record<string, unknown>, caller = me) =>
    world.call(caller, 'PUT', '/v1/ruleExceptions', { tenantId: home.tenantId, reason: 'Batch jobs', ...body });

  it('are of the tenant: its people write and see them, others neither', async () => {
    const ruleId = (await make()).body['ruleId'];
    const created = await put({ ruleId, ownValues: { '62 Cpu 3': '95' } });
    expect([created.status, created.body['error']]).toEqual([201, undefined]);
    const url = `/v1/ruleExceptions(${String(created.body['ruleExceptionId'])})`;
    expect((await world.call(holder([other.tenantId]), 'GET', url)).status).toBe(404);
    expect((await put({ ruleId, tenantId: other.tenantId, isOff: true })).status).toBe(400);
    expect((await put({ ruleId, isOff: true }, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
    expect((await put({ ruleId, isOff: true })).status).toBe(409);
  });

  it('say what is wrong with them', async () => {
    const ruleId = (await make()).body['ruleId'];
    const message = async (body: Record<string, unknown>) => details(await put(body)).map(({ target, message }) => [target, message]);
    expect(await message({ ruleId })).toEqual([
      ['ownValues', 'Say what is otherwise here: a value, the lifetime, the severity, or that the rule does not hold.'],
    ]);
    expect(await message({ ruleId, ownValues: { '62 Disk 3': '1' } })).toEqual([
      ['ownValues', 'The rule has no constant 62 Disk 3. It has 62 Cpu 3.'],
    ]);
    expect((await message({ ruleId, ownValues: { '62 Cpu 3': 'much' } }))[0]?.[0]).toBe('ownValues');
    expect((await message({ ruleId, matchLifetime: '00:01:00' }))[0]).toEqual(['matchLifetime', 'Must be at least 5 minutes.']);
    const ownRule = await world.call(me, 'PUT', '/v1/rules', { name: 'Mine', ruleTypeId: 1, ...home, conditions: [cpu] });
    expect((await message({ ruleId: ownRule.body['ruleId'], isOff: true }))[0]?.[0]).toBe('ruleId');
    const foreign = (await make({ tenantGroupId: await group([other.tenantId]) })).body['ruleId'];
    expect((await message({ ruleId: foreign, isOff: true }))[0]?.[0]).toBe('ruleId');
  });
});
