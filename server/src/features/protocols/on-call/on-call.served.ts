import { onCallProblems } from '@cloudfit/contract/on-call/problems.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { nobody } from '@cloudfit/contract/on-call/shifts.ts';
import { onCallOverrides, onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { serve, type FieldError } from '../../../resources/served.ts';
import { peopleOf } from './schedules.ts';

/** Returns why one of these people may not be in a schedule: disabled, or without permissions in the tenant. */
async function peopleProblem(ctx: Ctx, tenantId: string, ids: readonly string[]): Promise<string | undefined> {
  const people = await peopleOf(ctx.db, tenantId, ids);
  for (const id of ids) {
    const person = people.get(id);
    // A person without permissions in the tenant gets the same answer as one that does not exist.
    if (!person || person.problem === onCallProblems.noRights) return 'Person was not found among those with rights in this tenant.';
    if (person.problem === onCallProblems.disabled) return `${person.name} is disabled.`;
  }
  return undefined;
}

/** Makes the next round of the periodic work read the handovers of the schedule, because they may have changed. */
async function lookAgain(ctx: Ctx, scheduleId: string): Promise<void> {
  await ctx.db.defer({
    name: 'on-call-look-again',
    text: 'update on_call_schedule set look_at = null where on_call_schedule_id = $1',
    values: [scheduleId],
  });
}

export const servedOnCallSchedules = serve(onCallSchedules, 'on_call_schedule', {
  fill: (ctx) => ({ modifiedBy: actorName(ctx) }),
  check: async (ctx, { verb, before, after, changed }): Promise<FieldError[]> => {
    if (verb === 'delete') {
      const [use] = await ctx.db.query<{ name: string; count: number }>({
        text: `select min(p.name) as name, count(distinct p.protocol_id)::int as count from protocol_action a join protocol p using (protocol_id)
where a.hours_schedule_id = $1 or a.parameters like '%' || $1::text || '%'`,
        values: [after.onCallScheduleId],
      });
      if (use && use.count > 0) {
        const others = use.count > 1 ? ` and ${use.count - 1} more` : '';
        throw new ApiError('Conflict', `The schedule ${after.name} is used by the protocol ${use.name}${others}. Remove it there first.`);
      }
      return [];
    }
    if (!changed.includes('layers')) return [];
    const keptIds = new Set((before?.layers ?? []).flatMap(({ people }) => people));
    const errors: FieldError[] = [];
    for (const [index, layer] of after.layers.entries()) {
      // Only people who are new in the schedule are checked: a person who has left stays, with a warning on the page, until
      // somebody removes them.
      const message = await peopleProblem(
        ctx,
        after.tenantId,
        layer.people.filter((id) => id !== nobody && !keptIds.has(id)),
      );
      if (message) errors.push({ target: `layers.${index}.people`, message });
      if (layer.until !== undefined && layer.until <= layer.start)
        errors.push({ target: `layers.${index}.until`, message: 'A layer ends after its start.' });
    }
    return errors;
  },
  after: (ctx, { verb, after }) => (verb === 'delete' ? undefined : lookAgain(ctx, after.onCallScheduleId)),
});

const longestDays = 92;

export const servedOnCallOverrides = serve(onCallOverrides, 'on_call_override', {
  fill: async (ctx, { verb, after }) => {
    if (verb !== 'create') return {};
    const [schedule] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from on_call_schedule where on_call_schedule_id = $1',
      values: [after.onCallScheduleId],
    });
    return { createdBy: actorName(ctx), ...(schedule ? { tenantId: schedule.tenant_id } : {}) };
  },
  check: async (ctx, { verb, after }): Promise<FieldError[]> => {
    if (verb === 'delete') {
      if (ctx.actor.kind !== 'system' && Date.parse(after.endsAt) < ctx.now().getTime())
        throw new ApiError('Conflict', 'This override is over; it stays as a record of who was on call.');
      return [];
    }
    const long = Date.parse(after.endsAt) - Date.parse(after.startsAt);
    if (long <= 0) return [{ target: 'endsAt', message: 'An override must end after its start.' }];
    if (long > longestDays * 86_400_000) return [{ target: 'endsAt', message: `An override lasts at most ${longestDays} days.` }];
    const message = await peopleProblem(ctx, after.tenantId, [after.personId]);
    return message ? [{ target: 'personId', message }] : [];
  },
  after: (ctx, { after }) => lookAgain(ctx, after.onCallScheduleId),
});
