/** Looks up display names; lists and ends sign-ins of other people, and removes their second factors. */
import { endSessionsOfPerson, listSessionsOfPerson, namesOfPeople, removeSecondFactor } from '@cloudfit/contract/actions/people.ts';
import { randomUUID } from 'node:crypto';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { recordAboutPerson } from '../../auth/audit-entry.ts';
import { namesOfPeople as findNames } from '../../auth/people-names.ts';
import { endSessionOf, endSessions, listSessions } from '../../auth/sessions.ts';
import { actorName, inTransaction, tenantScopeWith } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { removeSecondFactors } from '../../auth/sign-in/second-factor.ts';
import { notifyOfChange, type QueueSignInMail } from '../../auth/sign-in/sign-in-devices.ts';
import { enqueue } from '../../jobs/queue.ts';
import { escalationFaultsOfPerson } from './people.served.ts';
import { personToEdit } from './person-to-edit.ts';

const listOfPerson = implement(listSessionsOfPerson, async (ctx, { id }) => {
  const sessions = await listSessions(ctx.db, await personToEdit(ctx, id));
  return sessions.map(({ uid, ...session }) => ({ sessionId: uid, ...session }));
});

const endOfPerson = implement(endSessionsOfPerson, (outside, { id, sessionId }) =>
  inTransaction(outside, async (ctx) => {
    const personId = await personToEdit(ctx, id);
    const ended = sessionId === undefined ? await endSessions(ctx.db, personId) : Number(await endSessionOf(ctx.db, personId, sessionId));
    if (ended > 0)
      await recordAboutPerson(ctx.db, personId, {
        actor: { ...ctx.actor, name: actorName(ctx) },
        verb: 'end-sessions',
        entity: 'people',
        entityId: personId,
        after: { sessions: ended },
        correlationId: ctx.correlationId,
        address: ctx.address,
      });
    return { ended };
  }),
);

/** Queues a mail about a sign-in. */
export const queueMail: QueueSignInMail = (db, mail) =>
  enqueue(db, {
    name: 'send-mail',
    payload: { messageId: randomUUID(), ...mail },
    tenantId: mail.tenantId,
    correlationId: randomUUID(),
  });

/**
 * Removes the second factors of a person. Nobody may weaken the sign-in of a person who has permissions that the caller lacks.
 */
const removeFactor = implement(removeSecondFactor, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const personId = await personToEdit(ctx, id);
    const [beyond] = await escalationFaultsOfPerson(ctx, personId, 'id');
    if (beyond) throw forbidden(beyond.message);
    const removed = await removeSecondFactors(ctx.db, personId);
    if (removed.passkeys === 0 && !removed.codes) return removed;
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'remove-second-factor',
      entity: 'people',
      entityId: personId,
      after: removed,
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    await notifyOfChange(ctx.db, personId, queueMail, 'removedByAdministrator');
    return removed;
  }),
);

const viewUnits = permission('WorkUnits', 'view');

const names = implement(namesOfPeople, async (ctx, { userNames }) => {
  const self = ctx.actor.kind === 'person' ? ctx.actor.id : undefined;
  return { value: await findNames(ctx.db, { tenants: ctx.tenants, unitTenants: tenantScopeWith(ctx, [viewUnits]), self }, userNames) };
});

export const peopleActions: readonly ImplementedAction[] = [names, listOfPerson, endOfPerson, removeFactor];
