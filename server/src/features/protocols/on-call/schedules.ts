/** Loads on-call schedules with their overrides, and the people whom they name. */
import { onCallProblems } from '@cloudfit/contract/on-call/problems.ts';
import type { OnCallTimes, Override } from '@cloudfit/contract/on-call/shifts.ts';
import { grantIsOpen, grantsOfPerson } from '../../../auth/grants.ts';
import type { Db } from '../../../db/db.ts';

export interface StoredOverride extends Override {
  onCallOverrideId: string;
  reason: string | null;
}

export interface StoredSchedule extends OnCallTimes {
  onCallScheduleId: string;
  name: string;
  tenantId: string;
  overrides: readonly StoredOverride[];
}

interface ScheduleRow {
  id: string;
  name: string;
  tenant_id: string;
  time_zone: string;
  layers: OnCallTimes['layers'];
  holidays: string[];
  overrides: { id: string; person: string; starts: string; ends: string; reason: string | null }[];
}

/** Loads schedules in the order of `ids`, without those that do not exist, each with its overrides between `from` and `to`. */
export async function loadSchedules(db: Db, ids: readonly string[], from: number, to: number): Promise<StoredSchedule[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<ScheduleRow>({
    name: 'on-call-schedules',
    text: `select s.on_call_schedule_id as id, s.name, s.tenant_id, s.time_zone, s.layers, s.holidays, coalesce(o.all, '[]') as overrides
from unnest($1::uuid[]) with ordinality as asked (id, place) join on_call_schedule s on s.on_call_schedule_id = asked.id
left join lateral (
  select jsonb_agg(jsonb_build_object('id', v.on_call_override_id, 'person', v.person_id, 'starts', v.starts_at, 'ends', v.ends_at, 'reason', v.reason)
    order by v.created, v.on_call_override_id) as all
  from on_call_override v where v.on_call_schedule_id = s.on_call_schedule_id and v.ends_at > $2 and v.starts_at < $3
) o on true order by asked.place`,
    values: [ids, new Date(from).toISOString(), new Date(to).toISOString()],
  });
  return rows.map(({ id, name, tenant_id, time_zone, layers, holidays, overrides }) => ({
    onCallScheduleId: id,
    name,
    tenantId: tenant_id,
    timeZone: time_zone,
    layers,
    holidays,
    overrides: overrides.map((override) => ({
      onCallOverrideId: override.id,
      personId: override.person,
      from: Date.parse(override.starts),
      to: Date.parse(override.ends),
      reason: override.reason,
    })),
  }));
}

export interface OnCallPerson {
  personId: string;
  name: string;
  /** Why this person cannot be on call in the tenant; null if they can. */
  problem: string | null;
}

/** Returns people by id; `problem` concerns the tenant. Without a mail server, an email address alone reaches nobody. */
export async function peopleOf(
  db: Db,
  tenantId: string,
  ids: readonly string[],
  mailServerIsSet = true,
): Promise<Map<string, OnCallPerson>> {
  const rows = await db.query<{ person_id: string; name: string; reached: boolean; mailed: boolean; enabled: boolean; belongs: boolean }>({
    name: 'on-call-people',
    text: `select p.person_id, p.name, p.enabled, p.email is not null as mailed, exists (select from push_subscription b where b.person_id = p.person_id)
    or exists (select from notification_preference f, action_definition a where f.person_id = p.person_id and f.phone is not null and a.sends_sms and (a.tenant_id is null or a.tenant_id = $2)) as reached,
  exists (select from access_grant g where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = $2) and ${grantIsOpen}) as belongs
from person p where p.person_id = any($1::uuid[])`,
    values: [[...new Set(ids)], tenantId],
  });
  return new Map(
    rows.map(({ person_id: personId, name, reached, enabled, belongs, mailed }) => {
      const problem = !enabled
        ? onCallProblems.disabled
        : !belongs
          ? onCallProblems.noRights
          : reached || (mailed && mailServerIsSet)
            ? null
            : mailed
              ? onCallProblems.mailAlone
              : onCallProblems.noChannel;
      return [personId, { personId, name, problem }];
    }),
  );
}
