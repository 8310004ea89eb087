/** Campaigns over HTTP, with the reports that agents send. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import type { Job } from '../../jobs/job.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { makePackage, type CreatedPackage } from '../../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { expireRequests } from '../../features/devices/operations/expire-requests.ts';
import { beginNext } from './begin.ts';
import { beginCampaignJob, stopCampaignJob } from './campaign.job.ts';
import { followCampaigns } from './follow.ts';
import { ownerOf } from './owner.ts';
import { agentReports } from './reports.fixtures.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let created: CreatedPackage;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = await starter();
  const versions = [
    { version: '1.0.0', precedence: '1', status: 2 },
    { version: '1.1.0', precedence: '2', status: 1 },
  ];
  created = await makePackage(world, { tenantId: home.tenantId, name: 'Checks', frequencies: [1, 2], versions });
});
afterAll(() => world.close());

/** Inserts a person with a grant in the tenant: jobs read the grant from the database. */
async function starter(permissions: readonly string[] = allPermissions): Promise<TestCaller> {
  const userName = count === 0 ? 'person@example.com' : `${randomUUID()}@example.com`;
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with s as (insert into permission_set (name, permissions) values ($1, $2) returning permission_set_id),
      p as (insert into person (name, user_name) values ($1, $1) returning person_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $3 from p, s)
      select person_id as id from p`,
    values: [userName, JSON.stringify(permissions), home.tenantId],
  });
  if (!row) throw new Error('No grant was written.');
  return { ...holder([home.tenantId], permissions), actor: { kind: 'person', id: row.id, name: userName, userName } };
}

let count = 0;
async function device(over: object = {}, where = home): Promise<string> {
  const body = { name: `Pump ${String((count += 1)).padStart(4, '0')}`, ...where, ...over };
  return String((await world.call(holder([where.tenantId]), 'PUT', '/v1/devices', body)).body['deviceId']);
}
async function withOperation(over: object = {}): Promise<string> {
  const deviceId = await device();
  const body = { deviceId, operationId: created.operationId, label: 'Disk', frequencyTypeId: 1, enabled: true, ...over };
  expect((await world.call(me, 'PUT', '/v1/deviceOperations', body)).status).toBe(201);
  return deviceId;
}
const start = (body: object, caller: TestCaller | null = me) =>
  world.call(caller, 'POST', '/v1/campaigns/start', { tenantId: home.tenantId, ...body });
const call = (id: string, what: string, caller: TestCaller | null = me) => world.call(caller, 'POST', `/v1/campaigns/${id}/${what}`, {});
const campaign = async (id: string) => (await world.call(me, 'GET', `/v1/campaigns(${id})`)).body;
async function outcomes(id: string): Promise<string[]> {
  const { body } = await world.call(me, 'GET', `/v1/campaignDevices?$filter=campaignId eq ${id}&$expand=device`);
  return (body.value ?? []).map((row) => `${String(row['outcome'])}${row['reason'] === null ? '' : `: ${String(row['reason'])}`}`);
}

/** Runs the jobs that are stored, one after the other, as the worker does. */
async function work(): Promise<void> {
  const jobs: Record<string, Job> = { 'begin-campaign': beginCampaignJob, 'stop-campaign': stopCampaignJob };
  for (;;) {
    const [job] = await world.system.db.query<{ name: string; payload: unknown }>({
      text: `delete from job where job_id = (select job_id from job where name = any($1) order by job_id limit 1) returning name, payload`,
      values: [Object.keys(jobs)],
    });
    if (!job) break;
    await jobs[job.name]?.run(world.system, job.payload, attemptOf());
  }
  await followCampaigns(world.system);
}
async function started(body: object): Promise<string> {
  const answer = await start(body);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  await work();
  return String(answer.body['campaignId']);
}

const { reportRun, installation, reportInstallation } = agentReports(
  () => world,
  () => me,
  () => created.packageId,
);
const detailsOf = (answer: WorldReply) =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);
const runIt = (deviceIds: string[]) => ({ kind: 'RunOperation', operationId: created.operationId, deviceIds });

describe('Run operation', () => {
  it('says of each device what came of it: one does it, one fails, one never answers, one does not have it', async () => {
    const [good, bad, silent, without] = [await withOperation(), await withOperation(), await withOperation(), await device()];
    const id = await started(runIt([good, bad, silent, without]));
    expect(await campaign(id)).toMatchObject({ title: 'Run Measure', state: 'Running', total: 4, waiting: 3, failed: 1, ended: null });
    await reportRun(good, { status: 'Running', ended: null, durationMs: null, exitCode: null });
    expect((await outcomes(id))[0]).toBe('Running');
    await reportRun(good, {});
    await reportRun(bad, { status: 'Failed', exitCode: 3, message: 'The disk is deleted.' });
    expect(await outcomes(id)).toEqual([
      'Done',
      'Failed: The disk is deleted.',
      'Waiting',
      'Failed: The device does not have this operation.',
    ]);
    const later = { ...world.system, now: () => new Date(Date.now() + 25 * 3_600_000) };
    await expireRequests(later);
    await followCampaigns(later);
    expect((await outcomes(id))[2]).toBe('Failed: Expired: the device did not answer');
    expect(await campaign(id)).toMatchObject({ state: 'Done', waiting: 0, done: 1, failed: 3, ended: expect.any(String) });
  });

  it('asks in the name of whoever started it, and once although its job runs twice', async () => {
    const one = await withOperation();
    const answer = await start(runIt([one]));
    const id = String(answer.body['campaignId']);
    const owner = (await ownerOf(world.system, id)) ?? world.system;
    await Promise.all([beginNext(world.system, owner, id), beginNext(world.system, owner, id)]);
    expect(await beginNext(world.system, owner, id)).toBe(false);
    const runs = await world.system.db.query({ text: 'select requested_by from operation_run where device_id = $1', values: [one] });
    expect(runs).toEqual([{ requested_by: 'person@example.com' }]);
  });

  it('names the reason when the operation is disabled, recurring or there several times', async () => {
    const [disabled, recurring, several] = [
      await withOperation({ enabled: false }),
      await withOperation({ frequencyTypeId: 2 }),
      await withOperation(),
    ];
    const second = { deviceId: several, operationId: created.operationId, label: 'Disk 2', frequencyTypeId: 1, enabled: true };
    await world.call(me, 'PUT', '/v1/deviceOperations', second);
    const id = await started(runIt([disabled, recurring, several]));
    expect(await outcomes(id)).toEqual([
      'Failed: The operation is disabled on this device.',
      'Failed: The operation does not run on demand on this device.',
      'Failed: The device has this operation several times; name one by its label.',
    ]);
    expect(await outcomes(await started({ ...runIt([several]), label: 'Disk 2' }))).toEqual(['Waiting']);
  });

  it('takes back what has not begun when it is stopped, and lets a run that has begun end', async () => {
    const [waits, runs] = [await withOperation(), await withOperation()];
    const id = await started(runIt([waits, runs]));
    await reportRun(runs, { status: 'Running', ended: null, durationMs: null, exitCode: null });
    expect((await call(id, 'stop')).body).toMatchObject({ state: 'Stopping' });
    await work();
    expect(await outcomes(id)).toEqual(['Stopped: person@example.com stopped the campaign.', 'Running']);
    const tokens = `select completion_token from device_operation where device_id = $1`;
    expect(await world.system.db.query({ text: tokens, values: [waits] })).toEqual([{ completion_token: null }]);
    expect((await call(id, 'retryFailed')).status).toBe(409);
    await reportRun(runs, {});
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 1, done: 1, ended: expect.any(String) });
  });

  it('does not take back on a stop what somebody else had asked for', async () => {
    const one = await withOperation();
    await started(runIt([one]));
    const second = await started(runIt([one]));
    await call(second, 'stop');
    await work();
    expect(await outcomes(second)).toEqual(['Stopped: person@example.com stopped the campaign.']);
    const tokens = `select completion_token is not null as queued from device_operation where device_id = $1`;
    expect(await world.system.db.query({ text: tokens, values: [one] })).toEqual([{ queued: true }]);
  });

  it('stops devices that its job had not come to', async () => {
    const [one, two] = [await withOperation(), await withOperation()];
    const id = String((await start(runIt([one, two]))).body['campaignId']);
    await call(id, 'stop');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 2 });
    const begun = 'select count(begun)::int as begun, count(ended)::int as ended from campaign_device where campaign_id = $1';
    expect(await world.system.db.query({ text: begun, values: [id] })).toEqual([{ begun: 0, ended: 2 }]);
    expect(await world.system.db.query({ text: 'select 1 from operation_run where device_id = any($1)', values: [[one, two]] })).toEqual(
      [],
    );
  });

  it('begins again on those that failed alone', async () => {
    const [good, bad] = [await withOperation(), await withOperation()];
    const id = await started(runIt([good, bad]));
    await reportRun(good, {});
    expect((await call(id, 'retryFailed')).status).toBe(409);
    await reportRun(bad, { status: 'TimedOut', message: 'Too slow.' });
    expect(await campaign(id)).toMatchObject({ state: 'Done', failed: 1 });
    expect((await call(id, 'retryFailed')).body).toMatchObject({ state: 'Running', waiting: 1, failed: 0, ended: null });
    await work();
    expect(await outcomes(id)).toEqual(['Done', 'Waiting']);
    await reportRun(bad, {});
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 2, failed: 0 });
  });

  it('works more devices than one job takes', async () => {
    const before = await world.system.db.query<{ device_id: string }>({
      text: `insert into device (tenant_id, subscription_id, name) select $1, $2, 'Bulk ' || lpad(n::text, 3, '0') from generate_series(1, 120) n returning device_id`,
      values: [home.tenantId, home.subscriptionId],
    });
    expect(before).toHaveLength(120);
    const id = await started({ kind: 'RestartAgent', filter: "startswith(name, 'Bulk ')" });
    expect(await campaign(id)).toMatchObject({ total: 120, waiting: 120 });
    const flags = `select count(*)::int as n from device where restart_agent_flag and name like 'Bulk %'`;
    expect(await world.system.db.query({ text: flags })).toEqual([{ n: 120 }]);
  });
});

describe('Install, Remove and Restart', () => {
  const install = (deviceIds: string[], version = '1.1.0') => ({
    kind: 'InstallVersion',
    packageVersionId: created.versions[version],
    deviceIds,
  });

  it('follow the reports of the agent', async () => {
    const [good, bad] = [await device(), await device()];
    const id = await started(install([good, bad]));
    expect(await campaign(id)).toMatchObject({ title: 'Install Checks 1.1.0', waiting: 2 });
    await reportInstallation(good, 'Downloading');
    expect(await outcomes(id)).toEqual(['Running', 'Waiting']);
    await reportInstallation(good, 'Installed');
    await reportInstallation(bad, 'InstallFailed', { detail: 'No space is left.' });
    expect(await outcomes(id)).toEqual(['Done', 'Failed: No space is left.']);
    await call(id, 'retryFailed');
    await work();
    expect(await outcomes(id)).toEqual(['Done', 'Waiting']);
    await reportInstallation(bad, 'Installed');
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 2 });

    const removal = await started({ kind: 'RemovePackage', packageId: created.packageId, deviceIds: [good, await device()] });
    expect(await outcomes(removal)).toEqual(['Waiting', 'Done: The package was not installed.']);
    await reportInstallation(good, 'Removed');
    expect(await outcomes(removal)).toEqual(['Done', 'Done: The package was not installed.']);
  });

  it('remove a package that operations need only with them, which the preview says first, and a return enables them', async () => {
    const [needs, alone] = [await withOperation(), await device()];
    for (const id of [needs, alone]) {
      await started(install([id]));
      await reportInstallation(id, 'Installed');
    }
    const removal = { kind: 'RemovePackage', packageId: created.packageId, deviceIds: [needs, alone] };
    const preview = async (body: object) =>
      (await world.call(me, 'POST', '/v1/campaigns/preview', { tenantId: home.tenantId, ...body })).body;
    expect(await preview(removal)).toMatchObject({ unable: 1, needed: 1 });
    expect(await outcomes(await started(removal))).toEqual([
      expect.stringMatching(/^Failed: Enabled operations of this device need Checks: Disk/),
      'Waiting',
    ]);
    const both = { ...removal, disableOperations: true };
    expect(await preview(both)).toMatchObject({ unable: 0, needed: 1 });
    const id = await started(both);
    const isEnabled = async () =>
      (await world.call(me, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${needs}`)).body.value?.map((row) => row['enabled']);
    expect([(await outcomes(id))[0], await isEnabled()]).toEqual(['Waiting', [false]]);
    await reportInstallation(needs, 'Removed');
    await world.call(me, 'POST', `/v1/campaigns/${id}/stop`, { andReturn: true });
    await work();
    expect([(await installation(needs))?.target, await isEnabled()]).toEqual([created.versions['1.1.0'], [true]]);
  });

  it('restore the wish to what is installed when stopped, and when the device does not answer for a day', async () => {
    const [has, empty] = [await device(), await device()];
    await started(install([has], '1.0.0'));
    await reportInstallation(has, 'Installed');
    const id = await started(install([has, empty]));
    await call(id, 'stop');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 2 });
    expect(await installation(has)).toMatchObject({ target: created.versions['1.0.0'], status: 'Installed' });
    expect(await installation(empty)).toBeUndefined();

    const again = await started(install([has]));
    await followCampaigns({ ...world.system, now: () => new Date(Date.now() + 25 * 3_600_000) });
    expect(await outcomes(again)).toEqual(['Failed: Expired: the device did not answer']);
    expect(await installation(has)).toMatchObject({ target: created.versions['1.0.0'], status: 'Installed' });
  });

  it('leave a later wish of somebody alone', async () => {
    const one = await device();
    const id = await started(install([one]));
    const items = [{ packageId: created.packageId, packageVersionId: created.versions['1.0.0'] }];
    await world.call(me, 'POST', `/v1/deviceInstallations/${one}/packages`, items);
    await call(id, 'stop');
    await work();
    expect(await outcomes(id)).toEqual(['Stopped: Somebody chose another version for this device in the meantime.']);
    expect(await installation(one)).toMatchObject({ target: created.versions['1.0.0'] });
  });

  it('restart is done when the agent has started', async () => {
    const [one, off] = [await device(), await device({ enabled: false })];
    const id = await started({ kind: 'RestartAgent', deviceIds: [one, off] });
    expect(await outcomes(id)).toEqual(['Waiting', 'Failed: The device is disabled.']);
    await world.system.db.query({ text: 'update device set restart_agent_flag = false where device_id = $1', values: [one] });
    await followCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 1, failed: 1 });
  });
});

