/** Campaigns in rings over HTTP, with the reports of simulated agents. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { ringSizes } from '@cloudfit/contract/resources/campaigns.ts';
import type { Ctx } from '../../context/ctx.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { workCampaigns } from '../../testing/work-campaigns.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { stopCampaignJob } from './campaign.job.ts';
import { followCampaigns } from './follow.ts';
import { revertDevice } from './revert-device.ts';
import { verdictOf } from './ring.rules.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let created: CreatedPackage;
let oldVersion: string;
let newVersion: string;

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
  const versions = [
    { version: '1.0.0', precedence: '1', status: 2 },
    { version: '1.1.0', precedence: '2', status: 1 },
  ];
  created = await makePackage(world, { tenantId: home.tenantId, name: 'Checks', versions });
  oldVersion = String(created.versions['1.0.0']);
  newVersion = String(created.versions['1.1.0']);
});
afterAll(() => world.close());

/** Inserts devices on which the old version is installed. */
async function fleet(name: string, count: number): Promise<string[]> {
  const rows = await world.system.db.query<{ id: string }>({
    text: `with d as (insert into device (tenant_id, subscription_id, name) select $1, $2, $3 || lpad(n::text, 4, '0') from generate_series(1, $4::int) n returning device_id),
      i as (insert into device_installation (tenant_id, device_id, package_id, package_version_id, installed_version_id, install_status, wish_number, status_changed)
        select $1, device_id, $5, $6, $6, 'Installed', 1, now() from d)
      select device_id as id from d`,
    values: [home.tenantId, home.subscriptionId, name, count, created.packageId, oldVersion],
  });
  return rows.map(({ id }) => id);
}

const later = (minutes: number): Ctx => ({ ...world.system, now: () => new Date(Date.now() + minutes * 60_000) });

const work = (ctx: Ctx = world.system) => workCampaigns(ctx);

const call = (path: string, body: object) => world.call(me, 'POST', `/v1/campaigns/${path}`, body);
async function started(deviceIds: string[], over: object = {}): Promise<string> {
  const body = { tenantId: home.tenantId, kind: 'InstallVersion', packageVersionId: newVersion, deviceIds, ...over };
  const answer = await call('start', body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  await work();
  return String(answer.body['campaignId']);
}
const campaign = async (id: string) => (await world.call(me, 'GET', `/v1/campaigns(${id})`)).body;
const detailsOf = (answer: WorldReply) =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);

interface PendingWish {
  device_id: string;
  target: string | null;
  wish_number: number;
}
/** Returns the devices of a campaign whose agents have pending work. */
const pending = (id: string) =>
  world.system.db.query<PendingWish>({
    text: `select i.device_id, i.package_version_id as target, i.wish_number from device_installation i join campaign_device d on d.device_id = i.device_id
      where d.campaign_id = $1 and i.install_status like '%Pending' and i.package_version_id is not null order by i.device_id`,
    values: [id],
  });
