import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { communicationWorkUnits } from '@cloudfit/contract/resources/communication-work-units.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { serve } from '../../../resources/served.ts';
import { followAnswer } from '../service-levels/unit-clocks.ts';
import { communicationFaults } from './communications.rules.ts';

/** What customers read of a communication on the status page. */
const forCustomers: ReadonlySet<string> = new Set(['title', 'status', 'details', 'currentImpact', 'impactedServices', 'isPublic']);

/** The customers of the communication's units have been told something new. */
export async function answerUnits(ctx: Ctx, workUnitCommunicationId: number): Promise<void> {
  const units = await ctx.db.query<{ id: number }>({
    name: 'units-of-communication',
    text: 'select work_unit_id as id from work_unit_relation where communication_id = $1',
    values: [workUnitCommunicationId],
  });
  if (units.length > 0)
    await followAnswer(
      ctx,
      units.map(({ id }) => id),
    );
}

export const servedWorkUnitCommunications = serve(workUnitCommunications, 'work_unit_communication', {
  fill: (ctx, { verb }) => {
    const by = actorName(ctx);
    return { ...(verb === 'create' ? { createdBy: by } : {}), userChanged: ctx.now().toISOString(), userChangedBy: by };
  },
  check: (ctx, { before, after, changed }) => communicationFaults(ctx.now(), before, after, changed),
  needsAfter: ({ verb, after, changed }) => verb === 'update' && after.isPublic && changed.some((name) => forCustomers.has(name)),
  after: (ctx, { after }) => answerUnits(ctx, after.workUnitCommunicationId),
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
