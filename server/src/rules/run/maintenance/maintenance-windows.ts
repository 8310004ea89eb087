/** Maintenance windows of people and of approved changes, in memory. Notifications of the database keep them up to date. */
import type { Logger } from 'pino';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import type { Database } from '../../../db/connection.ts';
import type { Db } from '../../../db/db.ts';
import type { Channel } from '../../../db/notify.ts';
import type { Entity } from '../entity.ts';

export interface MaintenanceWindow {
  maintenanceWindowId: string;
  tenantId: string;
  reason: string;
  /** Epoch milliseconds. */
  from: number;
  until: number;
  deviceIds: readonly string[];
  locationId: string | null;
  /** Covers the devices of the selection while they are in it. The name is empty for a reader who may not see the selection. */
  selection: { deviceSelectionId: string; name: string } | null;
  /** When devices that have left the selection were in it. */
  left: readonly { deviceId: string; since: number; until: number }[];
  workUnitId: number | null;
  publicWorkUnitId: number | null;
  isChange: boolean;
  /** The rules whose matches the window holds; null: of all rules. */
  ruleIds: readonly string[] | null;
  /** Whether the window also holds matches of rules on silence and states. */
  holdsSilence: boolean;
}

/** The properties of a match's rule that a window needs. */
export type ExpectedRule = Pick<CompiledRule, 'ruleId' | 'silenceMs' | 'conditions'>;

/** Immutable: a change creates another index. */
export interface WindowIndex {
  /** The number of windows in the index: present and future ones, and those of the last days. */
  readonly size: number;
  /** The windows in force at that time that concern the entity, whatever the rule. */
  concerning(entity: Entity, at: number): readonly MaintenanceWindow[];
  /** Whether any window is in force. */
  isAnyAt(at: number): boolean;
}

/**
 * The number of days for which ended windows stay in memory: a hit is held by the windows of its own time, and packets up to
 * seven days old are accepted.
 */
const keptDays = 8;

const aboutState = new Set<number>([operandId.state, operandId.secondsSinceLast]);

/** Whether the rule is about silence or a state: such matches are expected when a machine restarts. */
export function isOnSilenceOrState(rule: ExpectedRule): boolean {
  return rule.silenceMs !== undefined || rule.conditions.some(({ operand }) => aboutState.has(operand.id));
}

/** Whether the window holds matches of the rule. A disabled rule is not compiled and can be expected by its id only. */
export function expects(window: MaintenanceWindow, ruleId: string, rule: ExpectedRule | undefined): boolean {
  if (window.ruleIds === null) return true;
  return window.ruleIds.includes(ruleId) || (window.holdsSilence && rule !== undefined && isOnSilenceOrState(rule));
}

function add<K, V>(map: Map<K, V[]>, key: K, window: V): void {
  const others = map.get(key);
  if (others) others.push(window);
  else map.set(key, [window]);
}

const none: readonly MaintenanceWindow[] = [];

/** Since when the device of the entity is in the selection; undefined if it is not. */
export function memberSince({ device }: Pick<Entity, 'device'>, deviceSelectionId: string): number | undefined {
  const place = device?.selections?.indexOf(deviceSelectionId) ?? -1;
  return place < 0 ? undefined : (device?.selectedSince?.[place] ?? 0);
}

export function indexWindows(windows: readonly MaintenanceWindow[]): WindowIndex {
  const byDevice = new Map<string, MaintenanceWindow[]>();
  // Several tenants may share a location, but a maintenance of it belongs to one tenant.
  const byLocation = new Map<string, MaintenanceWindow[]>();
  const bySelection = new Map<string, MaintenanceWindow[]>();
  const byDeviceThatLeft = new Map<string, { window: MaintenanceWindow; since: number; until: number }[]>();
  for (const window of windows) {
    for (const deviceId of window.deviceIds) add(byDevice, deviceId, window);
    if (window.locationId) add(byLocation, `${window.tenantId} ${window.locationId}`, window);
    if (window.selection) add(bySelection, window.selection.deviceSelectionId, window);
    for (const { deviceId, since, until } of window.left) add(byDeviceThatLeft, deviceId, { window, since, until });
  }
  const ofSelections = ({ device }: Entity, at: number): MaintenanceWindow[] => {
    const { id = '', selections, selectedSince } = device ?? {};
    const within = (selections ?? []).flatMap(
      (selection, place) => ((selectedSince?.[place] ?? 0) <= at && bySelection.get(selection)) || [],
    );
    const left = byDeviceThatLeft.get(id)?.filter(({ since, until }) => since <= at && at < until) ?? [];
    return [...within, ...left.map(({ window }) => window)];
  };
  return {
    size: windows.length,
    concerning(entity, at) {
      const { device, tenantId } = entity;
      if (!device) return none;
      const ofDevice = byDevice.get(device.id) ?? none;
      const ofLocation = (device.locationId && byLocation.get(`${tenantId} ${device.locationId}`)) || none;
      const ofSelection = bySelection.size + byDeviceThatLeft.size === 0 ? none : ofSelections(entity, at);
      if (ofDevice.length === 0 && ofLocation.length === 0 && ofSelection.length === 0) return none;
      const all = new Set([...ofDevice, ...ofLocation, ...ofSelection]);
      return [...all].filter((window) => window.tenantId === tenantId && window.from <= at && at < window.until);
    },
    isAnyAt: (at) => windows.some(({ from, until }) => from <= at && at < until),
  };
}

