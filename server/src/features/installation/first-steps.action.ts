/** The first steps of a new installation, by what it has, and that a person no longer wants to see them. */
import { dismissFirstSteps, firstSteps, firstStepKinds, type FirstStepKind } from '@cloudfit/contract/actions/first-steps.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { recordAboutPerson } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requirePermission } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';

type Done = Record<Exclude<FirstStepKind, 'mailServer'>, boolean> & { dismissed: boolean };

// The first start makes a tenant of its own: a customer is another one, or this one after a change.
const done = `select (select count(*) > 1 or bool_or(version > 1) from tenant) as customer, exists (select from device where not is_deleted) as machine,
  exists (select from rule) as rule, (select count(*) > 1 from person where enabled) or exists (select from invitation where expires_on > now()) as colleague,
  exists (select from person where person_id = $1 and first_steps_dismissed is not null) as dismissed`;

const steps = (mailServerIsSet: boolean) =>
  implement(firstSteps, async (ctx) => {
    const { actor } = ctx;
    if (actor.kind !== 'person' || !may(ctx, permission('Settings', 'edit'), null)) return { value: [] };
    const [row] = await ctx.db.query<Done>({ name: 'first-steps', text: done, values: [actor.id] });
    if (!row || row.dismissed) return { value: [] };
    const isDone = { ...row, mailServer: mailServerIsSet };
    return { value: firstStepKinds.every((kind) => isDone[kind]) ? [] : firstStepKinds.map((kind) => ({ kind, isDone: isDone[kind] })) };
  });

const dismiss = implement(dismissFirstSteps, async (outside) => {
  const { actor } = outside;
  requirePermission(outside, 'Settings', 'edit', null);
  if (actor.kind !== 'person') throw forbidden('Only people see the first steps.');
  await inTransaction(outside, async (ctx) => {
    const [changed] = await ctx.db.query<{ at: string | null }>({
      text: `update person set first_steps_dismissed = now() where person_id = $1 and first_steps_dismissed is null returning first_steps_dismissed as at`,
      values: [actor.id],
    });
    if (!changed) return;
    await recordAboutPerson(ctx.db, actor.id, {
      actor: { ...actor, name: actorName(ctx) },
      verb: 'update',
      entity: 'people',
      entityId: actor.id,
      before: { firstStepsDismissed: null },
      after: { firstStepsDismissed: changed.at },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
  });
});

export const firstStepsActions = ({ mailServerIsSet }: { mailServerIsSet: boolean }): readonly ImplementedAction[] => [
  steps(mailServerIsSet),
  dismiss,
];