/** Reports this result for every agent that has pending work. */
async function agentsReport(id: string, status: string, over: object = {}): Promise<string[]> {
  const rows = await pending(id);
  for (const { device_id, target, wish_number } of rows) {
    const agent: TestCaller = { ...me, actor: { kind: 'device', id: device_id, name: 'pump', registrationId: randomUUID() } };
    const report = {
      packageId: created.packageId,
      wantedVersionId: target,
      wishNumber: wish_number,
      status,
      progress: null,
      detail: null,
      installedVersionId: status === 'Installed' ? target : oldVersion,
      ...over,
    };
    const answer = await world.call(agent, 'POST', '/v1/agent/installations', { machineKey: randomUUID(), reports: [report] });
    expect([answer.status, answer.body]).toEqual([200, { stored: 1 }]);
  }
  return rows.map((row) => row.device_id);
}
const send = (deviceIds: readonly string[]) =>
  world.system.db.query({
    text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
      select id, $2, now() + interval '1 second', now() + interval '1 second', uuidv7(), '{}' from unnest($1::uuid[]) id
      on conflict (entity_id) do update set received_timestamp = excluded.received_timestamp`,
    values: [deviceIds, home.tenantId],
  });
const targets = (deviceIds: readonly string[]) =>
  world.system.db.query<{ target: string; n: number }>({
    text: `select coalesce(package_version_id::text, '') as target, count(*)::int as n from device_installation where device_id = any($1) group by 1`,
    values: [deviceIds],
  });
const threeRings = { rings: [{ share: 1 }, { share: 10 }] };

describe('a bad version', () => {
  it('reaches the first of three rings of 1,000 devices, and the version before comes back there', async () => {
    const devices = await fleet('Mass ', 1_000);
    const id = await started(devices, threeRings);
    expect(await campaign(id)).toMatchObject({
      total: 1_000,
      ring: 0,
      rings: [{ share: 1, devices: 10 }, { share: 10, devices: 90 }, { devices: 900 }],
    });
    const touched = await agentsReport(id, 'RolledBack', { detail: 'Its own check failed.' });
    expect(touched).toHaveLength(10);
    await work();
    expect(await campaign(id)).toMatchObject({
      state: 'Stopped',
      ring: 0,
      stopped: 990,
      returned: 10,
      stopReason: 'Of 10 devices 10 failed; 95 % must succeed.',
    });
    expect(await targets(devices)).toEqual([{ target: oldVersion, n: 1_000 }]);
    const [wishes] = await world.system.db.query<{ n: number }>({
      text: 'select count(*)::int as n from device_installation where device_id = any($1) and wish_number > 1',
      values: [devices],
    });
    expect(wishes?.n).toBe(10);
  });

  it('leaves the reason of each device to be read, also beside the one why the version before did not come back', async () => {
    const devices = await fleet('Reasons ', 2);
    const bad = { detail: 'Its own check failed.' };
    const outcomes = async (id: string) => {
      const { body } = await world.call(me, 'GET', `/v1/campaignDevices?$filter=campaignId eq ${id} and ring eq 0`);
      return body.value?.map(({ outcome, reason }) => [outcome, reason]);
    };
    const id = await started(devices, { rings: [{ share: 50 }] });
    await agentsReport(id, 'RolledBack', bad);
    await work();
    expect(await outcomes(id)).toEqual([['Returned', 'Its own check failed.']]);
    const again = await started(devices, { rings: [{ share: 50 }] });
    await agentsReport(again, 'RolledBack', { ...bad, installedVersionId: null });
    await work();
    expect(await outcomes(again)).toEqual([['Returning', 'Its own check failed.']]);
    await agentsReport(again, 'InstallFailed', { detail: 'The disk of this machine is full.', installedVersionId: null });
    await work();
    const reason = 'Its own check failed. The previous version was not restored: The disk of this machine is full.';
    expect(await outcomes(again)).toEqual([['Failed', reason]]);
  });

  it('that makes a chosen rule match is taken back where it was installed', async () => {
    const devices = await fleet('Rule ', 4);
    const [rule] = await world.system.db.query<{ id: string }>({
      text: `insert into rule (tenant_id, name, rule_type_id, conditions) values ($1, 'Disk is full', 1, '[]') returning rule_id as id`,
      values: [home.tenantId],
    });
    const id = await started(devices, { rings: [{ share: 50 }], gate: { ruleIds: [rule?.id] }, pauseMinutes: 60 });
    const [first = '', second = ''] = await agentsReport(id, 'Installed');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Running', ring: 0, ringPassed: expect.any(String), ringNote: null });
    await world.system.db.query({
      text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
        values ($1, $2, $3, 'Full', now() + interval '1 hour', now(), now(), uuidv7())`,
      values: [home.tenantId, rule?.id, first],
    });
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopping', stopped: 2, running: 2 });
    expect((await campaign(id))['stopReason']).toMatch(/^The rule Disk is full matched on Rule 000\d\.$/);
    expect((await agentsReport(id, 'Installed')).toSorted()).toEqual([first, second].toSorted());
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 2, returned: 2, ended: expect.any(String) });
    expect(await targets(devices)).toEqual([{ target: oldVersion, n: 4 }]);
  });
});

