import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import { actorName } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';
import { communicationFaults } from './communications.rules.ts';

export const servedWorkUnitCommunications = serve(workUnitCommunications, 'work_unit_communication', {
  fill: (ctx, { verb }) => {
    const by = actorName(ctx);
    return { ...(verb === 'create' ? { createdBy: by } : {}), userChanged: ctx.now().toISOString(), userChangedBy: by };
  },
  check: (ctx, { before, after, changed }) => communicationFaults(ctx.now(), before, after, changed),
});

/** A step has the tenant of its communication; whether it is past or next follows from `isComplete`. */
export const servedWorkUnitCommunicationActivities = serve(workUnitCommunicationActivities, 'work_unit_communication_activity', {
  fill: async (ctx, { verb, before, after }) => {
    const completed = after.completed ?? before?.completed ?? ctx.now().toISOString();
    const step = after.isComplete
      ? ({ activityType: 'ResolutionActivity', completed } as const)
      : ({ activityType: 'TaskActivity', completed: null } as const);
    if (verb !== 'create') return step;
    const [communication] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from work_unit_communication where work_unit_communication_id = $1',
      values: [after.workUnitCommunicationId],
    });
    return { ...step, ...(communication ? { tenantId: communication.tenant_id } : {}), createdBy: actorName(ctx) };
  },
});

export const servedCommunicationWorkUnits = serve(communicationWorkUnits, 'communication_work_unit');
