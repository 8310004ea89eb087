/** Rights of their own: to read the audit, and to run operations, each without anything else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOperations, viewAudit } from '@cloudfit/contract/permissions.ts';
import { shippedSets } from '../../auth/shipped.ts';
import { frequencyType } from '@cloudfit/contract/enums.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample } from '../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant('Home'), await world.tenant('Other')];
});
afterAll(() => world.close());

it('an auditor reads every entry of the tenants, and no row of anything', async () => {
  const admin = holder('all');
  for (const { tenantId } of [home, other]) await world.call(admin, 'PUT', '/v1/locations', { name: 'Hall', tenantId });
  const auditor = holder([home.tenantId], shippedSets.auditor.permissions);
  const { body } = await world.call(auditor, 'GET', "/v1/audit?$filter=entity eq 'locations'");
  expect(body.value).toMatchObject([{ tenantId: home.tenantId, verb: 'create' }]);
  for (const path of ['/v1/locations', '/v1/devices', '/v1/statusPages', '/v1/configuration'])
    expect([path, (await world.call(auditor, 'GET', path)).status]).toEqual([path, 403]);
  // The right to view settings shows entries only of what one may view.
  const some = holder([home.tenantId], ['CloudFit.CFS.Settings:view']);
  expect((await world.call(some, 'GET', "/v1/audit?$filter=entity eq 'locations'")).body.value).toEqual([]);
  expect((await world.call(holder([home.tenantId], ['CloudFit.CFS.Home:view']), 'GET', '/v1/audit')).status).toBe(403);
  expect(shippedSets.reader.permissions).not.toContain(viewAudit);
});

it('a runner of operations requests runs in the tenants, and edits no device', async () => {
  const operation = await insertSample(world, requireResource('deviceOperations'), home);
  const foreign = await insertSample(world, requireResource('deviceOperations'), other);
  for (const { deviceOperationId } of [operation, foreign])
    await world.system.db.query({
      text: 'update device_operation set frequency_type_id = $2, enabled = true where device_operation_id = $1',
      values: [deviceOperationId, frequencyType.onDemand],
    });
  const runner = holder([home.tenantId], shippedSets.operationRunner.permissions);
  const id = String(operation['deviceOperationId']);
  const enqueued = await world.call(runner, 'POST', `/v1/deviceOperations/${id}/enqueueOnDemand`);
  expect([enqueued.status, enqueued.body['completionToken']]).toEqual([200, expect.any(String)]);
  expect((await world.call(runner, 'POST', `/v1/deviceOperations/${id}/dequeueOnDemand`)).body).toMatchObject({ completionToken: null });
  expect((await world.call(runner, 'POST', `/v1/deviceOperations/${id}`, { label: 'Mine' })).status).toBe(403);
  expect((await world.call(runner, 'POST', `/v1/deviceOperations/${String(foreign['deviceOperationId'])}/enqueueOnDemand`)).status).toBe(
    404,
  );
  const viewer = holder([home.tenantId], ['CloudFit.CFS.Devices:view']);
  expect((await world.call(viewer, 'POST', `/v1/deviceOperations/${id}/enqueueOnDemand`)).status).toBe(403);
  // The right in one tenant is none in another, of which the devices may be seen.
  const mixed = {
    ...holder([home.tenantId, other.tenantId]),
    permissions: new Map([
      [home.tenantId, new Set<string>([runOperations])],
      [other.tenantId, new Set(['CloudFit.CFS.Devices:view'])],
    ]),
  };
  expect((await world.call(mixed, 'POST', `/v1/deviceOperations/${String(foreign['deviceOperationId'])}/enqueueOnDemand`)).status).toBe(
    403,
  );
});
