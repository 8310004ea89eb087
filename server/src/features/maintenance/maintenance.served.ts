import { sql, type RawBuilder } from '../../db/sql.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { filteredDevicesMax, maintenanceDaysMax, maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { addFilteredDevices, devicesOfFilter, startsSoon } from './filtered-devices.ts';

type MaintenanceRow = Row<typeof maintenanceWindows>;
/** A start up to this many milliseconds in the past counts as now, because clocks of browsers differ. */
const clockMs = 300_000;

async function missingDevices(ctx: Ctx, { tenantId, deviceIds }: MaintenanceRow): Promise<FieldError[]> {
  if (deviceIds.length === 0) return [];
  const rows = await ctx.db.query<{ device_id: string }>({
    name: 'maintenance-devices',
    text: 'select device_id from device where device_id = any($1::uuid[]) and tenant_id = $2 and not is_deleted',
    values: [deviceIds, tenantId],
  });
  const existing = new Set(rows.map((row) => row.device_id));
  const errors = deviceIds.flatMap((id, index) =>
    existing.has(id) ? [] : [{ target: `deviceIds.${index}`, message: 'Device was not found in this tenant.' }],
  );
  return errors.slice(0, 100);
}

const selectionText = `select 1 as n from device_selection s where s.device_selection_id = $1 and (s.tenant_id = $2 or s.tenant_id is null and (s.tenant_group_id is null
  or exists (select from tenant_group g where g.tenant_group_id = s.tenant_group_id and g.tenant_ids ? $2::text)))`;

/** A selection of another tenant has no devices of this one. */
async function foreignSelection(ctx: Ctx, { tenantId, deviceSelectionId }: MaintenanceRow): Promise<FieldError[]> {
  if (!deviceSelectionId) return [];
  const rows = await ctx.db.query({ name: 'maintenance-selection', text: selectionText, values: [deviceSelectionId, tenantId] });
  return rows.length > 0
    ? []
    : [{ target: 'deviceSelectionId', message: 'This selection is not for devices of the tenant of the maintenance.' }];
}

/** For an invalid filter, `devicesOfFilter` throws the error. */
async function filterProblems(ctx: Ctx, { tenantId, deviceFilter }: MaintenanceRow): Promise<FieldError[]> {
  if (!deviceFilter) return [];
  const { count } = await devicesOfFilter(ctx, tenantId, deviceFilter);
  if (count === 0) return [{ target: 'deviceFilter', message: 'The filter matches no device.' }];
  if (count <= filteredDevicesMax) return [];
  const [matched, max] = [count, filteredDevicesMax].map((item) => item.toLocaleString('en'));
  return [{ target: 'deviceFilter', message: `The filter matches ${matched} devices; a maintenance has at most ${max}.` }];
}

function endProblem(after: MaintenanceRow, now: number): string | undefined {
  const until = Date.parse(after.endsAt);
  if (until <= now) return 'A maintenance ends in the future. End one that is running by "End now".';
  if (until <= Date.parse(after.startsAt)) return 'A maintenance ends after its start.';
  if (until - Math.min(now, Date.parse(after.startsAt)) > maintenanceDaysMax * dayMs)
    return `A maintenance lasts at most ${maintenanceDaysMax} days. For what recurs, make a rule of type Maintenance.`;
  return undefined;
}

/** Adds an entry about the maintenance to the feed of the work unit. */
function noteOnUnit(ctx: Ctx, { workUnitId, endsAt, reason }: MaintenanceRow): RawBuilder<unknown> {
  return sql`insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
    select ${workUnitId}::bigint, tenant_id, ${`Maintenance until ${endsAt}: ${reason}`}, 'WorkUnitEvent', ${actorName(ctx)}, ${ctx.correlationId}::uuid from wire`;
}

export const servedMaintenanceWindows = serve(maintenanceWindows, 'maintenance_window', {
  fill: (ctx, { verb, after }) => {
    const by = actorName(ctx);
    if (verb !== 'create') return { modifiedBy: by };
    const now = ctx.now();
    const from = after.startsAt ? Date.parse(after.startsAt) : now.getTime();
    const isNow = from <= now.getTime() && now.getTime() - from < clockMs;
    const deviceIds = [...new Set(after.deviceIds)];
    return { createdBy: by, modifiedBy: by, deviceIds, startsAt: isNow ? now.toISOString() : after.startsAt };
  },
  check: async (ctx, { verb, before, after, changed }): Promise<FieldError[]> => {
    if (verb === 'delete') return [];
    const now = ctx.now().getTime();
    if (before && Date.parse(before.endsAt) <= now) return [{ target: 'endsAt', message: 'This maintenance is over. Start a new one.' }];
    const problem = changed.includes('endsAt') ? endProblem(after, now) : undefined;
    const errors: FieldError[] = problem ? [{ target: 'endsAt', message: problem }] : [];
    if (before) return errors;
    if (Date.parse(after.startsAt) < now - clockMs)
      errors.push({ target: 'startsAt', message: 'A maintenance cannot start in the past. Choose a later start.' });
    if (after.deviceIds.length === 0 && !after.locationId && !after.deviceFilter && !after.deviceSelectionId)
      errors.push({ target: 'deviceIds', message: 'Choose at least one device, a location, a selection, or a filter.' });
    return [
      ...errors,
      ...(await missingDevices(ctx, after)),
      ...(await foreignSelection(ctx, after)),
      ...(await filterProblems(ctx, after)),
    ];
  },
  along: (ctx, { verb, after }) => (verb === 'create' && (after.workUnitId ?? null) !== null ? [noteOnUnit(ctx, after)] : []),
  after: async (ctx, { verb, after }) => {
    const { deviceFilter, maintenanceWindowId, tenantId, startsAt } = after;
    if (verb === 'create' && deviceFilter && startsSoon(startsAt, ctx.now()))
      await addFilteredDevices(ctx, { maintenanceWindowId, tenantId, deviceFilter });
    await notify(ctx.db, 'maintenance');
  },
});
