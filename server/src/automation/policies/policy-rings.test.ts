/** A new version of a policy in rings: who has it when, its gate, its end, and the way back. */
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { workCampaigns } from '../../testing/work-campaigns.ts';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { followSelections } from '../selections/follow.ts';
import { applyPoliciesJob, policyWork } from './apply.job.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let everybody: TestCaller;
let checks: CreatedPackage;

/** A person whose rights can be looked up while a campaign works. */
async function person(userName: string, tenantId: string | null): Promise<TestCaller> {
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with s as (insert into permission_set (name, permissions) values ($1, $2) returning permission_set_id),
      p as (insert into person (name, user_name) values ($1, $1) returning person_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $3 from p, s)
      select person_id as id from p`,
    values: [userName, JSON.stringify(allPermissions), tenantId],
  });
  const who = holder(tenantId === null ? 'all' : [tenantId]);
  return { ...who, actor: { kind: 'person', id: row?.id ?? '', name: userName, userName } };
}

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = await person('ada@example.com', home.tenantId);
  everybody = await person('root@example.com', null);
  checks = await makePackage(world, { tenantId: home.tenantId, name: 'Checks' });
});
afterAll(() => world.close());

async function createdRow(resource: string, body: object, caller: TestCaller): Promise<Record<string, unknown>> {
  const answer = await world.call(caller, 'PUT', `/v1/${resource}`, body);
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  return answer.body;
}
async function fleet(tag: string, count: number, where = home): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.push(String((await createdRow('devices', { name: `${tag} ${n} ${randomUUID()}`, tags: tag, ...where }, everybody))['deviceId']));
  return ids;
}
/** Does what the periodic work and its jobs do within a second or two. */
async function settle(): Promise<void> {
  const job = applyPoliciesJob(world.database);
  for (let round = 0; round < 2; round += 1) {
    await followSelections(world.database, world.system.log, true);
    await workCampaigns(world.system);
    await policyWork.run(world.system.db);
    const jobs = await world.system.db.query<{ payload: unknown }>({
      text: "delete from job where name = 'apply-policies' returning payload",
    });
    for (const { payload } of jobs) await job.run(world.system, payload, attemptOf());
    await workCampaigns(world.system);
  }
}
interface Saved {
  policyId: string;
  selectionId: string;
  tag: string;
}
async function policy(
  over: object,
  { caller = me, tenantId = home.tenantId as string | null, count = 4 } = {},
): Promise<Saved & { devices: string[] }> {
  const tag = `t${randomUUID().slice(0, 8)}`;
  const devices = await fleet(tag, count);
  const filter = `contains(tags,'${tag}')`;
  const { deviceSelectionId } = await createdRow('deviceSelections', { name: tag, tenantId, filter }, caller);
  const body = { name: `Policy ${tag}`, tenantId, deviceSelectionId, ...over };
  const { policyId } = await createdRow('policies', body, caller);
  await settle();
  return { policyId: String(policyId), selectionId: String(deviceSelectionId), tag, devices };
}
const start = (policyId: string | null, fields: object, more: object = {}, caller = me) =>
  world.call(caller, 'POST', '/v1/policies/rollOut', { policyId, policy: fields, rings: [{ share: 25 }], ...more });
async function started(policyId: string | null, fields: object, more: object = {}, caller = me): Promise<string> {
  const answer = await start(policyId, fields, more, caller);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  await settle();
  return String(answer.body['campaignId']);
}
const campaign = async (id: string, caller = everybody) => (await world.call(caller, 'GET', `/v1/campaigns(${id})`)).body;
const change = (id: string, path: string, more: object = {}, caller = me) =>
  world.call(caller, 'POST', `/v1/campaigns/${id}/${path}`, more);
const stored = async (id: string) => (await world.call(everybody, 'GET', `/v1/policies(${id})`)).body;
const heartbeats = async (devices: readonly string[]) => {
  const rows = await world.system.db.query<{ id: string; seconds: number }>({
    text: 'select device_id as id, heartbeat_interval as seconds from device where device_id = any($1)',
    values: [devices],
  });
  return devices.map((device) => rows.find(({ id }) => id === device)?.seconds);
};
const ofRing = async (id: string, ring: number) =>
  (
    await world.system.db.query<{ id: string }>({
      text: 'select device_id as id from campaign_device where campaign_id = $1 and ring = $2 order by device_id',
      values: [id, ring],
    })
  ).map((row) => row.id);
const outcomes = async (id: string) =>
  Object.fromEntries(
    (
      await world.system.db.query<{ outcome: string; n: number }>({
        text: 'select outcome, count(*)::int as n from campaign_device where campaign_id = $1 group by 1',
        values: [id],
      })
    ).map(({ outcome, n }) => [outcome, n]),
  );
const messageOf = ({ body }: WorldReply) => {
  const { message, details = [] } = body['error'] as { message: string; details?: { target: string; message: string }[] };
  return details[0] ? `${details[0].target}: ${details[0].message}` : message;
};
const later = (ms: number) =>
  world.system.db.query({
    text: `update campaign set ring_passed = ring_passed - make_interval(secs => $1::int / 1000) where ended is null`,
    values: [ms],
  });

describe('a new version of a policy', () => {
  it('reaches ring after ring, waits for its pause, is saved at the end, and can be taken back afterwards', async () => {
    const { policyId, devices } = await policy({ heartbeatInterval: 60 });
    expect(await heartbeats(devices)).toEqual([60, 60, 60, 60]);
    const id = await started(policyId, { heartbeatInterval: 20 }, { pauseMinutes: 30 });
    const [first = ''] = await ofRing(id, 0);
    const rest = await ofRing(id, 1);
    expect(await heartbeats([first, ...rest])).toEqual([20, 60, 60, 60]);
    expect(await campaign(id)).toMatchObject({ kind: 'ChangePolicy', state: 'Running', ring: 0, ringPassed: expect.any(String), total: 4 });
    expect((await stored(policyId))['heartbeatInterval']).toBe(60);
    // What somebody changes on a device of the ring is set again as its version says.
    await world.call(me, 'POST', `/v1/devices/${first}`, { heartbeatInterval: 99 });
    await settle();
    expect(await heartbeats([first, ...rest])).toEqual([20, 60, 60, 60]);
    const state = (await world.call(me, 'GET', `/v1/devices/${first}/policyState`)).body as unknown as {
      policies: { rollout: object }[];
      items: { mended: number; value: string }[];
    };
    expect(state.policies[0]?.rollout).toEqual({ campaignId: id, ring: 0, hasNew: true });
    expect(state.items[0]).toMatchObject({ mended: 1, value: '20' });
    await later(31 * 60_000);
    await settle();
    await settle();
    await later(31 * 60_000);
    await settle();
    expect(await heartbeats(devices)).toEqual([20, 20, 20, 20]);
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 4, ring: 1 });
    expect(await stored(policyId)).toMatchObject({ heartbeatInterval: 20 });
    const edits = await world.system.db.query({
      text: `select actor_name from audit where entity = 'policies' and entity_id = $1 and verb = 'update'`,
      values: [policyId],
    });
    expect(edits).toHaveLength(1);
    expect((await change(id, 'stop')).status).toBe(409);
    expect((await change(id, 'stop', { andReturn: true })).body).toMatchObject({ state: 'Stopped', returned: 4 });
    await settle();
    expect(await heartbeats(devices)).toEqual([60, 60, 60, 60]);
    expect((await change(id, 'stop', { andReturn: true })).status).toBe(409);
  });

  it('goes back by itself where a ring fails, and says why', async () => {
    const { policyId, devices } = await policy({ heartbeatInterval: 60 });
    const missing = { operationId: checks.operationId, label: 'Disk', frequencyTypeId: 2, interval: '00:01:00', parameters: [] };
    const answer = await start(policyId, { heartbeatInterval: 20, operations: [missing] });
    await world.system.db.query({ text: 'update operation set is_deleted = true where operation_id = $1', values: [checks.operationId] });
    await settle();
    await settle();
    await world.system.db.query({ text: 'update operation set is_deleted = false where operation_id = $1', values: [checks.operationId] });
    const id = String(answer.body['campaignId']);
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', ring: 0, stopReason: 'Of 1 device 1 failed; 95 % must succeed.' });
    expect(await outcomes(id)).toEqual({ Returned: 1, Stopped: 3 });
    const [first] = await world.system.db.query<{ reason: string | null }>({
      text: "select reason from campaign_device where campaign_id = $1 and outcome = 'Returned'",
      values: [id],
    });
    expect(first?.reason).toMatch(/^Disk: /);
    expect(await heartbeats(devices)).toEqual([60, 60, 60, 60]);
    expect(await stored(policyId)).toMatchObject({ heartbeatInterval: 60, operations: [] });
  });

  it('waits for a package that a device has not installed yet', async () => {
    const { policyId, devices } = await policy({ heartbeatInterval: 60 });
    const id = await started(policyId, { packages: [{ packageId: checks.packageId, packageVersionId: null }] });
    expect(await outcomes(id)).toEqual({ Running: 1, Waiting: 3 });
    const [first] = await ofRing(id, 0);
    await world.system.db.query({
      text: "update device_installation set install_status = 'InstallFailed', status_detail = 'No space is left.' where device_id = $1",
      values: [first],
    });
    await settle();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', returned: 1 });
    await settle();
    const wishes = await world.system.db.query({
      text: 'select 1 from device_installation where device_id = any($1) and package_version_id is not null',
      values: [devices],
    });
    expect(wishes).toEqual([]);
  });

  it('gives a device that joins meanwhile the version of its ring, also when it comes with a later ring', async () => {
    const { policyId, devices, tag } = await policy({ heartbeatInterval: 60 });
    const id = await started(policyId, { heartbeatInterval: 20 }, { rings: [{ share: 50 }], pauseMinutes: 30 });
    const joined = await fleet(tag, 12);
    await settle();
    const place = (device: string) => createHash('sha256').update(device).digest().readUInt32BE() / 2 ** 32;
    expect(await heartbeats(joined)).toEqual(joined.map((device) => (place(device) < 0.5 ? 20 : 60)));
    const { rings, total } = await campaign(id);
    expect([total, (rings as unknown as { devices: number }[]).reduce((sum, ring) => sum + ring.devices, 0)]).toEqual([16, 16]);
    // One that leaves the selection has neither.
    await world.call(me, 'POST', `/v1/devices/${joined[0]}`, { tags: 'away' });
    await later(31 * 60_000);
    await settle();
    await later(31 * 60_000);
    await settle();
    await settle();
    expect(await heartbeats([...devices, ...joined.slice(1)])).toEqual(Array.from({ length: 15 }, () => 20));
    expect(await campaign(id)).toMatchObject({ state: 'Done' });
  });

  it('stands still while it is paused, goes on when it is resumed, and restores what was there when it is stopped', async () => {
    const { policyId, devices } = await policy({ heartbeatInterval: 60, tags: 'old' });
    const id = await started(policyId, { heartbeatInterval: 20, tags: 'new' }, { pauseMinutes: 1 });
    expect((await change(id, 'pause')).body).toMatchObject({ pausedBy: 'ada@example.com', state: 'Running' });
    expect((await change(id, 'pause')).status).toBe(409);
    expect(messageOf(await change(id, 'continue', { ring: 0 }))).toBe('The campaign is paused. Resume it first.');
    await later(120_000);
    await settle();
    expect(await campaign(id)).toMatchObject({ ring: 0 });
    expect((await heartbeats(devices)).toSorted()).toEqual([20, 60, 60, 60]);
    expect((await change(id, 'resume')).body).toMatchObject({ pausedOn: null, pausedBy: null });
    await settle();
    expect(await campaign(id)).toMatchObject({ ring: 1 });
    expect(await heartbeats(devices)).toEqual([20, 20, 20, 20]);
    expect((await change(id, 'stop')).status).toBe(200);
    await settle();
    expect(await heartbeats(devices)).toEqual([60, 60, 60, 60]);
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', returned: 4 });
    expect(messageOf(await change(id, 'pause'))).toBe('The campaign does not run any more.');
  });

  it('begins a new policy, which is disabled until the end', async () => {
    const tag = `t${randomUUID().slice(0, 8)}`;
    const devices = await fleet(tag, 4);
    const { deviceSelectionId } = await createdRow(
      'deviceSelections',
      { name: tag, tenantId: home.tenantId, filter: `contains(tags,'${tag}')` },
      me,
    );
    const body = { name: tag, tenantId: home.tenantId, deviceSelectionId, heartbeatInterval: 25 };
    const id = await started(null, body);
    expect((await heartbeats(devices)).filter((seconds) => seconds === 25)).toHaveLength(4);
    const { policyId, state } = await campaign(id);
    expect([state, (await stored(String(policyId)))['enabled']]).toEqual(['Done', true]);
  });

  it('of all tenants goes over their devices together, and only those who see all of them see and stop it', async () => {
    const { policyId, devices, tag } = await policy({ heartbeatInterval: 60 }, { caller: everybody, tenantId: null, count: 2 });
    const there = await fleet(tag, 2, other);
    await settle();
    const rings = [{ filter: `tenantId eq ${other.tenantId}` }];
    const id = await started(policyId, { heartbeatInterval: 20 }, { rings, pauseMinutes: 30 }, everybody);
    expect([await heartbeats(there), await heartbeats(devices)]).toEqual([
      [20, 20],
      [60, 60],
    ]);
    expect([(await campaign(id, me))['error'] !== undefined, (await change(id, 'stop')).status]).toEqual([true, 404]);
    expect((await start(policyId, { heartbeatInterval: 30 })).status).toBe(403);
    await change(id, 'continue', { ring: 0 }, everybody);
    await settle();
    expect(await heartbeats([...there, ...devices])).toEqual([20, 20, 20, 20]);
    await later(31 * 60_000);
    await settle();
    expect(await campaign(id)).toMatchObject({ state: 'Done', tenantId: null });
    expect(await stored(policyId)).toMatchObject({ heartbeatInterval: 20 });
  });

  it('acts once when two workers begin its rings and compare its devices', async () => {
    const { policyId, devices } = await policy({ heartbeatInterval: 60 }, { count: 8 });
    const measure = { operationId: checks.operationId, label: 'Disk', frequencyTypeId: 2, interval: '00:01:00', parameters: [] };
    const answer = await start(policyId, { operations: [measure] }, { rings: [{ share: 10 }, { share: 60 }] });
    const id = String(answer.body['campaignId']);
    for (let round = 0; round < 6; round += 1) await Promise.all([settle(), settle()]);
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 8 });
    const rows = await world.system.db.query<{ n: number }>({
      text: 'select count(*)::int as n from device_operation where device_id = any($1) group by device_id',
      values: [devices],
    });
    expect(rows).toEqual(devices.map(() => ({ n: 1 })));
  });

  it('is refused where it cannot go out, with the reason', async () => {
    const { policyId, selectionId, tag } = await policy({ heartbeatInterval: 60 });
    const refused = async (fields: object, more: object = {}) => messageOf(await start(policyId, fields, more));
    expect(await refused({ heartbeatInterval: 60 })).toBe('policyId: Nothing in the policy has changed.');
    expect(await refused({ enabled: false })).toContain('A version that is disabled does not go out.');
    expect(await refused({ ruleValues: 'x y' })).toMatch(/^ruleValues: /);
    expect(await refused({ heartbeatInterval: 20 }, { rings: undefined })).toContain('rings: Send rings.');
    expect(await refused({ heartbeatInterval: 20 }, { rings: [{ share: 50 }, { share: 20 }] })).toContain('must be larger');
    expect(await refused({ heartbeatInterval: 20 }, { rings: [{ filter: "name eq 'nobody'" }] })).toContain('matches none of the devices');
    const { deviceSelectionId } = await createdRow(
      'deviceSelections',
      { name: `${tag} none`, tenantId: home.tenantId, filter: "name eq 'none'" },
      me,
    );
    expect(await refused({ deviceSelectionId })).toMatch(/^deviceSelectionId: Tenant, group and selection/);
    const empty = await createdRow(
      'policies',
      { name: `${tag} none`, tenantId: home.tenantId, deviceSelectionId, heartbeatInterval: 5 },
      me,
    );
    expect(messageOf(await start(String(empty['policyId']), { heartbeatInterval: 9 }))).toContain('The selection has no devices yet.');
    expect((await start(policyId, { heartbeatInterval: 20 }, {}, holder([other.tenantId]))).status).toBe(404);
    const id = await started(policyId, { heartbeatInterval: 20 }, { pauseMinutes: 30 });
    const open = /going out by the campaign Change policy/;
    expect(messageOf(await world.call(me, 'POST', `/v1/policies/${policyId}`, { heartbeatInterval: 5 }))).toMatch(open);
    expect(messageOf(await world.call(me, 'DELETE', `/v1/policies/${policyId}`))).toMatch(open);
    expect(await refused({ heartbeatInterval: 30 })).toMatch(open);
    expect((await world.call(me, 'POST', `/v1/policies/${policyId}`, { description: 'For all.' })).status).toBe(200);
    const { changes, plan } = (await world.call(me, 'GET', `/v1/campaigns/${id}/policy`)).body as unknown as {
      changes: object;
      plan: { changes: object[] };
    };
    expect([changes, plan.changes]).toEqual([{ heartbeatInterval: 20 }, [expect.objectContaining({ kind: 'Heartbeat', devices: 4 })]]);
    expect(selectionId).not.toBe(deviceSelectionId);
  });
});
