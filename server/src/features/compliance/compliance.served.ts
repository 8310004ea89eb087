import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { controls, controlSets, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { actorName } from '../../context/ctx.ts';
import { serve } from '../../resources/served.ts';

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
});
