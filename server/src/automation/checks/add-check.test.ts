/** A check and its rule, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

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
