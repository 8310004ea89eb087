/** Maintenance windows: which entities they concern, what they hold, which notes a change gets, and which windows are read. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileRule, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../../db/db.ts';
import type { NewMatch } from '../decide-matches.ts';
import type { Entity } from '../entity.ts';
import { inMaintenance, isHeldAt } from './maintenance.ts';
import {
  expects,
  indexWindows,
  isOnSilenceOrState,
  openMaintenanceWindows,
  windowsAt,
  type MaintenanceWindow,
} from './maintenance-windows.ts';
import { createFlow, silent, until, type Flow } from '../../testing/flow.ts';
import { hitAt, indexOf, ruleOf, web } from '../../testing/hits.ts';
import { noteUnexpected } from './unexpected.ts';

const windowOf = (extra: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  maintenanceWindowId: 'w1',
  tenantId: 't1',
  reason: 'New disk',
  from: 1_000,
  until: 2_000,
  deviceIds: ['web'],
  locationId: null,
  selection: null,
  left: [],
  workUnitId: null,
  publicWorkUnitId: null,
  isChange: false,
  ruleIds: null,
  holdsSilence: false,
  ...extra,
});
const about = (LeftOperand: number, extra: Partial<Condition> = {}): Condition => ({
  Type: 'And',
  LeftOperand,
  Operator: 3,
  RightOperand: '60',
  ...extra,
});
const compiled = (...conditions: Condition[]): CompiledRule => compileRule(ruleOf({ ruleTypeId: 3, conditions }));
const cpu = compiled(about(62, { LeftOperandFieldName: 'Cpu' }));
const state = compileRule(ruleOf({ conditions: [{ ...about(63, { LeftOperandFieldName: 'Service' }), Operator: 1 }] }));
const silence = compiled(about(70));

describe('a window', () => {
  const idsAt = (at: number, entity: Entity = web, ...windows: MaintenanceWindow[]) =>
    indexWindows(windows.length > 0 ? windows : [windowOf()])
      .concerning(entity, at)
      .map((window) => window.maintenanceWindowId);

  it('concerns its devices from its begin until its end, of its tenant', () => {
    expect([999, 1_000, 1_999, 2_000].map((at) => idsAt(at).length)).toEqual([0, 1, 1, 0]);
    expect(idsAt(1_000, { ...web, id: 'operation' })).toEqual(['w1']);
    expect(idsAt(1_000, { ...web, device: { id: 'db' } })).toEqual([]);
    expect(idsAt(1_000, { ...web, tenantId: 't2' })).toEqual([]);
    expect(idsAt(1_000, { ...web, device: undefined })).toEqual([]);
    expect(idsAt(1_000, web, windowOf(), windowOf({ maintenanceWindowId: 'w2' }))).toEqual(['w1', 'w2']);
  });

  it('concerns the devices of its tenant at its location', () => {
    const there = windowOf({ deviceIds: [], locationId: 'l1' });
    const at = (device: object, tenantId = 't1') => idsAt(1_000, { ...web, tenantId, device: { id: 'web', ...device } }, there);
    expect([at({ locationId: 'l1' }), at({ locationId: 'l2' }), at({ locationId: null }), at({})]).toEqual([['w1'], [], [], []]);
    expect(at({ locationId: 'l1' }, 't2')).toEqual([]);
    const both = { ...web, device: { id: 'web', locationId: 'l1' } };
    expect(idsAt(1_000, both, there, windowOf({ maintenanceWindowId: 'w2' }))).toEqual(['w2', 'w1']);
  });

  it('is in force for its time', () => {
    const index = indexWindows([windowOf()]);
    expect([999, 1_000, 1_999, 2_000].map((at) => index.isAnyAt(at))).toEqual([false, true, true, false]);
    expect([index.size, indexWindows([]).size, indexWindows([]).isAnyAt(1_000)]).toEqual([1, 0, false]);
  });

  it('holds all rules, or those that it names and rules on silence and states', () => {
    expect([silence, state, cpu].map(isOnSilenceOrState)).toEqual([true, true, false]);
    expect(expects(windowOf(), 'r1', undefined)).toBe(true);
    const some = (ruleId: string, rule: CompiledRule | undefined, holdsSilence = false) =>
      expects(windowOf({ ruleIds: ['r1'], holdsSilence }), ruleId, rule);
    expect([some('r1', undefined), some('r1', cpu), some('r2', cpu), some('r2', silence)]).toEqual([true, true, false, false]);
    expect([some('r2', silence, true), some('r2', state, true), some('r2', cpu, true), some('r2', undefined, true)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('a match', () => {
  const by = (...windows: MaintenanceWindow[]) => ({ rules: indexOf(), windows: indexWindows(windows) });

  it('is held by a window that expects its rule, or by a rule', () => {
    const isHeldBy = (window: Partial<MaintenanceWindow>) => isHeldAt(by(windowOf(window)), web, 1_500, 'r1', cpu);
    expect([isHeldBy({}), isHeldBy({ ruleIds: [] }), isHeldBy({ until: 1_400 })]).toEqual([true, false, false]);
    const night = ruleOf({ ruleId: 'm1', ruleTypeId: 5, conditions: [{ ...about(31), Operator: 1, RightOperand: 'web' }] });
    expect(isHeldAt({ rules: indexOf(night), windows: indexWindows([]) }, web, 1_500, 'r1', cpu)).toBe(true);
    expect(isHeldAt(by(), web, 1_500, 'r1', cpu)).toBe(false);
  });

  it('waits for a window of its own time, or of now', () => {
    const waits = (at: number, now: number, ...windows: MaintenanceWindow[]) => inMaintenance(by(...windows), hitAt(at), now);
    expect([waits(1_500, 5_000, windowOf()), waits(500, 1_500, windowOf()), waits(500, 5_000, windowOf())]).toEqual([true, true, false]);
    expect(waits(1_500, 1_500)).toBe(false);
  });
});

describe('the notes of a change', () => {
  const opened = (count = 1, extra: object = {}, entity: Entity = web) =>
    Array.from(
      { length: count },
      (_, n) =>
        ({
          hit: { ...hitAt(1_500, ruleOf(), entity), packet: { ...hitAt(1_500).packet, packetId: `p${n}` } },
          suppressed: undefined,
          ...extra,
        }) as unknown as NewMatch,
    );
  const change = windowOf({ isChange: true, workUnitId: 7, publicWorkUnitId: 12, ruleIds: [] });
  const notes = async (matches: NewMatch[], ...windows: MaintenanceWindow[]) => {
    const sent: Statement[] = [];
    const query = (statement: Statement) => Promise.resolve(sent.push(statement) && []);
    await noteUnexpected({ query } as unknown as Db, matches, { rules: indexOf(), windows: indexWindows(windows) });
    expect(sent.length).toBeLessThanOrEqual(1);
    return sent.flatMap(({ values = [] }) => JSON.parse(String(values[0])) as { work_unit_id: number; detail: string }[]);
  };

  it('name each match of its devices that it did not expect', async () => {
    expect(await notes(opened(), change)).toEqual([
      { work_unit_id: 7, tenant_id: 't1', detail: 'Unexpected during change #12: High CPU matched web.', correlation_id: 'p0' },
    ]);
    const scan = { ...web, id: 'o1', name: 'Scan', device: { id: 'web', name: 'web-1' } };
    expect((await notes(opened(1, {}, scan), change))[0]?.detail).toBe('Unexpected during change #12: High CPU matched Scan on web-1.');
    const [north, none] = [{ ...web, device: undefined }, windowOf({ deviceIds: [] })];
    expect(await notes(opened(1, {}, north), change, none)).toEqual([]);
    const other = { ...change, maintenanceWindowId: 'w2', workUnitId: 8, publicWorkUnitId: 13 };
    expect((await notes(opened(2), change, other)).map((note) => note.work_unit_id)).toEqual([7, 7, 8, 8]);
  });

  it('are none of what it held, of other maintenance, and outside of its time', async () => {
    for (const suppressed of ['late', 'maintenance']) expect(await notes(opened(1, { suppressed }), change)).toEqual([]);
    for (const window of [windowOf(), { ...change, isChange: false }, { ...change, workUnitId: null }, { ...change, from: 1_501 }])
      expect(await notes(opened(), window)).toEqual([]);
    expect(await notes(opened())).toEqual([]);
  });

  it('are twenty at once, and how many more there are', async () => {
    expect(await notes(opened(20), change)).toHaveLength(20);
    const all = await notes(opened(22), change);
    expect([all.length, all[19]?.detail, all[20]]).toMatchObject([
      21,
      'Unexpected during change #12: High CPU matched web.',
      { work_unit_id: 7, detail: '2 more matches of the same moment were unexpected too.' },
    ]);
  });
});

describe('the windows on record', () => {
  let flow: Flow;
  beforeAll(async () => {
    flow = await createFlow();
  });
  afterAll(() => flow.close());

  const add = async (tenantId: string, from: number, until: number): Promise<string> => {
    const [row] = await flow.rows<{ id: string }>(
      `insert into maintenance_window (tenant_id, reason, starts_at, ends_at) values ($1, 'x', $2, $3) returning maintenance_window_id as id`,
      tenantId,
      new Date(from).toISOString(),
      new Date(until).toISOString(),
    );
    return row?.id ?? '';
  };
  const tenant = async () =>
    (await flow.rows<{ id: string }>('insert into tenant (name) values ($1) returning tenant_id as id', randomUUID()))[0]?.id ?? '';

  it('are those of the tenant that were in force at a time', async () => {
    const [ownTenant, other] = [await tenant(), await tenant()];
    const at = Date.parse('2026-11-20T12:00:00.000Z');
    const within = [await add(ownTenant, at, at + 1), await add(ownTenant, at - 5_000, at + 5_000)];
    await add(ownTenant, at + 1, at + 5_000);
    await add(ownTenant, at - 5_000, at);
    await add(other, at, at + 1);
    expect((await windowsAt(flow.db, ownTenant, at)).map((window) => window.maintenanceWindowId)).toEqual(within);
    expect((await windowsAt(flow.db, ownTenant, at))[0]).toMatchObject({
      tenantId: ownTenant,
      from: at,
      until: at + 1,
      reason: 'x',
      workUnitId: null,
    });
  });

  it('are of the devices that they name, of those of their filter, and of their work unit', async () => {
    const [ownTenant, at] = [await tenant(), Date.now()];
    const [plain, filtered, empty] = [await add(ownTenant, at, at + 1), await add(ownTenant, at, at + 1), await add(ownTenant, at, at + 1)];
    const [named, filteredDevice, other] = [randomUUID(), randomUUID(), randomUUID()];
    await flow.rows(
      `update maintenance_window set device_ids = $2, device_filter = case when maintenance_window_id <> $3 then 'name eq 1' end where tenant_id = $1`,
      ownTenant,
      JSON.stringify([named]),
      plain,
    );
    for (const [id, device] of [
      [filtered, filteredDevice],
      [plain, other],
    ])
      await flow.rows('insert into maintenance_window_device values ($1, $2, $3)', id, device, ownTenant);
    const [unit] = await flow.rows<{ id: number; public: number }>(
      `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Swap', 1, 'test', 'test') returning work_unit_id as id, public_work_unit_id as public`,
      ownTenant,
    );
    await flow.rows('update maintenance_window set work_unit_id = $2 where maintenance_window_id = $1', plain, unit?.id);
    expect(
      (await windowsAt(flow.db, ownTenant, at)).map((window) => [window.maintenanceWindowId, window.deviceIds, window.publicWorkUnitId]),
    ).toEqual([
      [plain, [named], unit?.public],
      [filtered, [named, filteredDevice], null],
      [empty, [named], null],
    ]);
  });

  it('are kept for eight days after their end, and read again after a change', async () => {
    await flow.rows('delete from maintenance_window');
    const windows = await openMaintenanceWindows({ database: flow.database, log: silent });
    try {
      expect(windows.current().size).toBe(0);
      const ownTenant = await tenant();
      const dayMs = 86_400_000;
      await add(ownTenant, Date.now() - 9 * dayMs, Date.now() - 8 * dayMs + 60_000);
      await add(ownTenant, Date.now() - 9 * dayMs, Date.now() - 8 * dayMs - 60_000);
      await flow.rows("select pg_notify('maintenance', '')");
      await until(() => windows.current().size > 0);
      expect(windows.current().size).toBe(1);
    } finally {
      await windows.stop();
    }
  });
});