interface WindowRow {
  maintenance_window_id: string;
  tenant_id: string;
  reason: string;
  starts_at: string;
  ends_at: string;
  device_ids: string[];
  location_id: string | null;
  device_selection_id: string | null;
  selection_name: string | null;
  left_devices: { deviceId: string; since: number; until: number }[] | null;
  work_unit_id: number | null;
  public_work_unit_id: number | null;
  is_change: boolean;
  rule_ids: string[] | null;
  holds_silence: boolean;
}

const columns = `m.maintenance_window_id, m.tenant_id, m.reason, m.starts_at, m.ends_at, m.location_id, m.work_unit_id,
  case when m.device_filter is null then m.device_ids else m.device_ids || coalesce(
    (select jsonb_agg(x.device_id) from maintenance_window_device x where x.maintenance_window_id = m.maintenance_window_id), '[]') end as device_ids,
  m.device_selection_id, s.name as selection_name, (select jsonb_agg(jsonb_build_object('deviceId', x.device_id, 'since', (extract(epoch from x.since) * 1000)::int8,
    'until', (extract(epoch from x.until) * 1000)::int8)) from maintenance_window_left x where x.tenant_id = m.tenant_id and x.maintenance_window_id = m.maintenance_window_id) as left_devices,
  u.public_work_unit_id, m.is_change, m.rule_ids, m.holds_silence
from maintenance_window m left join work_unit u on u.work_unit_id = m.work_unit_id left join device_selection s on s.device_selection_id = m.device_selection_id`;

const windowOf = (row: WindowRow): MaintenanceWindow => ({
  maintenanceWindowId: row.maintenance_window_id,
  tenantId: row.tenant_id,
  reason: row.reason,
  from: Date.parse(row.starts_at),
  until: Date.parse(row.ends_at),
  deviceIds: row.device_ids,
  locationId: row.location_id,
  selection: row.device_selection_id === null ? null : { deviceSelectionId: row.device_selection_id, name: row.selection_name ?? '' },
  left: row.left_devices ?? [],
  workUnitId: row.work_unit_id,
  publicWorkUnitId: row.public_work_unit_id,
  isChange: row.is_change,
  ruleIds: row.rule_ids,
  holdsSilence: row.holds_silence,
});

/** Reads the windows of a tenant that were in force in a period. */
export async function windowsBetween(db: Db, tenantId: string, from: number, to: number): Promise<MaintenanceWindow[]> {
  const rows = await db.query<WindowRow>({
    name: 'maintenance-windows-between',
    text: `select ${columns} where m.tenant_id = $1 and m.starts_at <= $3 and m.ends_at > $2 order by m.maintenance_window_id`,
    values: [tenantId, new Date(from).toISOString(), new Date(to).toISOString()],
  });
  return rows.map(windowOf);
}

/** Reads the windows of a tenant that were in force at a time. */
export const windowsAt = (db: Db, tenantId: string, at: number): Promise<MaintenanceWindow[]> => windowsBetween(db, tenantId, at, at);

async function read(db: Db): Promise<MaintenanceWindow[]> {
  const rows = await db.query<WindowRow>({
    name: 'maintenance-windows',
    text: `select ${columns} where m.ends_at > now() - make_interval(days => $1) order by m.maintenance_window_id`,
    values: [keptDays],
  });
  return rows.map(windowOf);
}

export interface MaintenanceWindows {
  current(): WindowIndex;
  stop(): Promise<void>;
}

/** Loads the windows and listens for changes. */
export async function openMaintenanceWindows({ database, log }: { database: Database; log: Logger }): Promise<MaintenanceWindows> {
  const db = database.scoped('all');
  let index = indexWindows([]);
  let isDirty = true;
  let isStopped = false;
  let refreshing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    while (isDirty && !isStopped) {
      isDirty = false;
      try {
        index = indexWindows(await read(db));
      } catch (error) {
        log.error({ err: error }, 'Maintenance windows could not be read.');
        isDirty = true;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  function startRefresh(): Promise<void> {
    refreshing ??= refresh().finally(() => (refreshing = undefined));
    return refreshing;
  }

  const unlisten = await database.listen('maintenance' satisfies Channel, () => {
    isDirty = true;
    void startRefresh();
  });
  await startRefresh();
  return {
    current: () => index,
    async stop() {
      isStopped = true;
      await unlisten();
      await refreshing;
    },
  };
}
