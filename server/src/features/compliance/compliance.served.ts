import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { complianceSignOffs, controlEvidence, controls, controlSets, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { actorName } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { serve } from '../../resources/served.ts';
import { requireOpenWeek } from './weeks.ts';

export const servedControlSets = serve(controlSets, 'control_set');
export const servedControls = serve(controls, 'control');

export const servedControlStatuses = serve(controlStatuses, 'control_status', {
  fill: async (ctx, { verb, after }) => {
    const by = { modifiedBy: actorName(ctx) };
    if (verb !== 'create') return by;
    const checkDate = mondayOf(after.checkDate);
    // Checked here to give a readable message: the error of the unique constraint names only columns. The constraint
    // still decides a race.
    const [existing] = await ctx.db.query({
      text: 'select 1 from control_status where control_id = $1 and tenant_id = $2 and check_date = $3',
      values: [after.controlId, after.tenantId, checkDate],
    });
    if (existing) throw new ApiError('Conflict', 'This control has a status for this week already.', { target: 'checkDate' });
    return { ...by, checkDate };
  },
  check: async (ctx, { after }) => {
    await requireOpenWeek(ctx, after.tenantId, after.controlId, after.checkDate);
    return [];
  },
});

export const servedControlEvidence = serve(controlEvidence, 'control_evidence', {
  check: async (ctx, { after }) => {
    const status = await get(ctx, servedControlStatuses, after.controlStatusId);
    await requireOpenWeek(ctx, status.tenantId, status.controlId, status.checkDate);
    return [];
  },
});

export const servedComplianceSignOffs = serve(complianceSignOffs, 'compliance_sign_off');
