/** The built-in action Notify: an execution for each message, and a row that says who is notified. */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import { notifyTarget } from '@cloudfit/contract/protocols/notify.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import type { QueuedExecution } from '../execution.ts';
import { ActionFailure, type ActionResult } from '../action-result.ts';
import type { Try } from '../tries.ts';
import { mayNotify, type NotifyDecision } from './may-notify.ts';
import { recipientsOf, type Recipient } from './recipients.ts';
import { byMail, textOf, writeMessages, type MessageCause } from './write-messages.ts';

const namesOf = (people: readonly { name: string }[]): string => people.map(({ name }) => name).join(', ');

/**
 * Returns the people whom an earlier run of this step has notified, if it was lost before it recorded its outcome.
 */
function alreadyNotified(db: Db, messageId: string): Promise<{ name: string }[]> {
  return db.query<{ name: string }>({
    name: 'notification-before',
    text: 'select name from notification where step_message_id = $1 group by name order by min(created), name',
    values: [messageId],
  });
}

const unreachableBecause = 'no email address, browser or phone';

function permittedFor({ personId, email }: Recipient, decisions: ReadonlyMap<string, NotifyDecision>): NotifyDecision {
  if (personId === null) return byMail(email ?? '');
  return decisions.get(personId) ?? { when: 'never', problem: unreachableBecause };
}

/** Runs the step. `pauseMs` is the minimum time between two messages to one person. */
export async function notify(ctx: Ctx, step: QueuedExecution, attempt: Try, pauseMs = 0): Promise<ActionResult> {
  if (step.workUnitId === undefined) throw new ActionFailure('Notify is about work units; this execution has none.');
  // A repeated step must not also notify a person who has come on call since the first run.
  const before = await alreadyNotified(ctx.db, step.messageId);
  if (before.length > 0) return { succeeded: true, detail: { notified: namesOf(before) } };
  const target = notifyTarget(step.parameters);
  if (typeof target === 'string') throw new ActionFailure(target);
  const unit = {
    assignedTo: textOf(step.values['AssignedTo']),
    customerName: textOf(step.values['StakeHolderFullName']),
    customerEmail: textOf(step.values['StakeHolderEmailAddress']),
  };
  const recipients = await recipientsOf(ctx.db, target, { tenantId: step.tenantId, unit, at: ctx.now().getTime() });
  if (typeof recipients === 'string') throw new ActionFailure(recipients);
  const cause: MessageCause = {
    messageId: step.messageId,
    tenantId: step.tenantId,
    correlationId: step.correlationId,
    workUnitId: step.workUnitId,
    stateId: textOf(step.values['State']) as WorkUnitState,
    hops: step.hops,
    ends: step.ends,
    parameters: step.parameters,
  };
  const severityId = textOf(step.values['Severity']);
  let notifiedRecipients: readonly Recipient[] = [];
  await attempt.begin({ target: namesOf(recipients) }, async (tx) => {
    const ids = recipients.flatMap(({ personId }) => personId ?? []);
    const decisions = await mayNotify(tx, { tenantId: step.tenantId, severityId, at: ctx.now(), messageId: step.messageId, pauseMs }, ids);
    notifiedRecipients = await writeMessages(
      tx,
      cause,
      recipients.map((recipient) => ({ recipient, permitted: permittedFor(recipient, decisions) })),
    );
    if (notifiedRecipients.length === 0) throw new ActionFailure(`${namesOf(recipients)} cannot be reached: ${unreachableBecause}.`);
  });
  const unreachable = recipients.filter((recipient) => !notifiedRecipients.includes(recipient));
  return {
    succeeded: true,
    detail: {
      notified: namesOf(notifiedRecipients),
      ...(unreachable.length > 0 ? { unreachable: `${unreachableBecause}: ${namesOf(unreachable)}` } : {}),
    },
  };
}
