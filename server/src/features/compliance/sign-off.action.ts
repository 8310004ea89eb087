/** The report of a week, its sign-off and reopening, the counts of weeks, and the import of control sets. */
import { sql } from '../../db/sql.ts';
import {
  complianceWeeks,
  importControlSet as declaredImport,
  reopenWeek,
  signOffWeek,
  weekReport,
} from '@cloudfit/contract/actions/compliance.ts';
import type { WeekReport } from '@cloudfit/contract/compliance/week-report.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedComplianceSignOffs } from './compliance.served.ts';
import { importControlSet } from './import.ts';
import { lockWeek, readWeek, readWeeks, sealed } from './weeks.ts';

interface SignedWeek {
  signOffId: string;
  signedBy: string;
  signedOn: string;
  note: string | null;
  digest: string;
  report: string;
}

async function signedWeek(ctx: Ctx, setId: string, tenantId: string, monday: string): Promise<SignedWeek | undefined> {
  const [row] = await ctx.db.query<SignedWeek>({
    text: `select sign_off_id as "signOffId", signed_by as "signedBy",
        to_char(created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "signedOn", note, digest, report
      from compliance_sign_off where control_set_id = $1 and tenant_id = $2 and check_date = $3 and reopened_on is null`,
    values: [setId, tenantId, monday],
  });
  return row;
}

const report = implement(weekReport, async (ctx, { id, tenantId, week }) => {
  requireTenant(ctx, tenantId);
  requirePermission(ctx, 'Compliance', 'view', tenantId);
  const monday = mondayOf(week);
  const signed = await signedWeek(ctx, id, tenantId, monday);
  if (!signed) return { report: await readWeek(ctx, id, tenantId, monday), signOff: null };
  const { report: text, ...signOff } = signed;
  return { report: JSON.parse(text) as WeekReport, signOff };
});

const weeks = implement(complianceWeeks, async (ctx, { id, tenantId, week }) => {
  requireTenant(ctx, tenantId);
  requirePermission(ctx, 'Compliance', 'view', tenantId);
  return readWeeks(ctx, id, tenantId, mondayOf(week));
});

const signOff = implement(signOffWeek, (outer, { id, tenantId, week, note }) =>
  inTransaction(outer, async (ctx) => {
    requireTenant(ctx, tenantId);
    requirePermission(ctx, 'Compliance', 'edit', tenantId);
    const monday = mondayOf(week);
    if (monday > ctx.now().toISOString()) throw new ApiError('Conflict', 'A week can be signed off only after it has begun.');
    await lockWeek(ctx, tenantId, monday, 'sign');
    const already = await signedWeek(ctx, id, tenantId, monday);
    if (already) throw new ApiError('Conflict', `This week was signed off by ${already.signedBy} already.`);
    const { text, digest } = sealed(await readWeek(ctx, id, tenantId, monday));
    const write = sql`insert into compliance_sign_off (tenant_id, control_set_id, check_date, note, report, digest, signed_by)
      values (${tenantId}, ${id}, ${monday}, ${note || null}, ${text}, ${digest}, ${actorName(ctx)}) returning *`;
    const row = await writeRecorded(ctx, servedComplianceSignOffs, 'create', write, null);
    if (!row) throw new Error('An insert answers its row.');
    return row;
  }),
);

const reopen = implement(reopenWeek, (outer, { id, reason }) =>
  inTransaction(outer, async (ctx) => {
    const before = await get(ctx, servedComplianceSignOffs, id, { lock: 'edit' });
    requirePermission(ctx, 'Compliance', 'delete', before.tenantId);
    if (before.reopenedOn) throw new ApiError('Conflict', `This week was opened again by ${before.reopenedBy ?? ''} already.`);
    const write = sql`update compliance_sign_off set reopened_by = ${actorName(ctx)}, reopened_on = ${ctx.now().toISOString()}, reopen_reason = ${reason}
      where sign_off_id = ${id} and reopened_on is null returning *`;
    const row = await writeRecorded(ctx, servedComplianceSignOffs, 'update', write, before);
    if (!row) throw new Error('The row is locked.');
    return row;
  }),
);

const importSet = implement(declaredImport, (ctx, { document, dryRun }) => importControlSet(ctx, document, { dryRun: dryRun ?? false }));

export const weekActions: readonly ImplementedAction[] = [report, weeks, signOff, reopen, importSet];
