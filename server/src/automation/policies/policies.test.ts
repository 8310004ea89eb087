/** Selections and policies over HTTP, with the work that follows them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptOf } from '../../testing/attempt.ts';
import { enrolDevice } from '../../testing/enrolled-device.ts';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { followSelections } from '../selections/follow.ts';
import { applyPoliciesJob, policyWork } from './apply.job.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let checks: CreatedPackage;
let ofAll: CreatedPackage;
const everybody = holder('all');

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
  const versions = [
    { version: '1.0.0', precedence: '1', status: 2 },
    { version: '1.1.0', precedence: '2', status: 1 },
    { version: '2.0.0', precedence: '3', status: 3 },
  ];
  checks = await makePackage(world, { tenantId: home.tenantId, name: 'Checks', versions });
  ofAll = await makePackage(world, { tenantId: null, name: 'For all' });
});
afterAll(() => world.close());

let count = 0;
const device = async (over: object = {}, where = home) =>
  String(
    (await createdRow('devices', { name: `host-${String((count += 1)).padStart(3, '0')}`, ...where, ...over }, everybody))['deviceId'],
  );
async function createdRow(resource: string, body: object, caller = me): Promise<Record<string, unknown>> {
  const answer = await world.call(caller, 'PUT', `/v1/${resource}`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
async function change(resource: string, id: string, body: object, caller = me): Promise<void> {
  const answer = await world.call(caller, 'POST', `/v1/${resource}/${id}`, body);
  expect(answer.status, answer.text).toBe(200);
}
const selection = async (filter: string, over: object = {}, caller = me) =>
  String(
    (await createdRow('deviceSelections', { name: `Selection ${(count += 1)}`, tenantId: home.tenantId, filter, ...over }, caller))[
      'deviceSelectionId'
    ],
  );
const policy = async (deviceSelectionId: string, over: object = {}, caller = me) =>
  String(
    (await createdRow('policies', { name: `Policy ${(count += 1)}`, tenantId: home.tenantId, deviceSelectionId, ...over }, caller))[
      'policyId'
    ],
  );
const members = async (id: string, caller = me) =>
  ((await world.call(caller, 'GET', `/v1/selectionMembers?$filter=deviceSelectionId eq ${id}`)).body.value ?? [])
    .map((row) => String(row['deviceId']))
    .toSorted();
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;

/** Does what the periodic work and its jobs do within a second or two. */
async function settle(): Promise<void> {
  const job = applyPoliciesJob(world.database);
  for (let round = 0; round < 3; round += 1) {
    await followSelections(world.database, world.system.log, true);
    await policyWork.run(world.system.db);
    const jobs = await world.system.db.query<{ payload: unknown }>({
      text: "delete from job where name = 'apply-policies' returning payload",
    });
    for (const { payload } of jobs) await job.run(world.system, payload, attemptOf());
  }
}
interface DeviceOperation {
  deviceOperationId: string;
  label: string;
  enabled: boolean;
  interval: string;
}
const operations = async (deviceId: string) =>
  ((await world.call(everybody, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${deviceId}&$orderby=label`)).body.value ??
    []) as unknown as DeviceOperation[];
const field = async (deviceId: string, name: string) => (await world.call(everybody, 'GET', `/v1/devices/${deviceId}`)).body[name];
interface State {
  isPending: boolean;
  exceptions: object[];
  selections: { name: string; because: string[]; since: string }[];
  items: {
    key: string;
    kind: string;
    label: string;
    value: string;
    state: string;
    detail: string | null;
    mended: number;
    policyName: string;
    over: string[];
  }[];
}
const stateOf = async (deviceId: string, caller = me) =>
  (await world.call(caller, 'GET', `/v1/devices/${deviceId}/policyState`)).body as unknown as State;
const wished = async (deviceId: string, packageId: string) =>
  ((await world.call(everybody, 'GET', `/v1/deviceInstallations?$filter=deviceId eq ${deviceId} and packageId eq ${packageId}`)).body
    .value ?? [])[0]?.['packageVersionId'];
const measure = () => ({ operationId: checks.operationId, label: 'Disk', frequencyTypeId: 2, interval: '00:01:00', parameters: [] });

describe('selections', () => {
  it('have their devices when they are saved, and follow what changes', async () => {
    const [web, plain] = [await device({ tags: 'web, prod' }), await device()];
    const id = await selection("contains(tags,'web') and enabled eq true");
    expect(await members(id)).toEqual([web]);
    await change('devices', plain, { tags: 'web' });
    await followSelections(world.database, world.system.log, false);
    expect(await members(id)).toEqual([web, plain].toSorted());
    await change('devices', web, { enabled: false });
    await followSelections(world.database, world.system.log, false);
    expect(await members(id)).toEqual([plain]);
    await change('deviceSelections', id, { filter: 'enabled eq false' });
    expect(await members(id)).toContain(web);
    expect((await world.call(everybody, 'DELETE', `/v1/devices/${web}`)).status).toBe(204);
    await followSelections(world.database, world.system.log, false);
    expect(await members(id)).not.toContain(web);
  });

  it('follow what a filter says of another entity, and of operations', async () => {
    const location = String((await createdRow('locations', { name: 'Berlin', tenantId: home.tenantId }))['locationId']);
    const there = await device({ locationId: location });
    const [byPlace, byOperation] = [
      await selection("location/name eq 'Hamburg'"),
      await selection(`operations/any(o:o/operationId eq ${checks.operationId} and o/enabled eq true)`),
    ];
    expect([await members(byPlace), await members(byOperation)]).toEqual([[], []]);
    await change('locations', location, { name: 'Hamburg' });
    const { deviceOperationId } = await createdRow('deviceOperations', { deviceId: there, ...measure(), enabled: true });
    await followSelections(world.database, world.system.log, false);
    expect([await members(byPlace), await members(byOperation)]).toEqual([[there], [there]]);
    const below = await device({ parentDeviceId: there });
    const byParent = await selection(`parentDevice/operations/any(o:o/enabled eq true)`);
    expect(await members(byParent)).toEqual([below]);
    await change('deviceOperations', String(deviceOperationId), { enabled: false });
    await followSelections(world.database, world.system.log, false);
    expect([await members(byOperation), await members(byParent)]).toEqual([[], []]);
    const place = String((await createdRow('locations', { name: 'Closing', tenantId: home.tenantId }))['locationId']);
    const byId = await selection(`locationId eq ${place}`);
    expect((await world.call(me, 'DELETE', `/v1/locations/${place}`)).status).toBe(204);
    await followSelections(world.database, world.system.log, false);
    const { problem } = (await world.call(me, 'GET', `/v1/deviceSelections/${byId}`)).body;
    expect(problem).toBe(`The filter names ${place}, which is not there. Take that condition out, or name another one.`);
    const again = await world.call(me, 'PUT', '/v1/deviceSelections', {
      name: 'Again',
      tenantId: home.tenantId,
      filter: `locationId eq ${place}`,
    });
    expect(details(again)).toMatchObject([{ target: 'filter', message: problem }]);
  });

  it('never have the devices of another tenant, nor show them', async () => {
    const [mine, theirs] = [await device({ tags: 'shared' }), await device({ tags: 'shared' }, other)];
    const filter = "contains(tags,'shared')";
    const ownSelection = await selection(filter);
    expect(await members(ownSelection, everybody)).toEqual([mine]);
    const all = await selection(filter, { tenantId: null }, everybody);
    expect(await members(all, everybody)).toEqual([mine, theirs].toSorted());
    expect(await members(all)).toEqual([mine]);
    const group = String(
      (await createdRow('tenantGroups', { name: `Group ${(count += 1)}`, tenantIds: [other.tenantId] }, everybody))['tenantGroupId'],
    );
    const ofGroup = await selection(filter, { tenantId: null, tenantGroupId: group }, everybody);
    expect(await members(ofGroup, everybody)).toEqual([theirs]);
    expect((await world.call(me, 'GET', `/v1/deviceSelections/${ofGroup}`)).status).toBe(404);
    await change('tenantGroups', group, { tenantIds: [home.tenantId] }, everybody);
    await followSelections(world.database, world.system.log, false);
    expect(await members(ofGroup, everybody)).toEqual([mine]);
    const preview = (caller: TestCaller | null, body: object) => world.call(caller, 'POST', '/v1/deviceSelections/preview', body);
    expect((await preview(me, { filter })).body).toMatchObject({ count: 1, devices: [{ deviceId: mine }] });
    expect((await preview(everybody, { filter })).body).toMatchObject({ count: 2 });
    expect((await preview(null, { filter })).status).toBe(401);
    expect((await preview(holder([home.tenantId], []), { filter })).status).toBe(403);
  });

  it('say what is wrong with a filter', async () => {
    const refused = async (filter: string) => {
      const body = { name: 'Wrong', tenantId: home.tenantId, filter };
      const saved = details(await world.call(me, 'PUT', '/v1/deviceSelections', body));
      const shown = details(await world.call(me, 'POST', '/v1/deviceSelections/preview', { tenantId: home.tenantId, filter }));
      expect(shown[0]).toEqual(saved[0]);
      return saved[0];
    };
    expect(await refused('nmae eq 1')).toMatchObject({ target: 'filter', message: expect.stringContaining('nmae') as unknown });
    expect(await refused('enabled eq')).toMatchObject({ target: 'filter' });
    expect(await refused('selections/any(s:true)')).toMatchObject({ message: expect.stringContaining('no other selection') as unknown });
  });

  it('filter lists of devices, and say since when and why a device is in', async () => {
    const id = await selection("(contains(tags,'alpha') or contains(tags,'beta')) and enabled eq true");
    const one = await device({ tags: 'beta' });
    await followSelections(world.database, world.system.log, false);
    const { body } = await world.call(me, 'GET', `/v1/devices?$filter=selections/any(s:s/deviceSelectionId eq ${id})`);
    expect(body.value?.map((row) => row['deviceId'])).toEqual([one]);
    const { selections } = await stateOf(one);
    expect(selections.find(({ because }) => because.some((text) => text.includes('beta')))?.because).toEqual([
      "contains(tags,'beta')",
      'enabled eq true',
    ]);
    expect((await world.call(holder([other.tenantId]), 'GET', `/v1/devices/${one}/policyState`)).status).toBe(404);
  });
});

describe('policies', () => {
  it('give devices that join what they say, and take it from devices that leave', async () => {
    const id = await selection("contains(tags,'managed-a')");
    await policy(id, {
      name: 'Managed A',
      operations: [measure()],
      packages: [{ packageId: ofAll.packageId }],
      tags: 'watched',
      heartbeatInterval: 120,
      ruleValues: 'maxTemp = 70',
    });
    const one = await device({ tags: 'managed-a', ruleValues: 'room = 4' });
    await settle();
    expect(await operations(one)).toMatchObject([{ label: 'Disk', enabled: true, interval: '00:01:00' }]);
    expect([await field(one, 'tags'), await field(one, 'heartbeatInterval'), await field(one, 'ruleValues')]).toEqual([
      'managed-a, watched',
      120,
      'room = 4\nmaxTemp = 70',
    ]);
    expect(await wished(one, checks.packageId)).toBe(checks.versions['1.1.0']);
    expect(await wished(one, ofAll.packageId)).toBe(ofAll.versions['1.0.0']);
    const state = await stateOf(one);
    expect(state.isPending).toBe(false);
    expect(state.items.map(({ label, state: is, policyName }) => `${label} ${is} ${policyName}`).toSorted()).toEqual(
      ['Disk', 'For all', 'Heartbeat', 'maxTemp', 'watched'].map((label) => `${label} Set Managed A`).toSorted(),
    );
    await change('devices', one, { tags: 'watched' });
    await settle();
    expect(await operations(one)).toEqual([]);
    expect([await field(one, 'tags'), await field(one, 'heartbeatInterval'), await field(one, 'ruleValues')]).toEqual([
      null,
      60,
      'room = 4',
    ]);
    expect(await wished(one, ofAll.packageId)).toBeUndefined();
    expect((await stateOf(one)).items).toEqual([]);
  });

  it('give back what a device had before, and leave what is not theirs', async () => {
    const one = await device({ tags: 'managed-b, watched', heartbeatInterval: 30 });
    const local = await createdRow('deviceOperations', { deviceId: one, ...measure(), label: 'Mine', enabled: true });
    await createdRow('deviceOperations', { deviceId: one, ...measure(), interval: '00:10:00', enabled: false });
    const id = await selection("contains(tags,'managed-b')");
    const policyId = await policy(id, { operations: [measure()], tags: 'watched', heartbeatInterval: 90 });
    await settle();
    expect(await operations(one)).toMatchObject([
      { label: 'Disk', enabled: true, interval: '00:01:00' },
      { label: 'Mine', deviceOperationId: local['deviceOperationId'] },
    ]);
    expect((await world.call(me, 'DELETE', `/v1/policies/${policyId}`)).status).toBe(204);
    await settle();
    expect(await operations(one)).toMatchObject([
      { label: 'Disk', enabled: false, interval: '00:10:00' },
      { label: 'Mine', enabled: true },
    ]);
    expect([await field(one, 'tags'), await field(one, 'heartbeatInterval')]).toEqual(['managed-b, watched', 30]);
  });

  it('leave devices what they have when they say so', async () => {
    const one = await device({ tags: 'managed-c' });
    await policy(await selection("contains(tags,'managed-c')"), { operations: [measure()], heartbeatInterval: 90, onLeave: 'Keep' });
    await settle();
    await change('devices', one, { tags: '' });
    await settle();
    expect([(await operations(one)).length, await field(one, 'heartbeatInterval')]).toEqual([1, 90]);
    const states = async () => (await stateOf(one)).items.map(({ kind, state }) => `${kind} ${state}`);
    expect(await states()).toEqual(['Heartbeat Kept', 'Operation Kept']);
    await change('devices', one, { tags: 'managed-c' });
    await settle();
    expect(await states()).toEqual(['Heartbeat Set', 'Operation Set']);
  });

  it('set again what somebody changes, and count that, but change nothing that is as it should be', async () => {
    const one = await device({ tags: 'managed-d' });
    const policyId = await policy(await selection("contains(tags,'managed-d')"), { operations: [measure()], tags: 'fixed' });
    await settle();
    const [row] = await operations(one);
    const audits = async () =>
      Number(
        (await world.call(everybody, 'GET', `/v1/audit?$filter=entityId eq '${row?.deviceOperationId}'&$count=true&$top=0`)).body[
          '@odata.count'
        ],
      );
    const before = await audits();
    await settle();
    expect(await audits()).toBe(before);
    await change('deviceOperations', row?.deviceOperationId ?? '', { enabled: false });
    await change('devices', one, { tags: 'managed-d' });
    await settle();
    expect(await operations(one)).toMatchObject([{ enabled: true, deviceOperationId: row?.deviceOperationId }]);
    expect(await field(one, 'tags')).toBe('managed-d, fixed');
    expect((await stateOf(one)).items.map(({ label, mended }) => [label, mended])).toEqual([
      ['Disk', 1],
      ['fixed', 1],
    ]);
    expect((await world.call(me, 'DELETE', `/v1/deviceOperations/${row?.deviceOperationId}`)).status).toBe(204);
    await settle();
    expect(await operations(one)).toMatchObject([{ label: 'Disk', enabled: true }]);
    // A change of the policy is none that somebody has made on the device.
    await change('policies', policyId, { operations: [{ ...measure(), interval: '00:02:00' }] });
    await settle();
    expect((await stateOf(one)).items.find(({ label }) => label === 'Disk')).toMatchObject({ value: '00:02:00', mended: 2 });
    expect((await operations(one))[0]?.interval).toBe('00:02:00');
  });

  it('disable other operations where they say so, and only there', async () => {
    const one = await device({ tags: 'managed-j' });
    const local = await createdRow('deviceOperations', { deviceId: one, ...measure(), label: 'Mine', enabled: true });
    const off = await createdRow('deviceOperations', { deviceId: one, ...measure(), label: 'Off before', enabled: false });
    const policyId = await policy(await selection("contains(tags,'managed-j')"), { operations: [measure()], forbidsOthers: true });
    await settle();
    const enabled = async () => (await operations(one)).map((row) => `${row.label} ${row.enabled}`);
    expect(await enabled()).toEqual(['Disk true', 'Mine false', 'Off before false']);
    await change('deviceOperations', String(local['deviceOperationId']), { enabled: true });
    await settle();
    expect(await enabled()).toEqual(['Disk true', 'Mine false', 'Off before false']);
    await change('policies', policyId, { forbidsOthers: false });
    await settle();
    expect(await enabled()).toEqual(['Disk true', 'Mine true', 'Off before false']);
    expect(off['enabled']).toBe(false);
  });

  it('make exceptions of a device from a policy or from one thing of it, until they end', async () => {
    const one = await device({ tags: 'managed-x', heartbeatInterval: 30 });
    const id = await selection("contains(tags,'managed-x')");
    const policyId = await policy(id, { name: 'Strict', operations: [measure()], heartbeatInterval: 90, onLeave: 'Keep' });
    await settle();
    const has = async () => [await field(one, 'heartbeatInterval'), (await operations(one)).length];
    expect(await has()).toEqual([90, 1]);
    const body = { policyId, deviceId: one, reason: 'A slow link' };
    const refused = async (over: object, caller = me) =>
      (await world.call(caller, 'PUT', '/v1/policyExceptions', { ...body, ...over })).text;
    expect(await refused({ thing: 'Heartbeats' })).toContain('Strict does not set this.');
    expect(await refused({ until: '2020-01-01T00:00:00.000Z' })).toContain('The end of an exception is in the future.');
    expect(await refused({ reason: '' })).toContain('Reason is required');
    expect(await refused({ deviceId: await device({}, other) })).toContain('Device was not found.');
    expect(await refused({}, holder([other.tenantId]))).toContain('was not found');
    const beat = await createdRow('policyExceptions', { ...body, thing: 'Heartbeat' });
    expect(beat).toMatchObject({ tenantId: home.tenantId, label: 'Heartbeat' });
    expect(await refused({})).toContain('This is excepted already: A slow link.');
    await settle();
    expect(await has()).toEqual([30, 1]);
    const preview = await world.call(me, 'POST', '/v1/policies/preview', {
      policyId,
      tenantId: home.tenantId,
      deviceSelectionId: id,
      operations: [measure()],
      heartbeatInterval: 10,
    });
    expect(preview.body).toMatchObject({ devices: 1, changes: [] });
    expect((await world.call(me, 'DELETE', `/v1/policyExceptions/${String(beat['policyExceptionId'])}`)).status).toBe(204);
    const all = await createdRow('policyExceptions', { ...body, until: new Date(Date.now() + 3_600_000).toISOString() });
    await settle();
    expect(await has()).toEqual([30, 0]);
    expect((await stateOf(one)).exceptions).toMatchObject([{ policyName: 'Strict', label: null, reason: 'A slow link' }]);
    await world.system.db.query({
      text: `update policy_exception set until = now() - interval '1 second' where policy_exception_id = $1`,
      values: [all['policyExceptionId']],
    });
    await settle();
    expect(await has()).toEqual([90, 1]);
  });

  it('are put in another order, which says before whose things devices have then', async () => {
    const both = await device({ name: 'both-sides', tags: 'managed-o, managed-p' });
    const [low, high] = [
      await policy(await selection("contains(tags,'managed-o')"), { name: 'Low', rank: 700, heartbeatInterval: 70 }),
      await policy(await selection("contains(tags,'managed-p')"), { name: 'High', rank: 600, heartbeatInterval: 60 }),
    ];
    const global = await policy(
      await selection("contains(tags,'managed-o')", { tenantId: null }, everybody),
      { name: 'Of all', tenantId: null, rank: 650, tags: 'global' },
      everybody,
    );
    await settle();
    expect(await field(both, 'heartbeatInterval')).toBe(60);
    const order = (policyIds: readonly string[], path = '', caller = me) =>
      world.call(caller, 'POST', `/v1/policies/order${path}`, { policyIds });
    expect((await order([low, high, global], '/preview')).body).toMatchObject({
      ranks: [{ name: 'Low', before: 700 }],
      changes: [{ kind: 'Heartbeat', devices: 1, names: ['both-sides'], policyName: 'Low', insteadOf: 'High' }],
    });
    expect(await field(both, 'heartbeatInterval')).toBe(60);
    expect((await order([low, low])).text).toContain('twice');
    expect((await order([low, global], '', holder([other.tenantId]))).text).toContain('was not found');
    expect((await order([low, high, global])).body).toEqual({ changed: 1 });
    await settle();
    expect(await field(both, 'heartbeatInterval')).toBe(70);
    expect((await order([low, high, global])).body).toEqual({ changed: 0 });
    // The policy of all stays where it is; the others move around it.
    await order([low, global, high]);
    expect((await world.call(everybody, 'GET', `/v1/policies/${global}`)).body['rank']).toBe(650);
  });

  it('follow the tenants of their group, which stays while something is for it', async () => {
    const one = await device({ tags: 'managed-g' });
    const group = String(
      (await createdRow('tenantGroups', { name: `Group ${(count += 1)}`, tenantIds: [other.tenantId] }, everybody))['tenantGroupId'],
    );
    const ofAll = await selection("contains(tags,'managed-g')", { tenantId: null }, everybody);
    const place = { tenantId: null, tenantGroupId: group };
    const policyId = await policy(ofAll, { ...place, name: 'Of a group', heartbeatInterval: 15 }, everybody);
    await settle();
    expect(await field(one, 'heartbeatInterval')).toBe(60);
    await change('tenantGroups', group, { tenantIds: [home.tenantId] }, everybody);
    await settle();
    expect(await field(one, 'heartbeatInterval')).toBe(15);
    const remove = (path: string) => world.call(everybody, 'DELETE', `/v1/${path}`);
    expect((await remove(`tenantGroups/${group}`)).text).toContain('Policies are for this group: Of a group.');
    const tile = { id: 'a', title: '', x: 0, y: 0, w: 4, h: 4, kind: 'devices', scope: { selection: ofAll } };
    const board = { name: 'Wall', tenantId: home.tenantId, sharing: 'Everybody changes it', tiles: [tile] };
    const { dashboardId } = await createdRow('dashboards', board, everybody);
    expect((await remove(`policies/${policyId}`)).status).toBe(204);
    await settle();
    expect(await field(one, 'heartbeatInterval')).toBe(60);
    expect((await remove(`tenantGroups/${group}`)).status).toBe(204);
    expect((await remove(`deviceSelections/${ofAll}`)).text).toContain('Dashboards are for this selection: Wall.');
    expect((await remove(`dashboards/${String(dashboardId)}`)).status).toBe(204);
    expect((await remove(`deviceSelections/${ofAll}`)).status).toBe(204);
  });

  it('are compared again on request, of one device or all, without waiting for the next attempt', async () => {
    const [one, two] = [await device({ tags: 'managed-m' }), await device({ tags: 'managed-m' })];
    const policyId = await policy(await selection("contains(tags,'managed-m')"), { heartbeatInterval: 45 });
    await settle();
    const late = `insert into policy_check (device_id, tenant_id, due, attempts, problem) values ($1, $2, now() + interval '1 hour', 9, 'It failed.')`;
    for (const id of [one, two]) await world.system.db.query({ text: late, values: [id, home.tenantId] });
    const mend = (body: object, caller = me) => world.call(caller, 'POST', `/v1/policies/${policyId}/mend`, body);
    expect((await mend({}, holder([other.tenantId]))).status).toBe(404);
    expect((await mend({}, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await mend({ deviceId: await device() })).text).toContain('has nothing from');
    expect((await mend({ deviceId: one })).body).toEqual({ devices: 1 });
    await settle();
    expect([(await stateOf(one)).isPending, (await stateOf(two)).isPending]).toEqual([false, true]);
    expect((await mend({})).body).toEqual({ devices: 2 });
    await settle();
    const audit = await world.call(everybody, 'GET', `/v1/audit?$filter=entityId eq '${policyId}' and verb eq 'mend'`);
    expect([audit.body.value?.length, (await stateOf(two)).isPending]).toEqual([2, false]);
  });

  it('yield to the policy with the lower number, which the preview says before', async () => {
    const [first, second] = [await device({ tags: 'managed-e, db' }), await device({ tags: 'managed-e' })];
    const [all, databases] = [
      await selection("contains(tags,'managed-e')"),
      await selection("contains(tags,'managed-e') and contains(tags,'db')"),
    ];
    await policy(all, { name: 'Every host', heartbeatInterval: 300, operations: [measure()] });
    await settle();
    const draft = { tenantId: home.tenantId, deviceSelectionId: databases, rank: 50, heartbeatInterval: 30, tags: 'sql' };
    const preview = async (body: object, caller: TestCaller | null = me) => world.call(caller, 'POST', '/v1/policies/preview', body);
    expect((await preview(draft)).body).toMatchObject({
      devices: 1,
      before: 0,
      gains: [{ kind: 'Tag', label: 'sql', devices: 1 }],
      changes: [{ kind: 'Heartbeat', devices: 1 }],
      losses: [],
      conflicts: [{ kind: 'Heartbeat', devices: 1, policyName: 'Every host', wins: true }],
    });
    expect((await preview({ ...draft, rank: 200 })).body).toMatchObject({ changes: [], conflicts: [{ wins: false }] });
    expect((await preview(draft, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await preview(draft, holder([other.tenantId]))).status).toBe(403);
    const policyId = await policy(databases, { name: 'Databases', rank: 50, heartbeatInterval: 30, tags: 'sql' });
    await settle();
    expect([await field(first, 'heartbeatInterval'), await field(second, 'heartbeatInterval')]).toEqual([30, 300]);
    expect((await stateOf(first)).items.find(({ kind }) => kind === 'Heartbeat')).toMatchObject({
      policyName: 'Databases',
      over: ['Every host'],
    });
    expect((await preview({ ...draft, policyId, enabled: false })).body).toMatchObject({
      devices: 0,
      before: 1,
      losses: [{ kind: 'Tag', label: 'sql', devices: 1 }],
      changes: [{ kind: 'Heartbeat', devices: 1 }],
    });
    await change('policies', policyId, { enabled: false });
    await settle();
    // What the winning policy had found before it is what the other one gives back.
    expect([await field(first, 'heartbeatInterval'), await field(first, 'tags')]).toEqual([300, 'managed-e, db']);
  });

  it('say on the device what could not be set, and set the rest', async () => {
    const windows = await makePackage(world, { tenantId: home.tenantId, name: 'For Windows', rids: 1 });
    const one = await device({ tags: 'managed-f', operatingSystemId: 4 });
    await policy(await selection("contains(tags,'managed-f')"), {
      operations: [{ ...measure(), operationId: windows.operationId, label: 'Event log' }, measure()],
      packages: [{ packageId: windows.packageId }],
    });
    await settle();
    expect((await stateOf(one)).items.map(({ label, state, detail }) => [label, state, detail]).toSorted()).toEqual([
      ['Disk', 'Set', null],
      ['Event log', 'Failed', "The operation's package does not run on the operating system of the device."],
      ['For Windows', 'Failed', 'No release of the package is for this device. Upload one, or trust its publisher.'],
    ]);
    expect(await operations(one)).toMatchObject([{ label: 'Disk' }]);
  });

  it('say what is wrong with them', async () => {
    const id = await selection("name eq 'nobody'");
    const refused = async (body: object, caller = me) => {
      const answer = await world.call(caller, 'PUT', '/v1/policies', {
        name: 'Wrong',
        tenantId: home.tenantId,
        deviceSelectionId: id,
        ...body,
      });
      return answer.status === 400 ? details(answer)[0] : answer.status;
    };
    expect(await refused({})).toMatchObject({ target: 'operations', message: expect.stringContaining('Say what') as unknown });
    expect(await refused({ operations: [{ ...measure(), frequencyTypeId: 3 }] })).toMatchObject({
      target: 'operations[0].frequencyTypeId',
    });
    expect(await refused({ operations: [{ ...measure(), parameters: [{ Name: 'No', Source: 1, Value: '1' }] }] })).toMatchObject({
      target: 'operations[0].parameters',
      message: 'Disk: The operation has no parameter No.',
    });
    expect(await refused({ operations: [measure(), { ...measure(), label: 'DISK' }] })).toMatchObject({ target: 'operations[1].label' });
    expect(await refused({ packages: [{ packageId: home.tenantId }] })).toMatchObject({ target: 'packages[0].packageId' });
    expect(await refused({ ruleValues: 'nonsense' })).toMatchObject({ target: 'ruleValues' });
    const many = { tenantId: null, deviceSelectionId: await selection("name eq 'nobody'", { tenantId: null }, everybody) };
    expect(await refused({ ...many, tags: 'x' })).toBe(403);
    expect(await refused({ ...many, operations: [measure()] }, everybody)).toMatchObject({ target: 'operations[0].operationId' });
    expect(await refused({ ...many, deviceSelectionId: id, tags: 'x' }, everybody)).toMatchObject({ target: 'deviceSelectionId' });
    const lesser = holder([home.tenantId], ['CloudFit.CFS.Devices:edit', 'CloudFit.CFS.Devices:view']);
    const mine = await policy(id, { tags: 'x' });
    expect((await world.call(lesser, 'POST', `/v1/policies/${mine}`, { operations: [measure()] })).status).toBe(400);
    expect(details(await world.call(me, 'DELETE', `/v1/deviceSelections/${id}`))[0]?.message).toContain('Policies are for this selection');
  });

  it('of all tenants hold in each, and one that fails on a device keeps no other from its own', async () => {
    const [mine, theirs] = [await device({ tags: 'everywhere' }), await device({ tags: 'everywhere' }, other)];
    const id = await selection("contains(tags,'everywhere')", { tenantId: null }, everybody);
    const policyId = await policy(
      id,
      { tenantId: null, tags: 'ours', operations: [{ ...measure(), operationId: ofAll.operationId }] },
      everybody,
    );
    // A tag that does not fit makes the write of the fields fail on this device alone.
    await change('devices', theirs, { tags: `everywhere, ${'x'.repeat(486)}` }, everybody);
    await settle();
    expect([await field(mine, 'tags'), (await operations(mine)).length, (await operations(theirs)).length]).toEqual([
      'everywhere, ours',
      1,
      1,
    ]);
    expect((await stateOf(theirs, everybody)).items.find(({ kind }) => kind === 'Tag')).toMatchObject({
      state: 'Failed',
      detail: 'Tags is at most 500 characters.',
    });
    expect((await world.call(me, 'GET', `/v1/policyItems?$filter=policyId eq ${policyId}`)).body.value).toHaveLength(2);
    expect((await world.call(everybody, 'DELETE', `/v1/policies/${policyId}`)).status).toBe(204);
    await settle();
    expect([(await operations(mine)).length, (await operations(theirs)).length]).toEqual([0, 0]);
  });

  it('act once when two workers compare the same device', async () => {
    const one = await device({ tags: 'managed-g' });
    await policy(await selection("contains(tags,'managed-g')"), { operations: [measure()], tags: 'twice' });
    const job = applyPoliciesJob(world.database);
    await Promise.all([1, 2, 3].map(() => job.run(world.system, { tenantId: home.tenantId }, attemptOf())));
    expect(await operations(one)).toHaveLength(1);
    expect(await field(one, 'tags')).toBe('managed-g, twice');
    expect((await stateOf(one)).items.map(({ mended }) => mended)).toEqual([0, 0]);
  });

  it('reach a machine when it enrols, with the package that the operation needs', async () => {
    await policy(await selection("startswith(name,'edge-')"), { operations: [measure()], tags: 'edge' });
    const machine = await enrolDevice(world, home, { machineName: 'edge-7' });
    await settle();
    expect((await operations(machine.deviceId)).map(({ label }) => label)).toContain('Disk');
    expect(await wished(machine.deviceId, checks.packageId)).toBe(checks.versions['1.1.0']);
  });

  it('whose comparison breaks on one device wait there, undo what they began, and are repeated later', async () => {
    const [broken, fine] = [await device({ tags: 'managed-h' }), await device({ tags: 'managed-i' })];
    const policyId = await policy(await selection("contains(tags,'managed-h')"), { operations: [measure()] });
    await policy(await selection("contains(tags,'managed-i')"), { operations: [measure()] });
    // The operation is added first; then the rest of the comparison fails.
    await world.system.db.query({
      text: "update device_policy set operations = operations || jsonb_build_array(jsonb_build_object('operationId', $2::text, 'label', 'Broken')) where policy_id = $1",
      values: [policyId, checks.operationId],
    });
    await settle();
    expect([(await operations(broken)).length, (await operations(fine)).length]).toEqual([0, 1]);
    expect(await stateOf(broken)).toMatchObject({ isPending: true, problem: expect.any(String) as unknown, items: [] });
    await change('policies', policyId, { operations: [measure()] });
    await settle();
    expect(await operations(broken)).toHaveLength(1);
    expect(await stateOf(broken)).toMatchObject({ isPending: false, problem: null });
  });
});