describe('what a stop meets', () => {
  const runOf = (deviceId: string, status: string) =>
    world.system.db.query({
      text: `update operation_run set status = $2, ended = case when $2 = 'Running' then null else now() end where device_id = $1`,
      values: [deviceId, status],
    });

  it('lets a run go on that the agent has taken before anybody looked', async () => {
    const [running, ended, waiting] = [await withOperation(), await withOperation(), await withOperation()];
    const id = await started(runIt([running, ended, waiting]));
    await runOf(running, 'Running');
    await world.system.db.query({
      text: 'update device_operation set operation_complete = true, completion_token = null where device_id = $1',
      values: [ended],
    });
    await runOf(ended, 'Success');
    await call(id, 'stop');
    await work();
    expect(await outcomes(id)).toEqual(['Running', 'Done', 'Stopped: person@example.com stopped the campaign.']);
    const tokens = `select count(completion_token)::int as n from device_operation where device_id = any($1)`;
    expect(await world.system.db.query({ text: tokens, values: [[running, waiting]] })).toEqual([{ n: 1 }]);
    await runOf(running, 'Success');
    await followCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', done: 2, stopped: 1 });
  });

  it('goes on with the others when an operation was deleted meanwhile', async () => {
    const [deleted, there] = [await withOperation(), await withOperation()];
    const id = await started(runIt([deleted, there]));
    const [operation] = await world.system.db.query<{ id: string }>({
      text: 'select device_operation_id as id from device_operation where device_id = $1',
      values: [deleted],
    });
    expect((await world.call(me, 'DELETE', `/v1/deviceOperations/${operation?.id}`)).status).toBe(204);
    await call(id, 'stop');
    await work();
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 2 });
  });

  it('lets an installation go on that has begun before anybody looked', async () => {
    const one = await device();
    const id = await started({ kind: 'InstallVersion', packageVersionId: created.versions['1.1.0'], deviceIds: [one] });
    await world.system.db.query({
      text: `update device_installation set install_status = 'Downloading' where device_id = $1`,
      values: [one],
    });
    await call(id, 'stop');
    await work();
    expect(await outcomes(id)).toEqual(['Running']);
    await reportInstallation(one, 'Installed');
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', done: 1 });
  });
});

