/** An approved change holds the matches that it expects, raises unexpected ones, and is compared with what happened. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ChangeReview, PlanCollision } from '@cloudfit/contract/maintenance/calls.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import type { Entity } from '../run/entity.ts';
import { maintenanceWork } from '../run/maintenance/maintenance-work.ts';
import { silent, until } from '../testing/flow.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let automation: Automation;
let ingest: Ingest;

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  ingest = await openIngest({ database: world.database, log: silent });
});
beforeEach(async () => {
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await ingest.stop();
  await automation.stop();
  await world.close();
});

type Body = Record<string, unknown>;
const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function call(method: string, url: string, body?: Body): Promise<Body> {
  const answer = await world.call(me, method, url, body);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`);
  return answer.body;
}
const device = async (): Promise<string> =>
  String((await call('PUT', '/v1/devices', { name: `web-${crypto.randomUUID().slice(0, 8)}`, ...home }))['deviceId']);

async function rule(name: string, deviceId: string, condition: Body, SeverityId = 'Sev3'): Promise<string> {
  const { ruleId } = await call('PUT', '/v1/rules', {
    name,
    ruleTypeId: 1,
    ...home,
    conditions: [
      { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: deviceId },
      { Type: 'And', ...condition },
    ],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId } }],
  });
  await until(() => ingest.rules.ingestion().get(String(ruleId)) !== undefined);
  return String(ruleId);
}
const over = (metric: string) => ({ LeftOperand: 62, LeftOperandFieldName: metric, Operator: 3, RightOperand: '90' });
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const plan = {
  severityId: 'Sev3',
  workUnitTypeId: 2,
  implementationPlan: 'Swap it.',
  rollbackPlan: 'Swap it back.',
  affectedResources: 'Web servers',
  environment: 'Production',
  expectedCFSAlerts: 'Load',
  approver1: 'first@example.com',
  approver2: 'second@example.com',
  resolution: 'None yet.',
};
async function change(title: string, more: Body): Promise<{ workUnitId: number; publicWorkUnitId: number }> {
  const times = { plannedStartTime: inMinutes(-10), plannedFinishTime: inMinutes(60) };
  const { workUnitId, publicWorkUnitId } = await call('PUT', '/v1/workunits', {
    ...plan,
    ...times,
    title,
    tenantId: home.tenantId,
    ...more,
  });
  return { workUnitId: Number(workUnitId), publicWorkUnitId: Number(publicWorkUnitId) };
}
const approve = (workUnitId: number) => call('POST', `/v1/workunits/${workUnitId}/overrideApproval`, { reason: 'Tested' });
const isHeld = (deviceId: string, is: boolean) => {
  const entity = { id: deviceId, tenantId: home.tenantId, device: { id: deviceId } } as Entity;
  return until(() => is === ingest.rules.windows().concerning(entity, Date.now()).length > 0);
};
async function send(entityId: string, message: Body): Promise<void> {
  const token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  const { value } = await ingest.ingestBody(token, [{ entityId, message }], 'application/json');
  expect(value.map(({ status }) => status)).toEqual(['stored']);
}
const feed = async (workUnitId: number): Promise<string[]> =>
  ((await call('GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${workUnitId})`))['value'] as { detail: string }[]).map(
    ({ detail }) => detail,
  );
const unitsOf = (ruleId: string) =>
  rows<{ id: number; severity: string; state: string }>(
    'select work_unit_id as id, severity_id as severity, state_id as state from work_unit where rule_id = $1 order by 1',
    ruleId,
  );
const unmatched = async (ruleId: string) =>
  (await rows('select 1 from rule_match where rule_id = $1 and work_unit_id is null', ruleId)).length;
const matchOf = async (ruleId: string) =>
  (
    await rows<{ waits: boolean }>(
      'select held_since is not null and held_until is null as waits from rule_match where rule_id = $1',
      ruleId,
    )
  )[0];

describe('an approved change', () => {
  it('holds what it expects, and raises what it does not with a note', async () => {
    const deviceId = await device();
    const [load, disk] = [await rule('Load', deviceId, over('Load')), await rule('Disk', deviceId, over('Disk'))];
    const fan = await rule('Fan', deviceId, over('Fan'));
    const { workUnitId, publicWorkUnitId } = await change('Swap the fan', { affectedDevices: [deviceId], expectedRules: [load, fan] });
    // Nothing is held before the approval.
    expect(await rows('select 1 from maintenance_window where work_unit_id = $1', workUnitId)).toEqual([]);
    await approve(workUnitId);
    await isHeld(deviceId, true);
    await send(deviceId, { Metrics: { Load: 99, Disk: 99 } });
    expect(await matchOf(load)).toEqual({ waits: true });
    const raised = await until(async () => (await unitsOf(disk))[0]);
    expect([raised.severity, await unitsOf(load)]).toEqual(['Sev2', []]);
    expect(await feed(raised.id)).toContain(`Severity raised from Sev3 to Sev2: unexpected during change #${publicWorkUnitId}.`);
    const notes = await until(async () => {
      const details = (await feed(workUnitId)).filter((detail) => detail.startsWith(`Unexpected during change #${publicWorkUnitId}: `));
      return details.length === 2 && details;
    });
    expect(notes).toEqual(
      expect.arrayContaining([expect.stringMatching(/: Disk matched web-/), expect.stringMatching(/: #\d+ Disk: web-/)]),
    );
    const why = await call('GET', `/v1/explain?entityId=${deviceId}`);
    expect(why['summary']).toContain(`held by change #${publicWorkUnitId} (Swap the fan)`);
    expect(why['maintenance']).toMatchObject({
      inMaintenance: true,
      windows: [{ isChange: true, workUnitId, publicWorkUnitId }],
      until: expect.any(String) as string,
    });
    const ofRule = await call('GET', `/v1/rules/${load}/explain?entityId=${deviceId}`);
    expect(ofRule['reasons']).toContainEqual(expect.stringContaining(`held by change #${publicWorkUnitId} (Swap the fan)`));
    expect((await call('GET', `/v1/rules/${disk}/explain?entityId=${deviceId}`))['maintenance']).toMatchObject({ windows: [] });
    // For a rule that did not match, the entity still counts as being in maintenance.
    const missed = await call('GET', `/v1/rules/${fan}/explain?entityId=${deviceId}`);
    expect(missed).toMatchObject({ match: null, maintenance: { inMaintenance: true } });

    const review = (await call('GET', `/v1/workunits/${workUnitId}/changeReview`)) as unknown as ChangeReview;
    expect(review.devices).toEqual([
      expect.objectContaining({ deviceId, before: 0, during: 2, unexpected: 1, after: 0, open: 2, reports: true, versions: [] }),
    ]);
    expect(review.leftOut).toBe(0);
    // At the end of the change, the actions of held matches that are still open run, at the severity of the rule.
    await call('POST', `/v1/workunits/${workUnitId}`, { stateId: 'Canceled' });
    await isHeld(deviceId, false);
    await maintenanceWork(ingest).run(world.system.db);
    expect((await until(async () => (await unitsOf(load))[0])).severity).toBe('Sev3');
  });

  it('raises a unit that was open before it, once', async () => {
    const deviceId = await device();
    const disk = await rule('Disk', deviceId, over('Disk'));
    const again = async (): Promise<void> => {
      await send(deviceId, { Metrics: { Disk: 99 } });
      await until(async () => (await unmatched(disk)) === 0);
      await rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1 and closed is null", disk);
      await expireMatches(world.system.db);
    };
    await again();
    const { workUnitId, publicWorkUnitId } = await change('Move the disk', { affectedDevices: [deviceId] });
    await approve(workUnitId);
    await isHeld(deviceId, true);
    await again();
    await again();
    const [unit, ...more] = await unitsOf(disk);
    expect([unit?.severity, more]).toEqual(['Sev2', []]);
    const raised = `Severity raised from Sev3 to Sev2: unexpected during change #${publicWorkUnitId}.`;
    expect((await feed(Number(unit?.id))).filter((detail) => detail === raised)).toHaveLength(1);
    expect((await feed(workUnitId)).filter((detail) => /: #\d+ Disk/.test(detail))).toHaveLength(1);
  });

  it('raises the unit of a group that was open before it, when a match on its devices joins', async () => {
    const [before, during] = [await device(), await device()];
    const both = { LeftOperand: 30, Operator: 1, RightOperand: before };
    const disk = await rule('Disk', during, over('Disk'));
    const conditions = [both, over('Disk'), { ...both, Type: 'Or', RightOperand: during }, over('Disk')].map((item) => ({
      Type: 'And',
      ...item,
    }));
    await call('POST', `/v1/rules/${disk}`, { groupBy: 'Rule', conditions });
    await until(() => ingest.rules.ingestion().get(disk)?.groups.length === 2);
    await send(before, { Metrics: { Disk: 99 } });
    const opened = await until(async () => (await unitsOf(disk))[0]);
    await until(async () => (await rows('select 1 from match_group where rule_id = $1 and work_unit_id is not null', disk)).length === 1);
    expect(opened.severity).toBe('Sev3');
    const { workUnitId, publicWorkUnitId } = await change('Move the disk', { affectedDevices: [during] });
    await approve(workUnitId);
    await isHeld(during, true);
    await send(during, { Metrics: { Disk: 99 } });
    await until(async () => (await unitsOf(disk))[0]?.severity === 'Sev2');
    const raised = `Severity raised from Sev3 to Sev2: unexpected during change #${publicWorkUnitId}.`;
    expect((await feed(opened.id)).filter((detail) => detail === raised)).toHaveLength(1);
    expect((await feed(workUnitId)).filter((detail) => /: #\d+ Disk/.test(detail))).toHaveLength(1);
    expect(await unitsOf(disk)).toHaveLength(1);
  });

  it('expects silence and states where it says so', async () => {
    const deviceId = await device();
    const service = { LeftOperand: 63, LeftOperandFieldName: 'Service', Operator: 1, RightOperand: 'stopped' };
    const [state, load] = [await rule('Service', deviceId, service), await rule('Load', deviceId, over('Load'))];
    const { workUnitId } = await change('Restart', { affectedDevices: [deviceId], expectsSilence: true });
    await approve(workUnitId);
    await isHeld(deviceId, true);
    await send(deviceId, { States: { Service: 'stopped' }, Metrics: { Load: 99 } });
    expect(await matchOf(state)).toEqual({ waits: true });
    expect(await matchOf(load)).toEqual({ waits: false });
    await maintenanceWork(ingest).run(world.system.db);
    expect(await matchOf(state)).toEqual({ waits: true });
  });

  it('follows its plan, and holds nothing once its approval is withdrawn by an edit', async () => {
    const [deviceId, free] = [await device(), await device()];
    // Where the tenant does without approvals, the plan alone is enough.
    await call('POST', `/v1/tenants/${home.tenantId}`, { changesNeedApproval: false });
    await change('Dust', { affectedDevices: [free] });
    await isHeld(free, true);
    await call('POST', `/v1/tenants/${home.tenantId}`, { changesNeedApproval: true });
    const { workUnitId } = await change('Move', { affectedDevices: [deviceId] });
    await approve(workUnitId);
    await isHeld(deviceId, true);
    await call('POST', `/v1/workunits/${workUnitId}`, { plannedStartTime: inMinutes(30) });
    await isHeld(deviceId, false);
    await call('POST', `/v1/workunits/${workUnitId}`, { plannedStartTime: inMinutes(-30) });
    await isHeld(deviceId, true);
    await call('POST', `/v1/workunits/${workUnitId}`, { affectedDevices: [] });
    await isHeld(deviceId, false);
    const [window] = await rows<{ id: string }>(
      'select maintenance_window_id as id from maintenance_window where work_unit_id = $1',
      workUnitId,
    );
    const audits = await rows<{ verb: string }>(
      "select verb from audit where entity = 'maintenanceWindows' and entity_id = $1 order by audit_id",
      window?.id,
    );
    expect(audits.map(({ verb }) => verb)).toEqual(['create', 'update', 'update', 'update']);
  });

  it('asks for its approval again when its devices or what it expects change', async () => {
    const deviceId = await device();
    const { workUnitId } = await change('Patch', { affectedDevices: [deviceId] });
    await rows(
      "update work_unit set approved1_by = 'first@example.com', approved2_by = 'second@example.com' where work_unit_id = $1",
      workUnitId,
    );
    const editor = holder([home.tenantId], ['CloudFit.CFS.WorkUnits:edit', 'CloudFit.CFS.WorkUnits:view']);
    const answer = await world.call(editor, 'POST', `/v1/workunits/${workUnitId}`, { expectsSilence: true });
    expect(answer.body).toMatchObject({ expectsSilence: true, approved1By: null, approved2By: null });
  });

  it('names only devices and rules of its tenant', async () => {
    const answer = await world.call(me, 'PUT', '/v1/workunits', {
      ...plan,
      plannedStartTime: inMinutes(1),
      plannedFinishTime: inMinutes(2),
      title: 'Elsewhere',
      tenantId: home.tenantId,
      affectedDevices: [crypto.randomUUID()],
      expectedRules: [crypto.randomUUID()],
    });
    const { details } = answer.body['error'] as { details: { target: string }[] };
    expect([answer.status, details.map(({ target }) => target)]).toEqual([400, ['affectedDevices', 'expectedRules']]);
  });
});

describe('a plan', () => {
  const collide = async (deviceIds: string[], more: Body = {}) =>
    (
      await call('POST', '/v1/maintenance/collisions', {
        tenantId: home.tenantId,
        deviceIds,
        from: inMinutes(0),
        until: inMinutes(30),
        ...more,
      })
    )['value'] as PlanCollision[];

  it('collides with other changes, maintenances and maintenance rules of its devices', async () => {
    const [deviceId, elsewhere] = [await device(), await device()];
    const planned = await change('Planned', { affectedDevices: [deviceId] });
    const approved = await change('Approved', { affectedDevices: [deviceId] });
    await approve(approved.workUnitId);
    await change('Elsewhere', { affectedDevices: [elsewhere] });
    await change('Later', { affectedDevices: [deviceId], plannedStartTime: inMinutes(600), plannedFinishTime: inMinutes(700) });
    await call('PUT', '/v1/maintenanceWindows', {
      reason: 'Memory',
      tenantId: home.tenantId,
      deviceIds: [deviceId, elsewhere],
      endsAt: inMinutes(20),
    });
    const night = await call('PUT', '/v1/rules', {
      name: 'Every night',
      ruleTypeId: 5,
      ...home,
      conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: deviceId }],
      timeConditions: { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'UTC' },
    });
    const names = (all: PlanCollision[]) => all.map(({ kind, name, devices }) => `${kind} ${name} ${devices}`).toSorted();
    await expect
      .poll(async () => names(await collide([deviceId])), { timeout: 20_000 })
      .toEqual(['change Approved 1', 'change Planned 1', 'rule Every night 1', 'window Memory 1']);
    expect(names(await collide([deviceId], { workUnitId: approved.workUnitId }))).not.toContain('change Approved 1');
    expect(names(await collide([deviceId], { workUnitId: planned.workUnitId }))).not.toContain('change Planned 1');
    expect(night['ruleId']).toBeDefined();
  });

  it('collides with what overlaps it at its devices or their location, each once, except itself', async () => {
    const [begin, end] = [Date.parse('2027-03-01T10:00:00.000Z'), Date.parse('2027-03-01T12:00:00.000Z')];
    const time = (at: number) => new Date(at).toISOString();
    const [ownTenant, other] = [await world.tenant(), await world.tenant()];
    const idOf = async (written: Promise<{ id: unknown }[]>) => String((await written)[0]?.id);
    const location = await idOf(
      rows<{ id: string }>("insert into location (tenant_id, name) values ($1, 'North') returning location_id as id", ownTenant.tenantId),
    );
    const deviceAt = (name: string, at: string | null, of = ownTenant) =>
      idOf(
        rows<{ id: string }>(
          'insert into device (tenant_id, subscription_id, name, location_id) values ($1, $2, $3, $4) returning device_id as id',
          of.tenantId,
          of.subscriptionId,
          name,
          at,
        ),
      );
    const [web, db, elsewhere] = [await deviceAt('web', location), await deviceAt('db', null), await deviceAt('else', null)];
    const foreign = await deviceAt('foreign', null, other);
    interface PlannedChange {
      from?: number;
      until?: number;
      devices?: string[];
      of?: string;
      state?: string;
      type?: number;
    }
    const unit = async (
      title: string,
      { from = begin, until = end, devices = [web], of = ownTenant.tenantId, state = 'New', type = 2 }: PlannedChange = {},
    ) =>
      Number(
        await idOf(
          rows<{ id: number }>(
            `insert into work_unit (tenant_id, title, work_unit_type_id, state_id, created_by, modified_by, planned_start_time, planned_finish_time, affected_devices)
           values ($1, $2, $3, $4, 'test', 'test', $5, $6, $7) returning work_unit_id as id`,
            of,
            title,
            type,
            state,
            time(from),
            time(until),
            JSON.stringify(devices),
          ),
        ),
      );
    const window = (
      reason: string,
      { from = begin, until = end, devices = [web], of = ownTenant.tenantId }: PlannedChange = {},
      more: Body = {},
    ) =>
      idOf(
        rows<{ id: string }>(
          `insert into maintenance_window (tenant_id, reason, starts_at, ends_at, device_ids, location_id, work_unit_id, is_change)
         values ($1, $2, $3, $4, $5, $6, $7, $8) returning maintenance_window_id as id`,
          of,
          reason,
          time(from),
          time(until),
          JSON.stringify(devices),
          more['location'] ?? null,
          more['unit'] ?? null,
          more['isChange'] ?? false,
        ),
      );
    const self = await unit('itself');
    await window('itself', {}, { unit: self, isChange: true });
    await window('of itself', {}, { unit: self });
    const approved = await unit('not twice');
    await window('approved', {}, { unit: approved, isChange: true });
    const waiting = await unit('waiting');
    await window('of another', { devices: [db] }, { unit: waiting });
    await window('at the location', { devices: [] }, { location });
    await window('last moment', { from: end - 1, until: end + 1, devices: [db, web, elsewhere] });
    await window('first moment', { from: begin - 1, until: begin + 1 });
    await unit('last moment of a plan', { from: end - 1, until: end + 1 });
    await unit('first moment of a plan', { from: begin - 1, until: begin + 1 });
    for (const apart of [
      { from: end, until: end + 1 },
      { from: begin - 1, until: begin },
      { devices: [elsewhere, foreign] },
      { of: other.tenantId },
    ]) {
      await unit('apart', apart);
      await window('apart', apart);
    }
    for (const state of ['Resolved', 'Closed', 'Canceled']) await unit(state, { state });
    await unit('an incident', { type: 1 });
    const ask = async (more: Body = {}) => {
      const body = { tenantId: ownTenant.tenantId, deviceIds: [db, web, foreign], from: time(begin), until: time(end), ...more };
      const { value } = (await world.call(holder([ownTenant.tenantId]), 'POST', '/v1/maintenance/collisions', body)).body;
      return (value as unknown as PlanCollision[])
        .map(({ kind, name, first, devices }) => `${kind} ${name}: ${first.join()} ${devices}`)
        .toSorted();
    };
    const all = [
      'change approved: web 1',
      'change first moment of a plan: web 1',
      'change last moment of a plan: web 1',
      'change waiting: web 1',
      'window at the location: web 1',
      'window first moment: web 1',
      'window last moment: db,web 2',
      'window of another: db 1',
      'window of itself: web 1',
    ];
    expect(await ask({ workUnitId: self })).toEqual(all);
    expect(await ask()).toEqual([...all, 'change itself: web 1'].toSorted());
    const day = { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'UTC' };
    const ruleAt = (name: string, DailyStartTime: string, DailyEndTime: string, more: Body = {}) =>
      world.call(holder([ownTenant.tenantId]), 'PUT', '/v1/rules', {
        name,
        ruleTypeId: 5,
        tenantId: ownTenant.tenantId,
        conditions: [{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'web' }],
        timeConditions: { ...day, DailyStartTime, DailyEndTime },
        ...more,
      });
    await ruleAt('before', '09:00', '10:00');
    await ruleAt('after', '12:00', '13:00');
    await ruleAt('within', '11:00', '11:30');
    await ruleAt('at the end', '11:59', '13:00');
    await ruleAt('of others', '11:00', '11:30', { conditions: [{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'else' }] });
    await expect
      .poll(async () => (await ask()).filter((text) => text.startsWith('rule')), { timeout: 20_000 })
      .toEqual(['rule at the end: web 1', 'rule within: web 1']);
    const blind = holder([ownTenant.tenantId], ['CloudFit.CFS.WorkUnits:view']);
    const body = { tenantId: ownTenant.tenantId, deviceIds: [web], from: time(begin), until: time(end) };
    const visibleOnes = (await world.call(blind, 'POST', '/v1/maintenance/collisions', body)).body['value'] as unknown as PlanCollision[];
    expect(visibleOnes.filter((visibleOne) => visibleOne.kind === 'rule')).toEqual([]);
  });

  it('is compared with what came before, during and after it', async () => {
    const [deviceId, deletedOne, silentOne] = [await device(), await device(), await device()];
    const expected = await rule('Load', deviceId, over('Load'));
    const { workUnitId } = await change('Reviewed', { affectedDevices: [deviceId, deletedOne, silentOne], expectedRules: [expected] });
    const minuteMs = 60_000;
    const begin = Date.now() - 120 * minuteMs;
    const end = begin + 30 * minuteMs;
    const time = (at: number) => new Date(at).toISOString();
    await rows(
      'update work_unit set planned_start_time = $2, planned_finish_time = $3 where work_unit_id = $1',
      workUnitId,
      time(begin),
      time(end),
    );
    await rows('update device set is_deleted = true where device_id = $1', deletedOne);
    const [operation] = await rows<{ id: string }>(
      `with o as (insert into operation (tenant_id, name, frequency_definitions) values ($1, 'Disk space', '[]') returning operation_id)
       insert into device_operation (tenant_id, device_id, operation_id, label, frequency_type_id, operation_type, package_executable_type, package_name, package_type)
       select $1, $2, operation_id, 'Disk', 1, 'x', 'x', 'x', 'x' from o returning device_operation_id as id`,
      home.tenantId,
      deviceId,
    );
    const match = (first: number, more: { ruleId?: string; of?: string; isOpen?: boolean; isHeld?: boolean } = {}) =>
      rows(
        `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, closed, held_since, correlation_id)
         values ($1, $2, $3, 'x', $4, $4, $4, $5, $6, gen_random_uuid())`,
        home.tenantId,
        more.ruleId ?? crypto.randomUUID(),
        more.of ?? deviceId,
        time(first),
        more.isOpen ? null : time(first + 1),
        more.isHeld ? time(first) : null,
      );
    const halfHour = 30 * minuteMs;
    await match(begin - halfHour);
    await match(begin - halfHour - 1);
    await match(begin - 9 * halfHour, { isOpen: true });
    await match(begin - 1);
    await match(begin);
    await match(end - 1, { isHeld: true });
    await match(begin + 5, { ruleId: expected });
    await match(begin + 6, { of: operation?.id ?? '' });
    await match(end, { isOpen: true });
    await match(begin, { of: crypto.randomUUID() });
    const [pkg] = await rows<{ id: string }>(
      "insert into package (tenant_id, name, executable_type_id, package_type_id) values ($1, 'Agent', 1, 1) returning package_id as id",
      home.tenantId,
    );
    for (const [of, status, at] of [
      [deviceId, 'later', begin + 10],
      [silentOne, 'before', begin - 1],
    ] as const)
      await rows(
        'insert into device_installation (tenant_id, device_id, package_id, install_status, status_changed) values ($1, $2, $3, $4, $5)',
        home.tenantId,
        of,
        pkg?.id,
        status,
        time(at),
      );
    for (const [history, field, value, at, of] of [
      ['WorkUnitStateChange', 'stateId', 'InProgress', begin + 5, workUnitId],
      ['WorkUnitStateChange', 'stateId', 'InProgress', begin + 9, workUnitId],
      ['WorkUnitEvent', 'stateId', 'InProgress', begin + 1, workUnitId],
      ['WorkUnitStateChange', 'title', 'InProgress', begin + 2, workUnitId],
      ['WorkUnitStateChange', 'stateId', 'Resolved', begin + 3, workUnitId],
    ] as const)
      await rows(
        `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, field, new_value, created, created_by, correlation_id)
         values ($1, $2, 'x', $3, $4, $5, $6, 'test', gen_random_uuid())`,
        of,
        home.tenantId,
        history,
        field,
        value,
        time(at),
      );
    const packet = (of: string, at: number) =>
      rows(
        `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values ($1, $2, $3, $3, gen_random_uuid(), '{}')
         on conflict (entity_id) do update set timestamp = excluded.timestamp`,
        of,
        home.tenantId,
        time(at),
      );
    const review = async () => (await call('GET', `/v1/workunits/${workUnitId}/changeReview`)) as unknown as ChangeReview;
    const of = ({ devices }: ChangeReview, id: string) => devices.find((device) => device.deviceId === id);
    await packet(deviceId, end);
    const first = await review();
    expect(of(first, deviceId)).toMatchObject({
      before: 3,
      during: 4,
      unexpected: 2,
      after: 1,
      open: 2,
      reports: true,
      lastPacket: time(end),
    });
    expect(of(first, deviceId)?.versions).toEqual([{ package: 'Agent', version: null, status: 'later', at: time(begin + 10) }]);
    expect(of(first, silentOne)).toMatchObject({
      before: 0,
      during: 0,
      unexpected: 0,
      after: 0,
      open: 0,
      reports: false,
      lastPacket: null,
      versions: [],
    });
    expect([first.devices.length, first.leftOut]).toEqual([2, 1]);
    expect(first).toMatchObject({ plannedStart: time(begin), plannedFinish: time(end), actualStart: time(begin + 5), actualFinish: null });
    await packet(deviceId, end - 1);
    expect(of(await review(), deviceId)?.reports).toBe(false);
    // While the change runs, a device counts as reporting if it sent a packet within the last minutes; before the change, that
    // is unknown.
    const plannedUntil = (from: number, until: number) =>
      rows(
        'update work_unit set planned_start_time = $2, planned_finish_time = $3 where work_unit_id = $1',
        workUnitId,
        time(from),
        time(until),
      );
    await plannedUntil(begin, Date.now() + 60 * minuteMs);
    await packet(deviceId, Date.now() - 7 * minuteMs);
    expect(of(await review(), deviceId)?.reports).toBe(false);
    await packet(deviceId, Date.now() - 2 * minuteMs);
    expect(of(await review(), deviceId)?.reports).toBe(true);
    await plannedUntil(Date.now() + 60 * minuteMs, Date.now() + 90 * minuteMs);
    expect(of(await review(), deviceId)?.reports).toBeNull();
  });

  it('is compared by who may view it', async () => {
    const deviceId = await device();
    const { workUnitId } = await change('Secret', { affectedDevices: [deviceId] });
    const other = await world.tenant();
    const body = { tenantId: home.tenantId, deviceIds: [deviceId], from: inMinutes(0), until: inMinutes(1) };
    const ask = (by: TestCaller | null, input: Body = body) => world.call(by, 'POST', '/v1/maintenance/collisions', input);
    expect((await ask(null)).status).toBe(401);
    expect((await ask(holder([other.tenantId]))).status).toBe(403);
    expect((await ask(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await ask(me, { ...body, until: body.from })).status).toBe(400);
    const review = (by: TestCaller | null) => world.call(by, 'GET', `/v1/workunits/${workUnitId}/changeReview`);
    expect((await review(null)).status).toBe(401);
    expect((await review(holder([other.tenantId]))).status).toBe(404);
    expect((await review(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    expect((await review(holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']))).body).toMatchObject({ devices: [], leftOut: 1 });
    expect((await world.call(me, 'GET', '/v1/workunits/x/changeReview')).status).toBe(400);
  });
});
