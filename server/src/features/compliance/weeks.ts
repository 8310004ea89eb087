/** A signed week of a control set does not change: every change of a status or its evidence calls `requireOpenWeek` first. */
import { createHash } from 'node:crypto';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import { weeksAtOnce } from '@cloudfit/contract/compliance/evidence.ts';
import type { ReportedControl, WeekCounts, WeekReport } from '@cloudfit/contract/compliance/week-report.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import type { Ctx } from '../../context/ctx.ts';
import { advisoryLocks } from '../../db/advisory-locks.ts';

const weekBefore = (monday: string): string => mondayOf(new Date(Date.parse(monday) - 1).toISOString());

/** Locks a week of a tenant to the end of the transaction. Changes of a week exclude its sign-off, but not each other. */
export async function lockWeek(ctx: Ctx, tenantId: string, monday: string, mode: 'change' | 'sign'): Promise<void> {
  const key = `${tenantId} ${monday}`;
  if (mode === 'sign')
    await ctx.db.query({ text: `select pg_advisory_xact_lock(${advisoryLocks.signedWeek}, hashtext($1))`, values: [key] });
  else await ctx.db.query({ text: `select pg_advisory_xact_lock_shared(${advisoryLocks.signedWeek}, hashtext($1))`, values: [key] });
}

/**
 * Throws 409 if the control's set is signed off for the week. Otherwise locks the week, so that nobody can sign it off before
 * the transaction ends.
 */
export async function requireOpenWeek(ctx: Ctx, tenantId: string, controlId: string, checkDate: string): Promise<void> {
  const monday = mondayOf(checkDate);
  await lockWeek(ctx, tenantId, monday, 'change');
  const [signed] = await ctx.db.query<{ signedBy: string }>({
    text: `select s.signed_by as "signedBy" from compliance_sign_off s join control c on c.control_set_id = s.control_set_id
      where c.id = $1 and s.tenant_id = $2 and s.check_date = $3 and s.reopened_on is null`,
    values: [controlId, tenantId, monday],
  });
  if (signed)
    throw new ApiError('Conflict', `The week of ${monday.slice(0, 10)} was signed off by ${signed.signedBy}. Reopen it to change it.`);
}

const controlsOfWeek = `select c.name, c.title, c.description, coalesce(x.status, 'Notset') as status, coalesce(b.status, 'Notset') as before, x.notes,
  to_char(x.modified at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as modified, x.modified_by as "modifiedBy",
  (select coalesce(json_agg(json_build_object('evidenceId', e.evidence_id, 'kind', e.kind, 'title', e.title, 'url', e.url, 'fact', e.fact,
      'fileName', e.file_name, 'sha256', e.sha256, 'created', to_char(e.created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'createdBy', e.created_by) order by e.created, e.evidence_id), '[]')
    from control_evidence e where e.control_status_id = x.id) as evidence
from control c
left join control_status x on x.control_id = c.id and x.tenant_id = $2 and x.check_date = $3
left join control_status b on b.control_id = c.id and b.tenant_id = $2 and b.check_date = $4
where c.control_set_id = $1 order by c.position, c.id`;

/** Returns the present report of the week; the caller has checked the permissions in the tenant. */
export async function readWeek(ctx: Ctx, setId: string, tenantId: string, monday: string): Promise<WeekReport> {
  const [head] = await ctx.db.query<{ set: string; description: string | null; tenant: string }>({
    text: 'select s.name as set, s.description, t.name as tenant from control_set s, tenant t where s.id = $1 and t.tenant_id = $2',
    values: [setId, tenantId],
  });
  if (!head) throw notFound('Control set');
  const controls = await ctx.db.query<ReportedControl>({
    text: controlsOfWeek,
    values: [setId, tenantId, monday, weekBefore(monday)],
  });
  return { ...head, week: monday, controls };
}

const countsOfWeeks = `with counted as (
  select x.check_date, x.status, count(*)::int as n from control_status x join control c on c.id = x.control_id
  where c.control_set_id = $1 and x.tenant_id = $2 and x.check_date between $3 and $4 group by 1, 2
), signed as (
  select check_date from compliance_sign_off where control_set_id = $1 and tenant_id = $2 and check_date between $3 and $4 and reopened_on is null
)
select to_char(d.check_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as week,
  coalesce((select jsonb_object_agg(c.status, c.n) from counted c where c.check_date = d.check_date), '{}') as counts,
  exists (select from signed s where s.check_date = d.check_date) as "isSigned"
from (select check_date from counted union select check_date from signed) d order by d.check_date`;

/**
 * Returns the number of controls, and up to `weeksAtOnce` weeks to `monday` that have statuses or a sign-off. The caller has
 * checked the permissions in the tenant.
 */
export async function readWeeks(
  ctx: Ctx,
  setId: string,
  tenantId: string,
  monday: string,
): Promise<{ controls: number; weeks: WeekCounts[] }> {
  const first = mondayOf(new Date(Date.parse(monday) - (weeksAtOnce - 1) * 7 * 86_400_000).toISOString());
  const [set] = await ctx.db.query<{ controls: number }>({
    text: 'select (select count(*)::int from control c where c.control_set_id = s.id) as controls from control_set s where s.id = $1',
    values: [setId],
  });
  if (!set) throw notFound('Control set');
  return { ...set, weeks: await ctx.db.query<WeekCounts>({ text: countsOfWeeks, values: [setId, tenantId, first, monday] }) };
}

/** Returns the text that a sign-off stores, and its SHA-256 digest. */
export function sealed(report: WeekReport): { text: string; digest: string } {
  const text = JSON.stringify(report);
  return { text, digest: createHash('sha256').update(text).digest('hex') };
}