describe('a ring that fails', () => {
  const ofKind = (kind: string) => ({ kind, packageVersionId: undefined });

  /** Reports that the requested run of the device has failed. */
  async function fail(deviceId: string): Promise<void> {
    const [operation] = await world.system.db.query<{ id: string; token: string | null }>({
      text: 'select device_operation_id as id, completion_token as token from device_operation where device_id = $1',
      values: [deviceId],
    });
    const now = new Date().toISOString();
    const [deviceOperationId, token] = [operation?.id, operation?.token];
    const ids = { operationRunId: token, deviceOperationId, completionToken: token };
    const empty = { value: null, progress: null, output: null };
    const run = { ...ids, ...empty, status: 'Failed', started: now, ended: now, durationMs: 5, exitCode: 1, message: 'No space is left.' };
    const agent: TestCaller = { ...me, actor: { kind: 'device', id: deviceId, name: 'pump', registrationId: randomUUID() } };
    const answer = await world.call(agent, 'POST', '/v1/agent/runs', { machineKey: randomUUID(), runs: [run] });
    expect([answer.status, answer.body]).toEqual([200, { stored: 1 }]);
  }

  it('takes runs back that have not begun, and the next ring never begins', async () => {
    const devices = await fleet('Runs ', 4);
    for (const deviceId of devices) {
      const operation = { deviceId, operationId: created.operationId, label: 'Disk', frequencyTypeId: 1, enabled: true };
      expect((await world.call(me, 'PUT', '/v1/deviceOperations', operation)).status).toBe(201);
    }
    const id = await started(devices, { ...ofKind('RunOperation'), operationId: created.operationId, rings: [{ share: 50 }] });
    const ofRing = await world.system.db.query<{ id: string; ring: number }>({
      text: 'select device_id as id, ring from campaign_device where campaign_id = $1 order by ring',
      values: [id],
    });
    const [fails = '', waits = ''] = ofRing.map((item) => item.id);
    const runs = {
      text: `select r.status, o.completion_token from operation_run r join device_operation o using (device_operation_id) where o.device_id = any($1)`,
      values: [ofRing.map((item) => item.id).filter((item) => item !== fails)],
    };
    expect(await world.system.db.query(runs)).toEqual([{ status: 'Queued', completion_token: expect.any(String) }]);
    await fail(fails);
    await work();
    expect(await campaign(id)).toMatchObject({
      state: 'Stopped',
      ring: 0,
      failed: 1,
      stopped: 3,
      stopReason: 'Of 2 devices 1 failed; 95 % must succeed.',
    });
    // The agent of the device that was still waiting gets no work.
    expect(await world.system.db.query(runs)).toEqual([{ status: 'Dequeued', completion_token: null }]);
    const reason = { text: 'select outcome, reason from campaign_device where campaign_id = $1 and device_id = $2', values: [id, waits] };
    expect(await world.system.db.query(reason)).toEqual([{ outcome: 'Stopped', reason: 'Of 2 devices 1 failed; 95 % must succeed.' }]);
  });

  it('takes a restart back where the agent has not started yet', async () => {
    const devices = await fleet('Restarts ', 3);
    const [rule] = await world.system.db.query<{ id: string }>({
      text: `insert into rule (tenant_id, name, rule_type_id, conditions) values ($1, 'Agent is slow', 1, '[]') returning rule_id as id`,
      values: [home.tenantId],
    });
    const rings = { rings: [{ share: 60 }], gate: { ruleIds: [rule?.id] } };
    const id = await started(devices, { ...ofKind('RestartAgent'), ...rings });
    const requestedIds = () =>
      world.system.db.query<{ id: string }>({
        text: 'select device_id as id from device where restart_agent_flag and device_id = any($1) order by 1',
        values: [devices],
      });
    const [restarts, waits] = await requestedIds();
    expect(waits).toBeDefined();
    await world.system.db.query({ text: 'update device set restart_agent_flag = false where device_id = $1', values: [restarts?.id] });
    await work();
    await world.system.db.query({
      text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
        values ($1, $2, $3, 'Slow', now() + interval '1 hour', now(), now(), uuidv7())`,
      values: [home.tenantId, rule?.id, restarts?.id],
    });
    await work();
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', ring: 0, done: 1, stopped: 2 });
    expect(await requestedIds()).toEqual([]);
  });
});

describe('a good version', () => {
  it('goes from ring to ring: when enough have succeeded and reported, and the pause is over', async () => {
    const devices = await fleet('Good ', 6);
    const id = await started(devices, { rings: [{ share: 34 }], gate: { heartbeat: true }, pauseMinutes: 30 });
    expect(await campaign(id)).toMatchObject({ ringNote: 'Succeeded: 0 of 3, needed: 3.' });
    const first = await agentsReport(id, 'Installed');
    expect(first).toHaveLength(3);
    await work();
    expect(await campaign(id)).toMatchObject({
      done: 3,
      ringNote: 'Succeeded: 0 of 3, needed: 3, not reported since: 3.',
      ringPassed: null,
    });
    await send(first);
    await work();
    expect(await campaign(id)).toMatchObject({ ring: 0, ringNote: null, ringPassed: expect.any(String) });
    await work(later(29));
    expect(await campaign(id)).toMatchObject({ ring: 0 });
    await work(later(31));
    expect(await campaign(id)).toMatchObject({ ring: 1, ringPassed: null, waiting: 3 });
    await agentsReport(id, 'Installed');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 6 });
  });

  it('does so although a campaign before it cannot be followed', async () => {
    const ids: string[] = [];
    for (const name of ['Bad ', 'Next ']) ids.push(await started(await fleet(name, 2), { rings: [{ share: 50 }] }));
    const [broken = '', next = ''] = ids;
    await agentsReport(broken, 'Installed');
    await agentsReport(next, 'Installed');
    const owner = new pg.Client({ connectionString: world.url });
    await owner.connect();
    await owner.query(`create function refuse_campaign() returns trigger language plpgsql as $$ begin raise exception 'It is broken.'; end $$;
      create trigger refuse_campaign before update on campaign for each row when (old.campaign_id = '${broken}') execute function refuse_campaign()`);
    await expect(followCampaigns(world.system)).rejects.toThrow('went wrong');
    await owner.query('drop trigger refuse_campaign on campaign');
    await owner.end();
    expect(await Promise.all(ids.map(async (id) => (await campaign(id))['ring']))).toEqual([0, 1]);
  });

  it('leaves the rows of devices alone while nothing changes', async () => {
    const id = await started(await fleet('Still ', 4), { rings: [{ share: 50 }] });
    // A row lock would set `xmax`.
    const rows = 'select ctid::text, xmax::text from campaign_device where campaign_id = $1 order by campaign_device_id';
    const before = await world.system.db.query({ text: rows, values: [id] });
    await followCampaigns(world.system);
    expect(await world.system.db.query({ text: rows, values: [id] })).toEqual(before);
    await agentsReport(id, 'Installed');
    await followCampaigns(world.system);
    expect(await world.system.db.query({ text: rows, values: [id] })).not.toEqual(before);
  });

  it('begins the next ring once although several servers follow it', async () => {
    const devices = await fleet('Once ', 9);
    const id = await started(devices, { rings: [{ share: 10 }, { share: 50 }] });
    await agentsReport(id, 'Installed');
    await Promise.all([1, 2, 3].map(() => followCampaigns(world.system)));
    await work();
    expect(await campaign(id)).toMatchObject({ ring: 1, done: 1, waiting: 8 });
    expect(await pending(id)).toHaveLength(4);
  });

  it('does not wait for ever for devices that are off, and does not count them as failed', async () => {
    const devices = await fleet('Away ', 4);
    const id = await started(devices, { rings: [{ share: 50 }], gate: { minShare: 100 } });
    const [row] = await pending(id);
    await world.system.db.query({
      text: `update device_installation set install_status = 'Installed', installed_version_id = package_version_id where device_id = $1`,
      values: [row?.device_id],
    });
    await work();
    expect(await campaign(id)).toMatchObject({ ring: 0, ringNote: 'Succeeded: 1 of 2, needed: 2.' });
    await work(later(25 * 60));
    expect(await campaign(id)).toMatchObject({ state: 'Running', ring: 1, failed: 1 });
  });

  it('a device that had the version already need not report', async () => {
    const devices = await fleet('Same ', 2);
    const id = await started(devices, { packageVersionId: oldVersion, rings: [{ share: 50 }], gate: { heartbeat: true } });
    await work(later(10));
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 2, ring: 1 });
  });

  it('a device that is silent after the installation fails the gate', async () => {
    const devices = await fleet('Mute ', 2);
    const id = await started(devices, { rings: [{ share: 50 }], gate: { heartbeat: true } });
    await agentsReport(id, 'Installed');
    await work();
    await work(later(6));
    expect(await campaign(id)).toMatchObject({
      state: 'Stopping',
      stopReason: 'Of 1 device 1 did not report afterwards; 95 % must succeed.',
    });
  });
});

describe('by hand', () => {
  it('continues with the next ring, once for each request', async () => {
    const devices = await fleet('Hand ', 10);
    const id = await started(devices, threeRings);
    expect(await pending(id)).toHaveLength(1);
    expect((await call(`${id}/continue`, { ring: 0 })).body).toMatchObject({ ring: 1 });
    expect((await call(`${id}/continue`, { ring: 0 })).status).toBe(409);
    await work();
    expect(await pending(id)).toHaveLength(2);
    const other: TestCaller = { ...me, actor: { kind: 'person', id: randomUUID(), name: 'Bo', userName: 'bo@example.com' } };
    await world.call(other, 'POST', `/v1/campaigns/${id}/continue`, { ring: 1 });
    expect((await call(`${id}/continue`, { ring: 2 })).status).toBe(409);
    // Each ring says who has gone on after it.
    const by = ((await campaign(id))['rings'] as { skippedBy?: string }[]).map(({ skippedBy }) => skippedBy);
    expect(by).toEqual(['ada@example.com', 'bo@example.com', undefined]);
    await work();
    expect(await pending(id)).toHaveLength(10);
    const none = await fleet('None ', 1);
    expect((await call(`${await started(none)}/continue`, { ring: 0 })).status).toBe(409);
  });

  it('stops, and returns what was installed, also when the campaign is over', async () => {
    const devices = await fleet('Back ', 3);
    const id = await started(devices);
    await agentsReport(id, 'Installed');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 3 });
    const [other = ''] = devices;
    await world.call(me, 'POST', `/v1/deviceInstallations/${other}/packages`, [{ packageId: created.packageId, packageVersionId: null }]);
    expect((await call(`${id}/stop`, { andReturn: true })).body).toMatchObject({ state: 'Stopping', ended: null });
    // Simulates a server that runs `followCampaigns` before another server has begun the stop job.
    await followCampaigns(world.system);
    await work();
    await work();
    await agentsReport(id, 'Installed');
    await work();
    expect(await campaign(id)).toMatchObject({
      state: 'Stopped',
      returned: 2,
      done: 1,
      stopReason: 'ada@example.com stopped the campaign and had it undone.',
    });
    const restart = await call('start', { tenantId: home.tenantId, kind: 'RestartAgent', deviceIds: devices });
    expect((await call(`${String(restart.body['campaignId'])}/stop`, { andReturn: true })).status).toBe(409);
  });

  it('goes on where a killed job ended, and gives no device the version back twice', async () => {
    const devices = await fleet('Kill ', 4);
    const id = await started(devices);
    await agentsReport(id, 'Installed');
    await work();
    await call(`${id}/stop`, { andReturn: true });
    const [first] = await world.system.db.query<{ id: string }>({
      text: 'select campaign_device_id as id from campaign_device where campaign_id = $1 order by 1 limit 1',
      values: [id],
    });
    // The job was killed after its first device; another worker starts it again, while the first worker still believes that it
    // holds the job.
    await revertDevice(world.system, first?.id ?? '');
    await followCampaigns(world.system);
    const payload = { id, reason: 'Killed.', returns: true };
    const attempt = attemptOf(2);
    await Promise.all([1, 2].map(() => stopCampaignJob.run(world.system, payload, attempt)));
    await work();
    const wishes = 'select distinct wish_number from device_installation where device_id = any($1)';
    expect(await world.system.db.query({ text: wishes, values: [devices] })).toEqual([{ wish_number: 3 }]);
    await agentsReport(id, 'Installed');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', returned: 4 });
  });

  it('needs the right to edit devices', async () => {
    const id = await started(await fleet('Mine ', 2), { rings: [{ share: 50 }] });
    const theirs = await world.tenant();
    const as = (caller: TestCaller | null) => world.call(caller, 'POST', `/v1/campaigns/${id}/continue`, { ring: 0 });
    expect((await as(null)).status).toBe(401);
    expect((await as(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await as(holder([theirs.tenantId]))).status).toBe(404);
  });
});

describe('the rings of a request', () => {
  it('are filters and shares; the rest is the last ring', async () => {
    const devices = await fleet('Filter ', 8);
    const rings = [{ filter: "endswith(name, '0003')" }, { share: 25 }, { share: 50 }];
    const id = await started(devices, { rings });
    expect((await campaign(id))['rings']).toEqual([
      { ...rings[0], devices: 1 },
      { share: 25, devices: 2 },
      { share: 50, devices: 2 },
      { devices: 3 },
    ]);
  });

  it.each<[string, object, string]>([
    ['a share of all', { rings: [{ share: 100 }] }, 'rings.0.share: A share is more than 0 and less than 100 percent.'],
    [
      'shares that fall',
      { rings: [{ share: 10 }, { share: 5 }] },
      'rings: The share of a ring includes the rings before it, so it must be larger than the share of the ring before.',
    ],
    ['neither share nor filter', { rings: [{}] }, 'rings.0: A ring has a share or a filter.'],
    ['an empty filter', { rings: [{ filter: "name eq 'nobody'" }] }, 'rings.0: The filter of this ring matches none of the devices.'],
    ['more rings than devices', { rings: [{ share: 10 }, { share: 20 }, { share: 30 }] }, 'rings.2: No device is left for this ring.'],
    ['a gate without rings', { gate: {} }, 'rings: A gate or a pause needs rings. Send rings, or leave both out.'],
  ])('cannot be %s', async (_what, over, message) => {
    const deviceIds = await fleet(`${randomUUID()} `, 2);
    const body = { tenantId: home.tenantId, kind: 'InstallVersion', packageVersionId: newVersion, deviceIds, ...over };
    expect(detailsOf(await call('start', body))).toContain(message);
  });

  it('have sizes that add up', () => {
    expect([ringSizes(1_000, [1, 10]), ringSizes(20, [1, 10, 50]), ringSizes(2, [1, 10, 50])]).toEqual([
      [10, 90],
      [1, 1, 8],
      [1, 1, 0],
    ]);
  });

  it('fail, wait or pass', () => {
    const gate = { minShare: 90, ruleIds: [], heartbeat: true };
    const facts = { counted: 10, unreported: 0, failed: 0, succeeded: 10, silent: 0, match: null };
    const of = (over: object) => verdictOf(gate, { ...facts, ...over });
    expect(of({})).toEqual({ kind: 'passes' });
    expect(of({ failed: 1, succeeded: 9 }).kind).toBe('passes');
    expect(of({ failed: 1, succeeded: 8, silent: 1 })).toEqual({
      kind: 'fails',
      reason: 'Of 10 devices 1 failed and 1 did not report afterwards; 90 % must succeed.',
    });
    expect(of({ succeeded: 8 })).toEqual({ kind: 'waits', reason: 'Succeeded: 8 of 10, needed: 9.' });
    expect(of({ counted: 0, succeeded: 0 })).toEqual({
      kind: 'waits',
      reason: 'No device of this ring could try. Continue by hand, or stop.',
    });
    expect(of({ match: { rule: 'Hot', device: 'pump-1' } }).kind).toBe('fails');
  });
});