describe('whoever started it', () => {
  it.each([
    [
      'is disabled',
      (personId: string) => world.system.db.query({ text: 'update person set enabled = false where person_id = $1', values: [personId] }),
    ],
    [
      'has no grant any more',
      (personId: string) => world.system.db.query({ text: 'delete from access_grant where person_id = $1', values: [personId] }),
    ],
  ])('%s: the campaign stops with this reason', async (_what, lose) => {
    const person = await starter();
    const devices = [await withOperation(), await withOperation()];
    const answer = await start(runIt(devices), person);
    await lose(String(person.actor?.id));
    await work();
    const id = String(answer.body['campaignId']);
    const reason = expect.stringMatching(/may not edit devices of this tenant any more/) as unknown;
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', stopped: 2, stopReason: reason });
    expect(await world.system.db.query({ text: 'select 1 from operation_run where device_id = any($1)', values: [devices] })).toEqual([]);
  });

  it('does nothing that they may not do themselves', async () => {
    const person = await starter(allPermissions.filter((permission) => permission !== 'CloudFit.CFS.Tenants:edit'));
    const [source, target] = [await withOperation(), await device()];
    const parameters = [{ Name: 'Key', Source: 'SecuredValue', Value: 'key' }];
    const [operation] = await world.system.db.query<{ id: string }>({
      text: 'update device_operation set parameters = $2 where device_id = $1 returning device_operation_id as id',
      values: [source, JSON.stringify(parameters)],
    });
    const body = { kind: 'AddOperations', deviceOperationIds: [operation?.id], deviceIds: [target] };
    const answer = await start(body, person);
    expect(answer.status).toBe(200);
    await work();
    expect(await outcomes(String(answer.body['campaignId']))).toEqual([expect.stringMatching(/^Failed: Disk: /)]);
  });
});

