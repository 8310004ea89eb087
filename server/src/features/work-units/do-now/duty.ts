/** In which tenants a person is on call now. */
import { onCallAt, type Layer } from '@cloudfit/contract/on-call/shifts.ts';
import type { Ctx } from '../../../context/ctx.ts';

interface OwnSchedule {
  tenant_id: string;
  time_zone: string;
  layers: Layer[];
  holidays: string[];
  overrides: { person: string; starts: string; ends: string }[];
}

// Only schedules that name the person. $1: the person; $2: tenants, null for all; $3: now.
const schedules = `select s.tenant_id, s.time_zone, s.layers, s.holidays, coalesce(o.all, '[]') as overrides
from on_call_schedule s left join lateral (
  select jsonb_agg(jsonb_build_object('person', v.person_id, 'starts', v.starts_at, 'ends', v.ends_at) order by v.created, v.on_call_override_id) as all,
    bool_or(v.person_id = $1::uuid) as is_named
  from on_call_override v where v.on_call_schedule_id = s.on_call_schedule_id and v.starts_at <= $3::timestamptz and v.ends_at > $3::timestamptz
) o on true
where ($2::uuid[] is null or s.tenant_id = any($2::uuid[])) and (o.is_named or s.layers::text like '%' || $1::text || '%')`;

/** `tenants`: null for all. */
export async function tenantsOnCall(ctx: Ctx, personId: string, tenants: readonly string[] | null): Promise<string[]> {
  const at = ctx.now();
  const rows = await ctx.db.query<OwnSchedule>({ name: 'own-duty', text: schedules, values: [personId, tenants, at.toISOString()] });
  const mine = rows.filter(({ time_zone: timeZone, layers, holidays, overrides }) => {
    const times = overrides.map(({ person, starts, ends }) => ({ personId: person, from: Date.parse(starts), to: Date.parse(ends) }));
    return onCallAt({ timeZone, layers, holidays }, times, at.getTime()) === personId;
  });
  return [...new Set(mine.map(({ tenant_id: tenantId }) => tenantId))];
}
