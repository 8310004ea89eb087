/** An approved change holds what it expects of its devices, raises what it does not, and is compared with what happened. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ChangeReview, PlanCollision } from '@cloudfit/contract/maintenance/calls.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import type { Entity } from '../entities.ts';
import { maintenanceWork } from '../maintenance-work.ts';
import { silent, until } from '../testing/flow.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let automation: Automation;
let ingest: Ingest;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant('Northwind');
  me = holder([home.tenantId]);
  automation = await startAutomation(world);
  ingest = await openIngest({ database: world.database, log: silent });
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
    const { workUnitId, publicWorkUnitId } = await change('Swap the fan', { affectedDevices: [deviceId], expectedRules: [load] });
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
    expect(why['maintenance']).toMatchObject({ inMaintenance: true, windows: [{ isChange: true, workUnitId, publicWorkUnitId }] });
    const ofRule = await call('GET', `/v1/rules/${load}/explain?entityId=${deviceId}`);
    expect(ofRule['reasons']).toContainEqual(expect.stringContaining(`held by change #${publicWorkUnitId} (Swap the fan)`));
    expect((await call('GET', `/v1/rules/${disk}/explain?entityId=${deviceId}`))['maintenance']).toMatchObject({ windows: [] });

    const review = (await call('GET', `/v1/workunits/${workUnitId}/changeReview`)) as unknown as ChangeReview;
    expect(review.devices).toEqual([
      expect.objectContaining({ deviceId, before: 0, during: 2, unexpected: 1, after: 0, open: 2, reports: true, versions: [] }),
    ]);
    expect(review.leftOut).toBe(0);
    // The change ends: what it held and is still open is notes, at its own severity.
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
    const deviceId = await device();
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

  it('is compared by who may view it', async () => {
    const deviceId = await device();
    const { workUnitId } = await change('Secret', { affectedDevices: [deviceId] });
    const other = await world.tenant('Southwind');
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
