/** The state of all customers: open units, silent devices and service levels in one statement, and who is on call. */
import { customersNow, customerStates, trendHours, type Customer, type CustomerState } from '@cloudfit/contract/walls/calls.ts';
import { openStates, severities } from '@cloudfit/contract/enums.ts';
import { onCallAt, type Layer } from '@cloudfit/contract/on-call/shifts.ts';
import { permission, type Area } from '@cloudfit/contract/permissions.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { grantIsOpen, grantsOfPerson } from '../../../auth/grants.ts';
import { tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import type { TenantScope } from '../../../db/db.ts';
import { implement } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { servedOf } from '../../../resources/served.ts';

interface DutySchedule {
  timeZone: string;
  layers: Layer[];
  holidays: string[];
  overrides: { person: string; starts: string; ends: string }[];
}

interface CustomerRow {
  tenantId: string;
  name: string;
  seesUnits: boolean;
  sev0: number | null;
  sev1: number | null;
  sev2: number | null;
  sev3: number | null;
  sev4: number | null;
  breached: number | null;
  warned: number | null;
  seesDevices: boolean;
  devices: number | null;
  silent: number | null;
  lastData: string | null;
  schedules: DutySchedule[] | null;
  lastChange: Customer['lastChange'];
}

// $1: tenants of the answer; $2, $3, $4: tenants of which the caller sees units, devices with packets, and schedules; null for all.
// $5: now. Each count reads the open units, the devices or the schedules of these tenants once.
const text = `with shown as materialized (
  select tenant_id, name from tenant where enabled and ($1::uuid[] is null or tenant_id = any($1::uuid[]))
), open as (
  select tenant_id, count(*) filter (where severity_id = 'Sev0') as sev0, count(*) filter (where severity_id = 'Sev1') as sev1,
    count(*) filter (where severity_id = 'Sev2') as sev2, count(*) filter (where severity_id = 'Sev3') as sev3, count(*) filter (where severity_id = 'Sev4') as sev4,
    count(*) filter (where clock_due <= $5::timestamptz) as breached, count(*) filter (where clock_warn <= $5::timestamptz and clock_due > $5::timestamptz) as warned
  from work_unit where state_id in ('New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated') and snoozed_until is null
    and ($1::uuid[] is null or tenant_id = any($1::uuid[])) and ($2::uuid[] is null or tenant_id = any($2::uuid[]))
  group by tenant_id
), fleet as (
  select d.tenant_id, count(*) as devices, count(*) filter (where p.timestamp is null or p.timestamp < $5::timestamptz - interval '5 minutes') as silent, max(p.timestamp) as last_data
  from device d left join latest_packet p on p.entity_id = d.device_id
  where d.enabled and not d.is_deleted and ($1::uuid[] is null or d.tenant_id = any($1::uuid[])) and ($3::uuid[] is null or d.tenant_id = any($3::uuid[]))
  group by d.tenant_id
), duty as (
  select s.tenant_id, jsonb_agg(jsonb_build_object('timeZone', s.time_zone, 'layers', s.layers, 'holidays', s.holidays, 'overrides', coalesce((
      select jsonb_agg(jsonb_build_object('person', v.person_id, 'starts', v.starts_at, 'ends', v.ends_at) order by v.created, v.on_call_override_id)
      from on_call_override v where v.on_call_schedule_id = s.on_call_schedule_id and v.starts_at <= $5::timestamptz and v.ends_at > $5::timestamptz
    ), '[]')) order by s.name) as schedules
  from on_call_schedule s
  where ($1::uuid[] is null or s.tenant_id = any($1::uuid[])) and ($4::uuid[] is null or s.tenant_id = any($4::uuid[]))
  group by s.tenant_id
), latest as (
  select t.tenant_id, jsonb_build_object('title', c.title, 'at', c.planned_start_time) as change from shown t cross join lateral (
    select title, planned_start_time from work_unit u
    where u.tenant_id = t.tenant_id and work_unit_type_id = 2 and planned_finish_time is not null and planned_start_time <= $5::timestamptz
      and state_id not in ('New', 'Canceled')
    order by planned_finish_time desc limit 1
  ) c where $2::uuid[] is null or t.tenant_id = any($2::uuid[])
)
select t.tenant_id as "tenantId", t.name, $2::uuid[] is null or t.tenant_id = any($2::uuid[]) as "seesUnits",
  o.sev0::int, o.sev1::int, o.sev2::int, o.sev3::int, o.sev4::int, o.breached::int, o.warned::int,
  $3::uuid[] is null or t.tenant_id = any($3::uuid[]) as "seesDevices", f.devices::int, f.silent::int, f.last_data as "lastData", d.schedules, l.change as "lastChange"
from shown t left join open o using (tenant_id) left join fleet f using (tenant_id) left join duty d using (tenant_id) left join latest l using (tenant_id)`;

// By how many units more or less were open after each hour, counted back from now. $1: tenants, null for all; $2: now; $3: open states.
const changes = `with change as materialized (
  select n.tenant_id, n.work_unit_id, n.created, (coalesce(n.new_value, '') = any($3::text[]))::int - (coalesce(n.old_value, '') = any($3::text[]))::int as delta
  from work_unit_note n join work_unit u on u.work_unit_id = n.work_unit_id and u.snoozed_until is null
  where n.field = 'stateId' and n.created > $2::timestamptz - interval '24 hours' and ($1::uuid[] is null or n.tenant_id = any($1::uuid[]))
), born as (
  select u.tenant_id, u.created, (u.state_id = any($3::text[]))::int - coalesce(c.delta, 0)::int as delta
  from work_unit u left join (select work_unit_id, sum(delta) as delta from change group by work_unit_id) c using (work_unit_id)
  where u.created > $2::timestamptz - interval '24 hours' and u.snoozed_until is null and ($1::uuid[] is null or u.tenant_id = any($1::uuid[]))
)
select tenant_id as "tenantId", greatest(floor(extract(epoch from $2::timestamptz - created) / 3600), 0)::int as hour, sum(delta)::int as delta
from (select tenant_id, created, delta from change union all select tenant_id, created, delta from born) e group by 1, 2`;

/** Returns the state that the figures make: what nobody may see is never a good one. */
export function stateOf({
  open,
  breached,
  warned,
  devices,
  silent,
}: Pick<Customer, 'open' | 'breached' | 'warned' | 'devices' | 'silent'>): CustomerState {
  const isAllSilent = devices !== null && devices > 0 && silent === devices;
  if ((open?.Sev0 ?? 0) > 0 || isAllSilent) return 'Down';
  if ((open?.Sev1 ?? 0) > 0) return 'Impaired';
  if ((breached ?? 0) > 0 || (warned ?? 0) > 0 || (silent ?? 0) > 0) return 'AtRisk';
  return open === null || devices === null ? 'Unseen' : 'Quiet';
}

/** The worst first: by state, then by open units from the most severe on, levels, silent devices, and name. */
function worstFirst(a: Customer, b: Customer): number {
  const byState = customerStates.indexOf(a.state) - customerStates.indexOf(b.state);
  if (byState !== 0) return byState;
  for (const severity of severities) {
    const more = (b.open?.[severity] ?? 0) - (a.open?.[severity] ?? 0);
    if (more !== 0 && severity !== 'Sev3' && severity !== 'Sev4') return more;
  }
  return (
    (b.breached ?? 0) - (a.breached ?? 0) ||
    (b.warned ?? 0) - (a.warned ?? 0) ||
    (b.silent ?? 0) - (a.silent ?? 0) ||
    a.name.localeCompare(b.name)
  );
}

/** Open units at each hour, from what is open now and what has changed since, by hours ago. */
export function trendOf(open: number, changedBy: ReadonlyMap<number, number>): number[] {
  const trend = [open];
  for (let hour = 0; hour < trendHours; hour += 1) trend.unshift((trend[0] ?? 0) - (changedBy.get(hour) ?? 0));
  return trend;
}

async function readChanges(ctx: Ctx, tenants: TenantScope): Promise<Map<string, Map<number, number>>> {
  const rows = await ctx.db.query<{ tenantId: string; hour: number; delta: number }>({
    name: 'customers-changes',
    text: changes,
    values: [idsOf(tenants), ctx.now().toISOString(), openStates],
  });
  const ofTenants = new Map<string, Map<number, number>>();
  for (const { tenantId, hour, delta } of rows)
    ofTenants.set(tenantId, (ofTenants.get(tenantId) ?? new Map<number, number>()).set(hour, delta));
  return ofTenants;
}

const idsOf = (scope: TenantScope): string[] | null => (scope === 'all' ? null : [...scope]);
const within = (a: TenantScope, b: TenantScope): TenantScope => (a === 'all' ? b : b === 'all' ? a : a.filter((id) => b.includes(id)));

/** Reads the customers that the caller sees; `among`: only these. */
export async function readCustomers(ctx: Ctx, among: TenantScope): Promise<Customer[]> {
  const scopeOf = (area: Area): TenantScope => tenantScopeWith(ctx, [permission(area, 'view')]);
  const at = ctx.now();
  const rows = await ctx.db.query<CustomerRow>({
    name: 'customers-now',
    text,
    values: [
      idsOf(within(tenantScopeWith(ctx, [permission('WorkUnits', 'view'), permission('Devices', 'view')]), among)),
      idsOf(scopeOf('WorkUnits')),
      idsOf(within(scopeOf('Devices'), scopeOf('Packets'))),
      idsOf(scopeOf('OnCall')),
      at.toISOString(),
    ],
  });
  const changed = await readChanges(ctx, within(scopeOf('WorkUnits'), among));
  const onDuty = new Map(rows.map(({ tenantId, schedules }) => [tenantId, schedules && peopleOn(schedules, at.getTime())]));
  const names = await namesOf(
    ctx,
    [...onDuty].flatMap(([tenantId, ids]) => (ids ?? []).map((id) => ({ tenantId, id }))),
  );
  return rows
    .map((row): Customer => {
      const { tenantId, name, seesUnits, seesDevices } = row;
      const figures = {
        open: seesUnits
          ? { Sev0: row.sev0 ?? 0, Sev1: row.sev1 ?? 0, Sev2: row.sev2 ?? 0, Sev3: row.sev3 ?? 0, Sev4: row.sev4 ?? 0 }
          : null,
        breached: seesUnits ? (row.breached ?? 0) : null,
        warned: seesUnits ? (row.warned ?? 0) : null,
        devices: seesDevices ? (row.devices ?? 0) : null,
        silent: seesDevices ? (row.silent ?? 0) : null,
      };
      const onCall = onDuty.get(tenantId)?.flatMap((id) => names.get(`${tenantId} ${id}`) ?? []) ?? null;
      const trend =
        figures.open &&
        trendOf(
          Object.values(figures.open).reduce((sum, n) => sum + n, 0),
          changed.get(tenantId) ?? new Map(),
        );
      return { tenantId, name, state: stateOf(figures), ...figures, lastData: row.lastData, trend, lastChange: row.lastChange, onCall };
    })
    .toSorted(worstFirst);
}

function peopleOn(schedules: readonly DutySchedule[], at: number): string[] {
  const ids = schedules.flatMap(({ timeZone, layers, holidays, overrides }) => {
    const times = overrides.map(({ person, starts, ends }) => ({ personId: person, from: Date.parse(starts), to: Date.parse(ends) }));
    return onCallAt({ timeZone, layers, holidays }, times, at) ?? [];
  });
  return [...new Set(ids)];
}

// Whoever is disabled or has left the tenant is reached by nothing, so the tenant has nobody on call.
const onDutyNames = `select x."tenantId", p.person_id as id, p.name from jsonb_to_recordset($1::jsonb) as x ("tenantId" uuid, id uuid) join person p on p.person_id = x.id
where p.enabled and exists (select from access_grant g where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = x."tenantId") and ${grantIsOpen})`;

/** Returns the names of those who can be reached, by tenant and id. */
async function namesOf(ctx: Ctx, duties: readonly { tenantId: string; id: string }[]): Promise<Map<string, string>> {
  if (duties.length === 0) return new Map();
  const rows = await ctx.db.query<{ tenantId: string; id: string; name: string }>({
    name: 'customers-on-call',
    text: onDutyNames,
    values: [JSON.stringify(duties)],
  });
  return new Map(rows.map(({ tenantId, id, name }) => [`${tenantId} ${id}`, name]));
}

export const customersAction = implement(customersNow, async (ctx, { tenantGroupId }) => {
  const among = tenantGroupId === undefined ? 'all' : (await get(ctx, servedOf(tenantGroups), tenantGroupId)).tenantIds;
  return { asOf: ctx.now().toISOString(), value: await readCustomers(ctx, among) };
});
