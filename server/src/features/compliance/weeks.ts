/** A signed week of a control set stays as it is: who changes a status or its evidence passes here first. */
import { createHash } from 'node:crypto';
import { ApiError, notFound } from '@cloudfit/contract/errors.ts';
import type { ReportedControl, WeekReport } from '@cloudfit/contract/compliance/evidence.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import type { Ctx } from '../../context/ctx.ts';

const weekBefore = (monday: string): string => mondayOf(new Date(Date.parse(monday) - 1).toISOString());

/** Held to the end of the transaction. Changes of a week exclude its sign-off, and not each other. */
export async function lockWeek(ctx: Ctx, tenantId: string, monday: string, mode: 'change' | 'sign'): Promise<void> {
  const key = `${tenantId} ${monday}`;
  if (mode === 'sign') await ctx.db.query({ text: 'select pg_advisory_xact_lock(7405, hashtext($1))', values: [key] });
  else await ctx.db.query({ text: 'select pg_advisory_xact_lock_shared(7405, hashtext($1))', values: [key] });
}

/** Throws 409 when the control's set is signed off for the week; otherwise nobody signs it before the transaction ends. */
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

/** The week as it is now; the caller has checked the rights in the tenant. */
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

/** The text that is kept at a sign-off, and its digest. */
export function sealed(report: WeekReport): { text: string; digest: string } {
  const text = JSON.stringify(report);
  return { text, digest: createHash('sha256').update(text).digest('hex') };
}
