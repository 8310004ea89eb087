/** What happened in a shift, for the handover of the shift. */
import type { HandoverFacts } from '@cloudfit/contract/on-call/handover.calls.ts';
import type { Db } from '../../../db/db.ts';

const unitsShown = 100;

interface ShiftOf {
  tenantId: string;
  scheduleName: string;
  personId: string;
  from: Date;
  to: Date;
}

/** The value of `whom` in notifications to the person who is on call in the schedule. */
export const asOnCall = (scheduleName: string): string => `On call: ${scheduleName}`;

const units = `with person_of_shift as (
  select lower(user_name) as user_name, array_remove(array[user_name, lower(user_name), email, lower(email)], null) as names from person where person_id = $5::uuid
),
concerned as (
  select work_unit_id from notification where tenant_id = $1::uuid and whom = $4::text and created >= $2::timestamptz and created < $3::timestamptz
  union select work_unit_id from work_unit where tenant_id = $1::uuid and severity_id in ('Sev0', 'Sev1') and created >= $2::timestamptz and created < $3::timestamptz
  union select n.work_unit_id from work_unit_note n, person_of_shift p
    where n.tenant_id = $1::uuid and n.created >= $2::timestamptz and n.created < $3::timestamptz and n.history_type = 'WorkUnitStateChange' and lower(n.created_by) = p.user_name
  union select w.work_unit_id from work_unit w, person_of_shift p
    where w.tenant_id = $1::uuid and w.assigned_to = any(p.names) and w.state_id not in ('Resolved', 'Closed', 'Canceled')
)
select w.work_unit_id::float8 as "workUnitId", w.public_work_unit_id::float8 as "publicWorkUnitId", w.title, w.severity_id as "severityId", w.state_id as "stateId",
  w.state_id not in ('Resolved', 'Closed', 'Canceled') as "isOpen", w.created >= $2::timestamptz and w.created < $3::timestamptz as opened,
  exists (select from work_unit_note n where n.work_unit_id = w.work_unit_id and n.created >= $2::timestamptz and n.created < $3::timestamptz
    and n.history_type = 'WorkUnitStateChange' and n.new_value = 'Acknowledged') as acknowledged,
  coalesce(w.resolved >= $2::timestamptz and w.resolved < $3::timestamptz, false) as resolved, (count(*) over ())::int as total
from concerned c join work_unit w using (work_unit_id)
order by "isOpen" desc, w.severity_id, w.created desc limit ${unitsShown}`;

const windows = `select maintenance_window_id as "maintenanceWindowId", reason, to_char(ends_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "endsAt"
from maintenance_window where tenant_id = $1 and starts_at <= $2 and ends_at > $2 order by ends_at limit 50`;

const notified = `select n.name, to_char(n.created at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, n.channel, w.public_work_unit_id::float8 as "publicWorkUnitId", w.title
from notification n join work_unit w using (work_unit_id)
where n.tenant_id = $1 and n.whom = $4 and n.created >= $2 and n.created < $3 order by n.created, n.notification_id limit 100`;

type UnitRow = HandoverFacts['units'][number] & { total: number };

export async function factsOf(db: Db, { tenantId, scheduleName, personId, from, to }: ShiftOf): Promise<HandoverFacts> {
  const [start, end, whom] = [from.toISOString(), to.toISOString(), asOnCall(scheduleName)];
  const rows = await db.query<UnitRow>({ name: 'handover-units', text: units, values: [tenantId, start, end, whom, personId] });
  return {
    units: rows.map(({ total: _total, ...unit }) => unit),
    moreUnits: (rows[0]?.total ?? 0) - rows.length,
    maintenance: await db.query<HandoverFacts['maintenance'][number]>({ name: 'handover-windows', text: windows, values: [tenantId, end] }),
    messages: await db.query<HandoverFacts['messages'][number]>({
      name: 'handover-told',
      text: notified,
      values: [tenantId, start, end, whom],
    }),
  };
}
