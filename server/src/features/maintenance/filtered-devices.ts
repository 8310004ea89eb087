/**
 * The devices of a maintenance with a filter: those that match when the maintenance starts, and those that begin to match while
 * it runs.
 */
import { sql } from '../../db/sql.ts';
import type { Logger } from 'pino';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { filteredDevicesMax } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { notify } from '../../db/notify.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { listKeys } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';

/**
 * The milliseconds before a planned start at which the devices are added, so that the maintenance has its devices when it
 * begins.
 */
const aheadMs = 60_000;

export interface FilteredWindow {
  maintenanceWindowId: string;
  tenantId: string;
  deviceFilter: string;
}

/** Returns the devices of the tenant that match the filter now and that the caller may see. */
export function devicesOfFilter(ctx: Ctx, tenantId: string, filter: string): Promise<{ count: number; keys: string[] }> {
  const narrow = sql<boolean>`t.tenant_id = ${tenantId}::uuid`;
  return listKeys(ctx, servedOf(devices), `$filter=${encodeURIComponent(filter)}`, { narrow, max: filteredDevicesMax });
}

const add = `insert into maintenance_window_device (maintenance_window_id, device_id, tenant_id)
select $1, id, $2 from unnest($3::uuid[]) as id order by id on conflict do nothing returning 1 as added`;

/** Whether the start is near enough to add the devices. */
export const startsSoon = (startsAt: string, now: Date): boolean => Date.parse(startsAt) <= now.getTime() + aheadMs;

/** Adds the devices that match now; returns whether any device is new. */
export async function addFilteredDevices(ctx: Ctx, { maintenanceWindowId, tenantId, deviceFilter }: FilteredWindow): Promise<boolean> {
  const { keys } = await devicesOfFilter(ctx, tenantId, deviceFilter);
  const added = await ctx.db.query({ name: 'maintenance-devices-add', text: add, values: [maintenanceWindowId, tenantId, keys] });
  return added.length > 0;
}

const running = `select m.maintenance_window_id as "maintenanceWindowId", m.tenant_id as "tenantId", m.device_filter as "deviceFilter"
from maintenance_window m join tenant t on t.tenant_id = m.tenant_id and t.enabled
where m.device_filter is not null and m.starts_at <= now() + make_interval(secs => $1) and m.ends_at > now() order by m.maintenance_window_id`;

/**
 * Adds the devices that have begun to match. If a filter names a field that no longer exists, the maintenance keeps its
 * devices.
 */
export function filteredDevicesWork(database: Database, log: Logger): Periodic {
  return {
    name: 'maintenance-devices',
    everyMs: 15_000,
    run: async (db) => {
      let isAnyNew = false;
      for (const window of await db.query<FilteredWindow>({ name: 'maintenance-filters', text: running, values: [aheadMs / 1_000] }))
        try {
          const ctx = systemCtx({ database, log, name: 'Maintenance', tenants: [window.tenantId] });
          isAnyNew = (await addFilteredDevices(ctx, window)) || isAnyNew;
        } catch (error) {
          log.warn(
            { maintenanceWindowId: window.maintenanceWindowId, problem: messageOf(error) },
            'The filter of a maintenance cannot be read.',
          );
        }
      if (isAnyNew) await notify(db, 'maintenance');
    },
  };
}
