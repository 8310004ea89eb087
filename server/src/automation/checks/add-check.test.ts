/** A check and its rule, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { checkRules } from '@cloudfit/contract/rules/starter.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let created: CreatedPackage;
let device: string;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  created = await makePackage(world, { tenantId: home.tenantId });
  device = String((await world.call(me, 'PUT', '/v1/devices', { name: 'web-1', ...home })).body['deviceId']);
});
afterAll(() => world.close());

const check = (over: object = {}, caller: TestCaller | null = me) =>
  world.call(caller, 'POST', `/v1/devices/${device}/addCheck`, {
    operationId: created.operationId,
    label: 'Free space',
    interval: '00:10:00',
    when: { reading: 'Metric', name: 'FreePercent', operator: 4, value: '10' },
    ...over,
  });
const counts = async () => [
  (await world.call(me, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${device}`)).body.value?.length,
  (await world.call(me, 'GET', '/v1/rules?$filter=tenantId ne null')).body.value?.length,
];

it('adds the operation and the rule together, both in force', async () => {
  const { body, status, text } = await check();
  expect(status, text).toBe(200);
  const { deviceOperation, rule } = body as Record<string, Record<string, unknown>>;
  expect(deviceOperation).toMatchObject({ enabled: true, interval: '00:10:00', frequencyTypeId: 2 });
  expect(rule).toMatchObject({ enabled: true, name: 'Free space of web-1', matchLifetime: '00:30:00', tenantId: home.tenantId });
  expect(rule?.['conditions']).toMatchObject([
    { LeftOperand: 10, RightOperand: deviceOperation?.['deviceOperationId'] },
    { LeftOperand: 62, LeftOperandFieldName: 'FreePercent', Operator: 4, RightOperand: '10' },
  ]);
});

it('adds neither when one of them is refused, and says why', async () => {
  const before = await counts();
  const refused = async (over: object) => ((await check(over)).body['error'] as { details: object[] }).details[0];
  expect(await refused({ when: { reading: 'Metric', operator: 4, value: '10' } })).toMatchObject({ target: 'when.name' });
  expect(await refused({ when: { reading: 'Value', value: '10' } })).toMatchObject({ target: 'when.operator' });
  expect(await refused({ when: { reading: 'Value', operator: 4 } })).toMatchObject({ target: 'when.value' });
  expect(await refused({ when: { reading: 'Metric', name: 'FreePercent', operator: 99, value: '10' } })).toMatchObject({ target: 'when' });
  expect(await refused({ when: { reading: 'Metric', name: 'FreePercent', operator: 4, value: 'little' } })).toMatchObject({
    target: 'when',
  });
  expect(await refused({ frequencyTypeId: 3 })).toMatchObject({ target: 'frequencyTypeId' });
  expect((await check({}, holder([home.tenantId], ['CloudFit.CFS.Devices:create', 'CloudFit.CFS.Devices:view']))).status).toBe(403);
  expect((await check({}, null)).status).toBe(401);
  expect((await check({}, holder([(await world.tenant()).tenantId]))).status).toBe(404);
  expect(await counts()).toEqual(before);
});

const down = { when: { reading: 'Down' } };
const ruleIn = (reply: WorldReply) => {
  expect(reply.status, reply.text).toBe(200);
  return reply.body['rule'] as { ruleId: string; name: string; matchLifetime: string; conditions: object[]; tenantId: string | null };
};
const put = async (resource: string, body: object, caller = me) => {
  const reply = await world.call(caller, 'PUT', `/v1/${resource}`, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body as Record<string, string>;
};

it('makes a rule about Down until Up, but not where a rule opens units for every check', async () => {
  const rule = ruleIn(await check({ label: 'Web', ...down }));
  expect(rule).toMatchObject({ name: 'Web of web-1', matchLifetime: '24:00:00', recoveryConditions: [{}, {}, {}] });
  const [general] = checkRules;
  // Rules that are disabled, of another subscription, about something else, or that open no unit cover nothing.
  const busy = { LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90', Type: 'And' };
  await put('rules', { ...general, name: 'Busy', conditions: [busy], recoveryConditions: [], ...home });
  await put('rules', { ...general, name: 'Off', enabled: false, ...home });
  await put('rules', { ...general, name: 'Silent', matchActions: [], ...home });
  const elsewhere = await put('subscriptions', { name: 'Elsewhere', tenantId: home.tenantId });
  await put('rules', { ...general, name: 'Elsewhere', tenantId: home.tenantId, subscriptionId: elsewhere['subscriptionId'] });
  expect(ruleIn(await check({ label: 'Web 2', ...down })).name).toBe('Web 2 of web-1');
  const all = await put('rules', { ...general, name: 'Every check', ...home });
  // It looks at the metric Up, which a package of others or a plugin need not report.
  expect(ruleIn(await check({ label: 'Theirs', ...down })).name).toBe('Theirs of web-1');
  await world.system.db.query({
    text: 'update package set is_built_in = true where package_id = (select package_id from operation where operation_id = $1)',
    values: [created.operationId],
  });
  expect(ruleIn(await check({ label: 'Web 3', ...down })).ruleId).toBe(all['ruleId']);
  expect(ruleIn(await check({ label: 'Web 4' })).name).toBe('Web 4 of web-1');
});

it('adds a check to a policy: its devices run it, and the rule is about them', async () => {
  const tenant = await world.tenant();
  const chief = holder([tenant.tenantId]);
  const uploaded = await makePackage(world, { tenantId: tenant.tenantId });
  const selection = await put('deviceSelections', { name: 'Web', tenantId: tenant.tenantId, filter: "contains(tags,'web')" }, chief);
  const policyBody = { name: 'Web servers', tenantId: tenant.tenantId, deviceSelectionId: selection['deviceSelectionId'], tags: 'checked' };
  const policy = await put('policies', policyBody, chief);
  const operation = { operationId: uploaded.operationId, label: 'Front page', frequencyTypeId: 2, interval: '00:01:00', parameters: [] };
  const add = (over: object = {}, caller: TestCaller | null = chief) =>
    world.call(caller, 'POST', `/v1/policies/${policy['policyId']}/addCheck`, { operation, ...down, ...over });
  const reply = await add();
  const rule = ruleIn(reply);
  expect(reply.body['policy']).toMatchObject({ operations: [{ label: 'Front page', interval: '00:01:00' }], tags: 'checked' });
  expect(rule).toMatchObject({ name: 'Front page (Web servers)', tenantId: tenant.tenantId, subscriptionId: null, enabled: true });
  expect(rule.conditions.slice(0, 3)).toMatchObject([
    { LeftOperand: 37, RightOperand: selection['deviceSelectionId'] },
    { LeftOperand: 41, RightOperand: 'Front page' },
    { LeftOperand: 62, LeftOperandFieldName: 'Up', RightOperand: '0' },
  ]);

  const operationsAndRules = async () => [
    ((await world.call(chief, 'GET', `/v1/policies(${policy['policyId']})`)).body['operations'] as object[]).length,
    (await world.call(chief, 'GET', '/v1/rules?$filter=tenantId ne null')).body.value?.length,
  ];
  const target = async (over: object) => ((await add(over)).body['error'] as { details: { target: string }[] }).details[0]?.target;
  expect(await target({})).toBe('operations[1].label');
  expect(
    await target({ operation: { ...operation, label: 'X' }, when: { reading: 'Metric', name: 'Ms', operator: 4, value: 'slow' } }),
  ).toBe('when');
  expect(await target({ operation: { ...operation, label: 'X', interval: '00:00:00' } })).toMatch(/interval/);
  const without = (verb: string) =>
    holder(
      [tenant.tenantId],
      allPermissions.filter((permission) => permission !== `CloudFit.CFS.${verb}`),
    );
  expect((await add({ operation: { ...operation, label: 'X' } }, without('Rules:create'))).status).toBe(403);
  expect((await add({}, without('Devices:edit'))).status).toBe(403);
  expect((await add({}, null)).status).toBe(401);
  expect((await add({}, me)).status).toBe(404);
  expect(await operationsAndRules()).toEqual([1, 1]);
});