describe('what needs no agent', () => {
  const fieldsOf = async (deviceId: string) => (await world.call(me, 'GET', `/v1/devices(${deviceId})`)).body;

  it('adds copies of operations, once', async () => {
    const [source, empty, has] = [await withOperation({ interval: '00:10:00' }), await device(), await withOperation()];
    const [operation] = await world.system.db.query<{ id: string }>({
      text: 'select device_operation_id as id from device_operation where device_id = $1',
      values: [source],
    });
    const body = { kind: 'AddOperations', deviceOperationIds: [operation?.id], deviceIds: [empty, has] };
    expect((await world.call(me, 'POST', '/v1/campaigns/preview', { tenantId: home.tenantId, ...body })).body).toMatchObject({
      already: 1,
    });
    const id = await started(body);
    expect(await campaign(id)).toMatchObject({ title: 'Add Disk', state: 'Done', done: 2 });
    expect(await outcomes(id)).toEqual(['Done', 'Done: The device had these operations already.']);
    const copies = await world.call(me, 'GET', `/v1/deviceOperations?$filter=deviceId eq ${empty}`);
    expect(copies.body.value).toMatchObject([{ label: 'Disk', interval: '00:10:00', operationId: created.operationId }]);
  });

  it('traces, and ends that', async () => {
    const one = await device();
    const traced = await started({ kind: 'SetTracing', traceMinutes: 60, deviceIds: [one] });
    expect(await campaign(traced)).toMatchObject({ title: 'Trace for 60 minutes', state: 'Done' });
    expect(await fieldsOf(one)).toMatchObject({ traceMinutes: 60, traceExpiration: expect.any(String) });
    await started({ kind: 'SetTracing', traceMinutes: 0, deviceIds: [one] });
    expect(await fieldsOf(one)).toMatchObject({ traceMinutes: 0, traceExpiration: null });
  });

  it('adds and removes tags, and leaves the others', async () => {
    const [some, none] = [await device({ tags: 'Pump, Old; north' }), await device()];
    await started({ kind: 'EditTags', addTags: ['NORTH', 'spare'], removeTags: ['old'], deviceIds: [some, none] });
    expect([(await fieldsOf(some))['tags'], (await fieldsOf(none))['tags']]).toEqual(['Pump, north, spare', 'NORTH, spare']);
    const id = await started({ kind: 'EditTags', removeTags: ['spare', 'north', 'pump'], deviceIds: [some] });
    expect(await campaign(id)).toMatchObject({ title: 'Tags: remove spare, north, pump', done: 1 });
    expect((await fieldsOf(some))['tags']).toBeNull();
  });

  it('moves to a location and a subscription of the tenant', async () => {
    const place = await world.call(me, 'PUT', '/v1/locations', { name: 'Harbour', tenantId: home.tenantId });
    const one = await device();
    const locationId = place.body['locationId'];
    const id = await started({ kind: 'Move', locationId, subscriptionId: home.subscriptionId, deviceIds: [one] });
    expect(await campaign(id)).toMatchObject({ title: 'Move to Harbour, Default', done: 1 });
    expect(await fieldsOf(one)).toMatchObject({ locationId, subscriptionId: home.subscriptionId });
    await started({ kind: 'Move', locationId: null, deviceIds: [one] });
    expect((await fieldsOf(one))['locationId']).toBeNull();
    const theirs = await world.tenant();
    expect(detailsOf(await start({ kind: 'Move', subscriptionId: theirs.subscriptionId, deviceIds: [one] }))).toEqual([
      'subscriptionId: Subscription was not found in this tenant.',
    ]);
  });

  it('says what is missing', async () => {
    const one = [await device()];
    for (const [kind, text] of [
      ['AddOperations', 'deviceOperationIds: Send the operations to copy.'],
      ['SetTracing', 'traceMinutes: Send for how many minutes the devices are traced.'],
      ['EditTags', 'addTags: Send tags to add or to remove.'],
      ['Move', 'locationId: Send a location or a subscription.'],
    ] as const)
      expect(detailsOf(await start({ kind, deviceIds: one, addTags: [] }))).toEqual([text]);
    expect(detailsOf(await start({ kind: 'AddOperations', deviceOperationIds: [randomUUID()], deviceIds: one }))).toEqual([
      'deviceOperationIds.0: Device operation was not found in this tenant.',
    ]);
  });
});

