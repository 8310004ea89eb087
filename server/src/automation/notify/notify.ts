/** The built-in action Notify: an execution for each message, and a row that says who is notified. */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import { notifyTarget, type NotifyTarget } from '@cloudfit/contract/protocols/notify.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
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
    text: 'select name from notification where step_message_id = $1 and (problem is null or held_until is not null) group by name order by min(created), name',
    values: [messageId],
  });
}

const unreachableBecause = 'no email address, browser or phone';

const unreached = `with written as (
  insert into notification (tenant_id, work_unit_id, message_id, step_message_id, person_id, name, whom, channel, address, turn, problem, released)
  select $1, $2, message_id, $3, person_id, name, whom, '', '', 0, problem, now()
  from jsonb_to_recordset($4::jsonb) as n (message_id uuid, person_id uuid, name text, whom text, problem text)
  on conflict (message_id) do nothing returning tenant_id, notification_id
)
${changed(notifications, 'create', 'written', '$5')}`;

/** Records whom the step did not reach, and why, so that the unit does not show only those whom it reached. */
async function recordUnreached(
  db: Db,
  { tenantId, workUnitId, messageId, correlationId }: QueuedExecution,
  people: readonly { personId: string | null; name: string; whom: string; problem: string }[],
): Promise<void> {
  const rows = people.map(({ personId, ...row }) => ({
    ...row,
    person_id: personId,
    message_id: uuidV5(messageId, `unreached:${personId ?? row.name}`),
  }));
  const values = [tenantId, workUnitId, messageId, JSON.stringify(rows), correlationId];
  if (rows.length > 0) await db.query({ name: 'notification-unreached', text: unreached, values });
}

/** Fails the step because it has nobody to notify; the unit shows that. */
async function failWith(db: Db, step: QueuedExecution, target: NotifyTarget, name: string, problem: string): Promise<never> {
  await recordUnreached(db, step, [{ personId: null, name: name || unnamed[target.whom], whom: unnamed[target.whom], problem }]);
  throw new ActionFailure(problem);
}

/** Whom a step notifies, in words, when it has found nobody. */
const unnamed: Readonly<Record<NotifyTarget['whom'], string>> = {
  Person: 'Named by the protocol',
  Schedule: 'On call',
  Group: 'Group',
  Assignee: 'Assigned to',
  Customer: 'Customer',
};

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
  if (typeof recipients === 'string') {
    const name =
      target.whom === 'Customer'
        ? unit.customerName
        : target.whom === 'Assignee'
          ? unit.assignedTo
          : target.whom === 'Group'
            ? target.group
            : '';
    return failWith(ctx.db, step, target, name, recipients);
  }
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
  });
  const unreachable = recipients.filter((recipient) => !notifiedRecipients.includes(recipient));
  await recordUnreached(
    ctx.db,
    step,
    unreachable.map(({ personId, name, whom }) => ({ personId, name, whom, problem: `Has ${unreachableBecause}.` })),
  );
  if (notifiedRecipients.length === 0) throw new ActionFailure(`${namesOf(recipients)} cannot be reached: ${unreachableBecause}.`);
  return {
    succeeded: true,
    detail: {
      notified: namesOf(notifiedRecipients),
      ...(unreachable.length > 0 ? { unreachable: `${unreachableBecause}: ${namesOf(unreachable)}` } : {}),
    },
  };
}
