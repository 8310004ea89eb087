/** Compares the plan of a change with what packets, matches and installations of its devices show. */
import { changeReview, type ChangeReview } from '@cloudfit/contract/maintenance/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { may } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';

const listedMax = 200;
/** During a change, a device counts as reporting if its latest packet is not older than this. */
const recentMs = 5 * 60_000;

interface ReviewRow {
  deviceId: string;
  name: string;
  before: number;
  during: number;
  unexpected: number;
  after: number;
  open: number;
  lastPacket: string | null;
  versions: ChangeReview['devices'][number]['versions'] | null;
}

// A held match counts as expected, whether the change or another maintenance holds it.
const perDevice = `select d.device_id as "deviceId", d.name, coalesce(m.before, 0) as before, coalesce(m.during, 0) as during, coalesce(m.unexpected, 0) as unexpected,
  coalesce(m.after, 0) as after, coalesce(m.open, 0) as open, l.timestamp as "lastPacket", v.versions
from device d
left join lateral (
  select count(*) filter (where r.first_match < $2)::int as before,
    count(*) filter (where r.first_match >= $2 and r.first_match < $3)::int as during,
    count(*) filter (where r.first_match >= $2 and r.first_match < $3 and r.held_since is null and not r.rule_id = any($4::uuid[]))::int as unexpected,
    count(*) filter (where r.first_match >= $3)::int as after,
    count(*) filter (where r.closed is null)::int as open
  from (select d.device_id as id union all select o.device_operation_id from device_operation o where o.device_id = d.device_id) s
  join rule_match r on r.subject_id = s.id and (r.closed is null or r.first_match >= $2::timestamptz - ($3::timestamptz - $2::timestamptz))
) m on true
left join latest_packet l on l.entity_id = d.device_id
left join lateral (
  select jsonb_agg(jsonb_build_object('package', p.name, 'version', n.version, 'status', i.install_status,
    'at', to_char(i.status_changed at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by i.status_changed) as versions
  from device_installation i join package p on p.package_id = i.package_id left join package_version n on n.package_version_id = i.installed_version_id
  where i.device_id = d.device_id and i.status_changed >= $2
) v on true
where d.device_id = any($1::uuid[]) and not d.is_deleted order by d.name collate natural_order, d.device_id limit ${listedMax}`;

const started = `select min(created) as at from work_unit_note
where work_unit_id = $1 and history_type = 'WorkUnitStateChange' and field = 'stateId' and new_value = 'InProgress'`;

export const reviewAction = implement(changeReview, async (ctx, { workUnitId }) => {
  const unit = await get(ctx, servedOf(workUnits), workUnitId);
  const [start] = await ctx.db.query<{ at: string | null }>({ name: 'change-started', text: started, values: [workUnitId] });
  const now = ctx.now().toISOString();
  const { plannedStartTime, plannedFinishTime, affectedDevices, expectedRules, tenantId } = unit;
  const finish = unit.resolved ?? plannedFinishTime ?? now;
  const begin = plannedStartTime ?? start?.at ?? now;
  const end = finish > begin ? finish : begin;
  const mayView = may(ctx, 'CloudFit.CFS.Devices:view', tenantId) && may(ctx, 'CloudFit.CFS.Rules:view', tenantId);
  const rows = mayView
    ? await ctx.db.query<ReviewRow>({ name: 'change-review', text: perDevice, values: [affectedDevices, begin, end, expectedRules] })
    : [];
  const isOver = end <= now;
  const since = isOver ? end : new Date(Date.parse(now) - recentMs).toISOString();
  return {
    plannedStart: plannedStartTime,
    plannedFinish: plannedFinishTime,
    actualStart: start?.at ?? null,
    actualFinish: unit.resolved,
    devices: rows.map((row) => ({
      ...row,
      reports: begin > now ? null : row.lastPacket !== null && row.lastPacket >= since,
      versions: row.versions ?? [],
    })),
    leftOut: affectedDevices.length - rows.length,
  };
});