describe('before the start', () => {
  const ask = (what: string, body: object, caller: TestCaller | null = me) =>
    world.call(caller, 'POST', `/v1/campaigns/${what}`, { tenantId: home.tenantId, ...body });
  const reported = (deviceId: string) =>
    world.system.db.query({
      text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values ($1, $2, now(), now(), uuidv7(), '{}')`,
      values: [deviceId, home.tenantId],
    });

  it('tells how many devices are offline, disabled, have it already or cannot', async () => {
    const [good, silent, without, queued, off] = [
      await withOperation(),
      await withOperation(),
      await device(),
      await withOperation(),
      await device({ enabled: false }),
    ];
    await reported(good);
    await started(runIt([queued]));
    const all = [good, silent, without, queued, off];
    expect((await ask('preview', runIt(all))).body).toEqual({ total: 5, offline: 1, disabled: 1, already: 1, unable: 1, needed: 0 });
    expect((await ask('preview', { kind: 'RestartAgent', deviceIds: all })).body).toMatchObject({ offline: 3, already: 0, unable: 0 });
    const removal = { kind: 'RemovePackage', packageId: created.packageId, deviceIds: [await device()] };
    expect((await ask('preview', removal)).body).toMatchObject({ total: 1, already: 1 });
  });

  it('offers the operations that the devices have, and the versions with how many have them', async () => {
    const [one, two] = [await withOperation(), await device()];
    await world.call(me, 'POST', `/v1/deviceInstallations/${two}/packages`, [
      { packageId: created.packageId, packageVersionId: created.versions['1.0.0'] },
    ]);
    await reportInstallation(two, 'Installed');
    const { body } = await ask('choices', { deviceIds: [one, two] });
    expect(body['operations']).toEqual([
      { operationId: created.operationId, name: 'Measure', packageName: 'Checks', devices: 1, addable: true, labels: [] },
    ]);
    const packages = body['packages'] as { packageId: string; devices: number; versions: object[] }[];
    expect(packages.find((row) => row.packageId === created.packageId)).toMatchObject({
      devices: 1,
      versions: [
        { version: '1.1.0', devices: 0 },
        { version: '1.0.0', devices: 1 },
      ],
    });
  });

  it('needs the right to edit the devices', async () => {
    const theirs = await world.tenant();
    for (const [what, more] of [['preview', { kind: 'RestartAgent' }] as const, ['choices', {}] as const]) {
      const body = { ...more, deviceIds: [await device()] };
      expect((await ask(what, body, null)).status).toBe(401);
      expect((await ask(what, body, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
      expect((await ask(what, body, holder([theirs.tenantId]))).status).toBe(403);
      expect(detailsOf(await ask(what, { ...body, deviceIds: [randomUUID()] }))).toEqual([
        'deviceIds.0: Device was not found in this tenant.',
      ]);
    }
  });
});

describe('who may, and on what', () => {
  it('needs a sign-in and the right to edit devices of the tenant', async () => {
    const one = await device();
    const body = { kind: 'RestartAgent', deviceIds: [one] };
    expect((await start(body, null)).status).toBe(401);
    expect((await start(body, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    const theirs = await world.tenant();
    expect((await start(body, holder([theirs.tenantId]))).status).toBe(403);
    const id = await started(body);
    const view = 'CloudFit.CFS.Devices:view';
    const sets = new Map([
      [home.tenantId, new Set([view])],
      [theirs.tenantId, new Set([view, 'CloudFit.CFS.Devices:edit'])],
    ]);
    for (const what of ['stop', 'retryFailed']) {
      expect((await call(id, what, { tenants: [home.tenantId, theirs.tenantId], permissions: sets })).status).toBe(403);
      expect((await call(id, what, null)).status).toBe(401);
      expect((await call(id, what, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
      expect((await call(id, what, holder([theirs.tenantId]))).status).toBe(404);
    }
    expect((await world.call(holder([theirs.tenantId]), 'GET', `/v1/campaignDevices?$filter=campaignId eq ${id}`)).body.value).toEqual([]);
  });

  it('refuses devices, operations and versions of another tenant', async () => {
    const theirs = await world.tenant();
    const both = holder([home.tenantId, theirs.tenantId]);
    const their = await device({}, theirs);
    const answer = await start({ kind: 'RestartAgent', deviceIds: [await device(), their] }, both);
    expect([answer.status, detailsOf(answer)]).toEqual([400, ['deviceIds.1: Device was not found in this tenant.']]);
    const { operationId, packageId, versions } = await makePackage(world, { tenantId: theirs.tenantId });
    const mine = [await device()];
    expect(detailsOf(await start({ kind: 'RunOperation', operationId, deviceIds: mine }, both))).toEqual([
      'operationId: Operation was not found.',
    ]);
    expect(detailsOf(await start({ kind: 'InstallVersion', packageVersionId: versions['1.0.0'], deviceIds: mine }, both))).toEqual([
      'packageVersionId: Version was not found.',
    ]);
    expect(detailsOf(await start({ kind: 'RemovePackage', packageId, deviceIds: mine }, both))).toEqual([
      'packageId: Package was not found.',
    ]);
  });

  it('names what is wrong in the request', async () => {
    const one = await device();
    expect(detailsOf(await start({ kind: 'RestartAgent' }))).toEqual(['deviceIds: Send either deviceIds or filter.']);
    expect(detailsOf(await start({ kind: 'RunOperation', deviceIds: [one] }))).toEqual(['operationId: Send the operation to run.']);
    expect(detailsOf(await start({ kind: 'RestartAgent', filter: "name eq 'nobody'" }))).toEqual(['filter: The filter matches no device.']);
    expect((await start({ kind: 'RestartAgent', filter: 'nonsense eq 1' })).status).toBe(400);
    const many = Array.from({ length: 1_001 }, () => randomUUID());
    expect(detailsOf(await start({ kind: 'RestartAgent', deviceIds: many }))).toEqual([
      'deviceIds: Name at most 1,000 devices, or choose more by a filter.',
    ]);
  });
});
