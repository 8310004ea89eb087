/** Campaigns that add operations to devices: in rings, and for a run of an operation that devices do not have. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { workCampaigns } from '../../testing/work-campaigns.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let created: CreatedPackage;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with s as (insert into permission_set (name, permissions) values ('All', $1) returning permission_set_id),
      p as (insert into person (name, user_name) values ('Ada', 'ada@example.com') returning person_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $2 from p, s)
      select person_id as id from p`,
    values: [JSON.stringify(allPermissions), home.tenantId],
  });
  me = { ...holder([home.tenantId]), actor: { kind: 'person', id: row?.id ?? '', name: 'Ada', userName: 'ada@example.com' } };
  const parameters = [{ Name: 'Path', Required: true, Source: 1, DefaultValue: '/var' }];
  created = await makePackage(world, { tenantId: home.tenantId, name: 'Checks', frequencies: [1, 2], parameters });
});
afterAll(() => world.close());

async function fleet(name: string, count: number): Promise<string[]> {
  const rows = await world.system.db.query<{ id: string }>({
    text: `insert into device (tenant_id, subscription_id, name) select $1, $2, $3 || lpad(n::text, 4, '0') from generate_series(1, $4::int) n returning device_id as id`,
    values: [home.tenantId, home.subscriptionId, name, count],
  });
  return rows.map(({ id }) => id);
}
const post = (path: string, body: object, caller: TestCaller = me) => world.call(caller, 'POST', `/v1/campaigns/${path}`, body);
async function started(body: object): Promise<string> {
  const { body: campaign } = await post('start', { tenantId: home.tenantId, ...body });
  expect(campaign['error']).toBeUndefined();
  await workCampaigns(world.system);
  return String(campaign['campaignId']);
}
const campaign = async (id: string) => (await world.call(me, 'GET', `/v1/campaigns(${id})`)).body;
async function withOperation(label: string): Promise<string> {
  const [deviceId] = await fleet(`Source ${label} `, 1);
  const parameters = [{ Name: 'Path', Source: 1, Value: '/srv' }];
  const body = { deviceId, operationId: created.operationId, label, frequencyTypeId: 2, interval: '00:10:00', enabled: true, parameters };
  const answer = await world.call(me, 'PUT', '/v1/deviceOperations', body);
  expect(answer.status).toBe(201);
  return String(answer.body['deviceOperationId']);
}
const present = async (deviceIds: readonly string[]) =>
  (
    await world.system.db.query<{ device_id: string }>({
      text: 'select device_id from device_operation where device_id = any($1) and not is_deleted',
      values: [deviceIds],
    })
  ).map((row) => row.device_id);

describe('operations in rings', () => {
  it('are removed again where they were added, when a chosen rule matches', async () => {
    const deviceIds = await fleet('Ringed ', 6);
    const source = await withOperation('Disk');
    const [had = ''] = deviceIds;
    const existing = {
      deviceId: had,
      operationId: created.operationId,
      label: 'Disk',
      frequencyTypeId: 2,
      interval: '00:10:00',
      enabled: true,
    };
    await world.call(me, 'PUT', '/v1/deviceOperations', { ...existing, parameters: [{ Name: 'Path', Source: 1, Value: '/' }] });
    const [rule] = await world.system.db.query<{ id: string }>({
      text: `insert into rule (tenant_id, name, rule_type_id, conditions) values ($1, 'Too slow', 1, '[]') returning rule_id as id`,
      values: [home.tenantId],
    });
    const rings = [{ filter: "name le 'Ringed 0003'" }];
    const id = await started({
      kind: 'AddOperations',
      deviceOperationIds: [source],
      deviceIds,
      rings,
      gate: { ruleIds: [rule?.id] },
      pauseMinutes: 60,
    });
    expect(await campaign(id)).toMatchObject({ state: 'Running', ring: 0, done: 3, waiting: 3 });
    const first = await present(deviceIds);
    expect(first).toHaveLength(3);
    await world.system.db.query({
      text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
        values ($1, $2, (select device_operation_id from device_operation where device_id = $3), 'Slow', now() + interval '1 hour', now(), now(), uuidv7())`,
      values: [home.tenantId, rule?.id, deviceIds[1]],
    });
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 3, returned: 2, done: 1 });
    // The operation that the campaign had not added remains.
    expect(await present(deviceIds)).toEqual([had]);
  });

  it('are copied only from devices of the tenant of the campaign', async () => {
    const other = await world.tenant();
    const both = holder([home.tenantId, other.tenantId]);
    const theirs = await makePackage(world, { tenantId: other.tenantId, name: 'Theirs' });
    const { deviceId } = (await world.call(both, 'PUT', '/v1/devices', { name: 'Theirs', ...other })).body;
    const operation = {
      deviceId,
      operationId: theirs.operationId,
      label: 'Theirs',
      frequencyTypeId: 2,
      interval: '00:10:00',
      enabled: true,
    };
    const { deviceOperationId } = (await world.call(both, 'PUT', '/v1/deviceOperations', operation)).body;
    expect(deviceOperationId).toBeDefined();
    const body = {
      tenantId: home.tenantId,
      kind: 'AddOperations',
      deviceOperationIds: [deviceOperationId],
      deviceIds: await fleet('Copied ', 1),
    };
    const answer = await post('start', body, both);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Device operation was not found in this tenant.')]);
  });

  it('are removed by hand after the end, once, and what somebody has removed stays removed', async () => {
    const deviceIds = await fleet('By hand ', 3);
    const source = await withOperation('Load');
    const id = await started({ kind: 'AddOperations', deviceOperationIds: [source], deviceIds });
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 3 });
    const [removed] = await world.system.db.query<{ id: string }>({
      text: 'select device_operation_id as id from device_operation where device_id = $1',
      values: [deviceIds[0]],
    });
    await world.call(me, 'DELETE', `/v1/deviceOperations/${removed?.id}`);
    const before = await campaign(id);
    expect(before['ended']).toEqual(expect.any(String));
    expect((await post(`${id}/stop`, { andReturn: true })).body).toMatchObject({ state: 'Stopping' });
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({
      state: 'Stopped',
      returned: 3,
      stopReason: 'ada@example.com stopped the campaign and had it undone.',
    });
    expect(await present(deviceIds)).toEqual([]);
    const audits = `select count(*)::int as n from audit where entity = 'deviceOperations' and verb = 'delete' and before ->> 'deviceId' = any($1)`;
    expect(await world.system.db.query({ text: audits, values: [deviceIds] })).toEqual([{ n: 3 }]);
    // What was removed is no obstacle to the next campaign.
    const again = await started({ kind: 'AddOperations', deviceOperationIds: [source], deviceIds });
    expect(await campaign(again)).toMatchObject({ state: 'Done', done: 3 });
    expect((await present(deviceIds)).toSorted()).toEqual(deviceIds.toSorted());
  });
});

describe('a run of an operation that devices do not have', () => {
  const run = (deviceIds: readonly string[], more: object = {}) => ({
    kind: 'RunOperation',
    operationId: created.operationId,
    deviceIds,
    ...more,
  });

  it('adds it from its definition, with default values, and asks for the run', async () => {
    const deviceIds = await fleet('Bare ', 3);
    const body = { tenantId: home.tenantId, ...run(deviceIds, { addMissing: true }) };
    expect((await post('preview', body)).body).toMatchObject({ total: 3, unable: 0, offline: 3 });
    expect((await post('preview', { ...body, addMissing: false })).body).toMatchObject({ unable: 3 });
    const id = await started(run(deviceIds, { addMissing: true }));
    expect(await campaign(id)).toMatchObject({ title: 'Run Measure', waiting: 3 });
    const rows = await world.system.db.query({
      text: `select o.label, o.frequency_type_id, o.parameters, o.completion_token is not null as queued, i.install_status
        from device_operation o join device_installation i on i.device_id = o.device_id where o.device_id = any($1) group by 1, 2, 3, 4, 5`,
      values: [deviceIds],
    });
    const parameters = [{ Name: 'Path', Source: 1, Value: '/var' }];
    expect(rows).toEqual([{ label: 'Measure', frequency_type_id: 1, parameters, queued: true, install_status: 'InstallPending' }]);
    await started(run(deviceIds, { addMissing: true }));
    expect(await present(deviceIds)).toHaveLength(3);
    const labelled = await started(run(deviceIds, { addMissing: true, label: 'Measure twice' }));
    expect(await campaign(labelled)).toMatchObject({ title: 'Run Measure twice' });
    expect(await present(deviceIds)).toHaveLength(6);
  });

  it('is refused when a parameter needs a value, and fails where the device has it another way', async () => {
    const needy = await makePackage(world, {
      tenantId: home.tenantId,
      parameters: [{ Name: 'Host', Required: true, Source: 1, DefaultValue: '' }],
    });
    const deviceIds = await fleet('Needy ', 1);
    const answer = await post('start', {
      tenantId: home.tenantId,
      ...run(deviceIds, { addMissing: true, operationId: needy.operationId }),
    });
    expect([answer.status, answer.body['error']]).toMatchObject([
      400,
      {
        details: [
          {
            target: 'addMissing',
            message: 'Measure needs values: Host is required. Add it to one device with its values, and copy it from there.',
          },
        ],
      },
    ]);
    const choices = (await post('choices', { tenantId: home.tenantId, deviceIds })).body as {
      operations: { operationId: string; addable: boolean; devices: number }[];
    };
    expect(choices.operations.find((operation) => operation.operationId === needy.operationId)).toBeUndefined();
    expect(choices.operations.find((operation) => operation.operationId === created.operationId)).toMatchObject({
      addable: true,
      devices: 0,
    });
  });

  it('needs the right to create device operations', async () => {
    const deviceIds = await fleet('Right ', 1);
    const editor = { ...me, ...holder([home.tenantId], ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Devices:edit']) };
    const body = { tenantId: home.tenantId, ...run(deviceIds, { addMissing: true }) };
    expect((await post('start', body, editor)).status).toBe(403);
    expect((await post('start', { ...body, addMissing: false }, editor)).status).toBe(200);
  });
});
