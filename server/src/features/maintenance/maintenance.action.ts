/** What maintenance holds now, its early end, and its devices. */
import { sql } from '../../db/sql.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { devicesInMaintenance, endMaintenance, maintenanceHeld } from '@cloudfit/contract/maintenance/calls.ts';
import { actorName, inTransaction, may, requirePermission } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { implement, implementList, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { list } from '../../resources/list.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedMaintenanceWindows } from './maintenance.served.ts';

interface HoldsRow {
  maintenance_window_id: string;
  devices: number;
  matches: number;
  waiting: number;
  first: { ruleMatchId: string; label: string; since: string; waits: boolean }[] | null;
}

const maxShown = 20;

// Matches of a device are its own and those of its operations; its heartbeat block has none of its own.
const matchesInWindows = `select m.maintenance_window_id, d.devices, coalesce(h.matches, 0) as matches, coalesce(h.waiting, 0) as waiting, h.first
from maintenance_window m
cross join lateral (
  select array_agg(v.device_id) as ids, count(*)::int as devices from device v
  where v.tenant_id = m.tenant_id and not v.is_deleted and (m.device_ids ? v.device_id::text or v.location_id = m.location_id
    or exists (select from maintenance_window_device x where x.maintenance_window_id = m.maintenance_window_id and x.device_id = v.device_id)
    or exists (select from selection_member x where x.device_selection_id = m.device_selection_id and x.device_id = v.device_id and x.since < m.ends_at)
    or m.ends_at <= now() and exists (select from maintenance_window_left x where x.maintenance_window_id = m.maintenance_window_id and x.device_id = v.device_id))
) d
left join lateral (
  select count(*)::int as matches, count(*) filter (where x.waits)::int as waiting,
    jsonb_agg(jsonb_build_object('ruleMatchId', x.rule_match_id, 'label', x.label, 'since', x.created, 'waits', x.waits) order by x.created desc)
      filter (where x.n <= ${maxShown}) as first
  from (
    select r.rule_match_id, r.label, to_char(r.created at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created,
      r.held_since is not null and r.held_until is null as waits, row_number() over (order by r.created desc) as n
    from (
      select unnest(d.ids) as subject_id
      union all select o.device_operation_id from device_operation o where o.device_id = any(d.ids)
    ) s join rule_match r on r.subject_id = s.subject_id and r.closed is null and r.in_maintenance
    where m.rule_ids is null or m.holds_silence or m.rule_ids ? r.rule_id::text
  ) x
) h on m.starts_at <= now() and m.ends_at > now()
where m.maintenance_window_id = any($1::uuid[])`;

const heldNow = implement(maintenanceHeld, async (ctx, { ids }) => {
  const { value } = await list(ctx, servedMaintenanceWindows, `$top=100`, {
    narrow: sql<boolean>`t.maintenance_window_id = any(${ids}::uuid[])`,
    select: ['maintenanceWindowId', 'tenantId'],
  });
  const mayRead = new Map(value.map((row) => [row.maintenanceWindowId, may(ctx, 'CloudFit.CFS.Rules:view', row.tenantId)]));
  const rows = await ctx.db.query<HoldsRow>({ name: 'maintenance-held', text: matchesInWindows, values: [[...mayRead.keys()]] });
  return {
    value: rows.map((row) => ({
      maintenanceWindowId: row.maintenance_window_id,
      devices: row.devices,
      matches: row.matches,
      waiting: row.waiting,
      first: mayRead.get(row.maintenance_window_id) ? (row.first ?? []) : [],
    })),
  };
});

const end = implement(endMaintenance, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const before = await get(ctx, servedMaintenanceWindows, id, { lock: 'edit' });
    requirePermission(ctx, 'Maintenance', 'edit', before.tenantId);
    const now = ctx.now().toISOString();
    if (before.endsAt <= now) throw new ApiError('Conflict', 'This maintenance is over already.');
    const write = sql`update maintenance_window set starts_at = least(starts_at, ${now}::timestamptz), ends_at = ${now}::timestamptz, modified = ${now}::timestamptz,
      modified_by = ${actorName(ctx)}, version = version + 1 where maintenance_window_id = ${id} returning *`;
    const row = await writeRecorded(ctx, servedMaintenanceWindows, 'update', write, before);
    await notify(ctx.db, 'maintenance');
    return row;
  }),
);

const devicesOf = implementList(devicesInMaintenance, async (ctx, { maintenanceWindowId }, t) => {
  await get(ctx, servedMaintenanceWindows, maintenanceWindowId);
  return sql<boolean>`${sql.ref(`${t}.device_id`)} in (
    select device_id from maintenance_window_device where maintenance_window_id = ${maintenanceWindowId}
    union all select s.device_id from maintenance_window m join selection_member s on s.device_selection_id = m.device_selection_id and s.tenant_id = m.tenant_id and s.since < m.ends_at
      where m.maintenance_window_id = ${maintenanceWindowId}
    union all select l.device_id from maintenance_window m join maintenance_window_left l on l.maintenance_window_id = m.maintenance_window_id
      where m.maintenance_window_id = ${maintenanceWindowId} and m.ends_at <= now())`;
});

export const maintenanceActions: readonly ImplementedAction[] = [heldNow, end, devicesOf];
