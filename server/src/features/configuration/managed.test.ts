/** Rows that were applied from a folder: marked for people, and protected where that was chosen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { noteManaged, type RowOfFile } from './managed.ts';
import { importDocument } from './import.ts';

let world: TestWorld;
let tenantId: string;
let key: RowOfFile;
const all = holder('all');

const managed = async (caller = all) =>
  (await world.call(caller, 'GET', `/v1/configuration/managed?resource=locations&key=${key.key}`)).body['managed'];
const mark = (isProtected: boolean, rows: readonly RowOfFile[] = [key], source = 'plant', files = rows.flatMap(({ file }) => file ?? [])) =>
  noteManaged(world.system, { source, note: 'commit 4f1c2ab', isProtected }, rows, { files, chosen: files });
const rename = (name: string) => world.call(all, 'POST', `/v1/locations/${key.key}`, { name });

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  const created = await world.call(all, 'PUT', '/v1/locations', { name: 'Mill', tenantId });
  key = { resource: 'locations', key: String(created.body['locationId']), tenantId, file: 'northwind/locations/mill.yaml' };
});
afterAll(() => world.close());

it('are said to people of the tenant, and to nobody else', async () => {
  expect(await managed()).toBeNull();
  await mark(false);
  expect(await managed()).toEqual({
    source: 'plant',
    file: key.file,
    note: 'commit 4f1c2ab',
    isProtected: false,
    applied: expect.any(String),
  });
  expect(await managed(holder([tenantId], []))).toMatchObject({ source: 'plant' });
  const { tenantId: other } = await world.tenant();
  expect(await managed(holder([other]))).toBeNull();
  const resourcesFor = async (caller: typeof all) =>
    (await world.call(caller, 'GET', '/v1/configuration/managedResources')).body['resources'];
  expect(await resourcesFor(holder([tenantId], []))).toEqual(['locations']);
  expect(await resourcesFor(holder([other]))).toEqual([]);
  expect((await rename('Mill 2')).status).toBe(200);
});

const refusal = 'This location is managed in Git, in plant/northwind/locations/mill.yaml: edit it there, and apply the folder.';

it('are changed and deleted by nobody while they are protected, whichever way, and each way names the file', async () => {
  const [created, renamed] = ((await world.call(all, 'GET', `/v1/audit?$orderby=auditId&$filter=entityId eq '${key.key}'`)).body.value ??
    []) as Record<string, unknown>[];
  await mark(true);
  const document = { cloudfit: 'configuration', version: 1, rows: { locations: [{ name: 'Mill 2', tenantId, city: 'Rome' }] } };
  const text = 'Name,City\nMill 2,Oslo\n';
  const ways: [string, string, object?][] = [
    ['POST', `/v1/locations/${key.key}`, { name: 'Mill 3' }],
    ['PATCH', `/v1/locations/${key.key}`, { name: 'Mill 3' }],
    ['PATCH', '/v1/locations', { ids: [key.key], newState: { city: 'Bergen' } }],
    ['DELETE', `/v1/locations/${key.key}`],
    ['POST', '/v1/configuration', document],
    ['POST', '/v1/configuration', { ...document, partly: true }],
    ['POST', '/v1/configuration', { ...document, partly: true, dryRun: true }],
    ['POST', '/v1/lists/import', { list: 'locations', tenantId, text, dryRun: false }],
    ['POST', '/v1/configuration/restore', { auditId: created?.['auditId'] }],
    ['POST', '/v1/configuration/restore', { changeSet: renamed?.['correlationId'] }],
    ['POST', '/v1/$batch', { requests: [{ id: '1', method: 'PATCH', url: `locations/${key.key}`, body: { city: 'Bergen' } }] }],
  ];
  for (const [method, path, body] of ways) {
    const { text: answer } = await world.call(all, method, path, body);
    expect([method, path, answer]).toEqual([method, path, expect.stringContaining(refusal)]);
  }
  expect((await world.call(all, 'GET', `/v1/locations/${key.key}`)).body).toMatchObject({ name: 'Mill 2', city: null });
});

it('are changed by applying their folder, and by no other', async () => {
  const document = {
    cloudfit: 'configuration' as const,
    version: 1 as const,
    rows: { locations: [{ name: 'Mill 2', tenantId, city: 'Lund' }] },
  };
  const apply = (applies: string) => importDocument({ ...world.system, applies }, document, { dryRun: false, parts: [] });
  await expect(apply('another')).rejects.toThrow(refusal);
  expect(await apply('plant')).toMatchObject({ changed: 1 });
});

it('stay marked when their row was refused this time', async () => {
  await mark(true, [], 'plant', [key.file ?? '']);
  expect(await managed()).toMatchObject({ source: 'plant', isProtected: true });
});

it('are those of the last time, and of the folder that was applied last', async () => {
  await mark(true);
  await mark(true, [], 'another');
  expect(await managed()).toMatchObject({ source: 'plant' });
  await mark(false, [key], 'another');
  expect(await managed()).toMatchObject({ source: 'another', isProtected: false });
  await mark(false, [], 'another');
  expect(await managed()).toBeNull();
});

it('are enabled and disabled by no call of their own while they are protected', async () => {
  const conditions = [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }];
  const rule = { name: 'Hot', ruleTypeId: 1, tenantId, subscriptionId: null, conditions };
  const ruleId = String((await world.call(all, 'PUT', '/v1/rules', rule)).body['ruleId']);
  await mark(true, [{ ...key, resource: 'rules', key: ruleId, file: 'northwind/rules/hot.yaml' }]);
  const toggled = await world.call(all, 'POST', `/v1/rules/toggledisabled/${ruleId}`);
  expect(toggled.text).toContain('This rule is managed in Git, in plant/northwind/rules/hot.yaml');
  expect((await world.call(all, 'GET', `/v1/rules/${ruleId}`)).body['enabled']).toBe(true);
});
