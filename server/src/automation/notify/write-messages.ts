/**
 * Writes the messages about one work unit to people: an execution for each message, which runs at once, runs when its channel's
 * turn comes, or is held.
 */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { writeExecutions, type NewExecution } from '../../executions/executions.ts';
import type { TextReader } from '../../platform/language.ts';
import { mailTextsFor, type MailTexts } from '../../platform/mail-texts.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import type { StepEnd } from '../protocols/protocol-timeline.ts';
import { actionOf, channelWords, type ChannelAddress } from '../../executions/channel-addresses.ts';
import type { ChannelTurn, NotifyDecision } from './may-notify.ts';
import type { Recipient } from './recipients.ts';
import { currentTime } from '../../platform/clock.ts';

/** All that a customer is told of their unit: no link into the portal, and nothing of what was measured. */
const customerFacts = ({ unit }: MailTexts): string => unit.customer;
/** What staff is told: who acts can decide by the mail alone. `PageFacts` has condition, values, device and since when. */
const staffFacts = ({ unit }: MailTexts, mayAcknowledge: boolean): string =>
  [unit.staff, [...(mayAcknowledge ? [unit.acknowledge] : []), unit.open].join('\n'), '{PageFacts}'].join('\n\n');

export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());

/** What causes the messages: the execution of a step, or the change of a unit. */
export interface MessageCause {
  /** The message id of the step, from which the ids of its messages are derived. */
  messageId: string;
  tenantId: string;
  correlationId: string;
  workUnitId: number;
  stateId: WorkUnitState;
  hops: number;
  ends: StepEnd | undefined;
  /** Those of the step as its protocol has them; those of a message that the server writes, for its reader. */
  parameters: MessageParameters | ((reader: TextReader) => MessageParameters);
}

type MessageParameters = Readonly<Record<string, unknown>>;

/** Permits one mail at once, to a customer, who has no preferences. */
export const byMail = (address: string): NotifyDecision => ({
  when: 'now',
  turns: [{ channel: 'Mail', afterMs: 0, targets: [{ address }] }],
});

function parametersFor(
  recipient: Recipient,
  { channel }: ChannelTurn,
  target: ChannelAddress,
  cause: MessageCause,
): NewExecution['parameters'] {
  const parameters = typeof cause.parameters === 'function' ? cause.parameters(recipient.reader) : cause.parameters;
  const texts = mailTextsFor(recipient.reader);
  const body = textOf(parameters['Body']);
  const isCustomer = recipient.personId === null;
  const subject = textOf(parameters['Subject']) || (isCustomer ? '{Severity}: {Title}' : '{Severity}: {Title} ({TenantName})');
  if (channel === 'Sms') return { To: target.address };
  if (channel === 'Push')
    return { PushSubscriptionId: target.pushSubscriptionId ?? '', Subject: textOf(parameters['Subject']), Body: body };
  return {
    To: target.address,
    Template: 'None',
    Subject: subject,
    Body: [body, isCustomer ? customerFacts(texts) : staffFacts(texts, recipient.mayAcknowledge)]
      .filter((part) => part !== '')
      .join('\n\n'),
    IsImportant: !isCustomer,
  };
}

interface MessageRow {
  message_id: string;
  person_id: string | null;
  name: string;
  whom: string;
  channel: string;
  address: string;
  turn: number;
  due: string | null;
  held_until: string | null;
  held_because: string | null;
  held_unless: readonly string[] | null;
}

interface Message {
  row: MessageRow;
  /** The execution that sends the message; undefined while the message is held. */
  execution?: NewExecution;
}

/** Returns the messages to one recipient. `again` gives messages that replace a held one other ids. */
function messagesTo(recipient: Recipient, permitted: NotifyDecision, cause: MessageCause, again: string): Message[] {
  const who = recipient.personId ?? recipient.email;
  const row = { person_id: recipient.personId, name: recipient.name, whom: recipient.whom };
  const notHeld = { held_until: null, held_because: null, held_unless: null };
  if (permitted.when === 'never') return [];
  if (permitted.when === 'held') {
    const waiting = { held_until: permitted.until.toISOString(), held_because: permitted.because, held_unless: permitted.unless };
    const message_id = uuidV5(cause.messageId, `notify:${who}:held`);
    return [{ row: { ...row, message_id, channel: 'Summary', address: '', turn: 0, due: null, ...waiting } }];
  }
  return permitted.turns.flatMap((turn, number) =>
    turn.targets.map((target): Message => {
      const place = target.pushSubscriptionId ? `:${target.pushSubscriptionId}` : '';
      const messageId = uuidV5(cause.messageId, `notify:${who}:${number}${place}${again}`);
      const due = turn.afterMs > 0 ? new Date(currentTime() + turn.afterMs) : undefined;
      // A later channel is not used if somebody has acknowledged the unit.
      const ends = number > 0 ? { ...cause.ends, stopWhen: 'Acknowledged' as const, eventState: cause.stateId } : cause.ends;
      return {
        row: {
          ...row,
          message_id: messageId,
          channel: channelWords[turn.channel],
          address: target.address,
          turn: number,
          due: due?.toISOString() ?? null,
          ...notHeld,
        },
        execution: {
          tenantId: cause.tenantId,
          actionDefinitionId: actionOf(turn, target),
          messageId,
          correlationId: cause.correlationId,
          referenceId: String(cause.workUnitId),
          parameters: parametersFor(recipient, turn, target, cause),
          suppressed: false,
          detail: {
            label: `${channelWords[turn.channel]} to ${recipient.name} (${recipient.whom})`,
            ...(ends ? { ends } : {}),
            ...(cause.hops > 0 ? { hops: cause.hops } : {}),
            ...(recipient.personId !== null && turn.channel !== 'Mail' ? { personId: recipient.personId } : {}),
            ...(recipient.personId !== null && !recipient.mayAcknowledge ? { mayAcknowledge: false } : {}),
          },
          workUnitId: cause.workUnitId,
          ...(due ? { runAt: due } : {}),
        },
      };
    }),
  );
}

const insert = `with written as (
  insert into notification (tenant_id, work_unit_id, message_id, step_message_id, person_id, name, whom, channel, address, turn, due, held_until, held_because, held_unless)
  select $3, $4, message_id, $5, person_id, name, whom, channel, address, turn, due, held_until, held_because, held_unless
  from jsonb_to_recordset($1::jsonb) as n (message_id uuid, person_id uuid, name text, whom text, channel text, address text, turn int, due timestamptz,
    held_until timestamptz, held_because text, held_unless jsonb)
  on conflict (message_id) do nothing returning tenant_id, notification_id, work_unit_id
)
${changed(notifications, 'create', 'written', '$2')}`;

// Waits for another process that sends what it holds, whose message then has the earlier place.
const overtake = `with overtaken as (
  update notification n set released = now(), told_by = r.message_id from jsonb_to_recordset($1::jsonb) as r (person_id uuid, message_id uuid)
  where n.work_unit_id = $2 and n.person_id = r.person_id and n.held_until is not null and n.released is null returning n.tenant_id, n.notification_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'notifications', notification_id::text, $3 from overtaken`;

/**
 * Writes the messages; call it in a transaction. A message that goes out now stands for those that are held about the unit for its person:
 * sent later, they would say last what is over. Returns the recipients for whom a message was sent or held. A repeated call
 * adds nothing. `again` gives messages that replace a held one other ids.
 */
export async function writeMessages(
  db: Db,
  cause: MessageCause,
  recipients: readonly { recipient: Recipient; permitted: NotifyDecision }[],
  again = '',
): Promise<Recipient[]> {
  const all = recipients.map(({ recipient, permitted }) => ({ recipient, messages: messagesTo(recipient, permitted, cause, again) }));
  const messages = all.flatMap((item) => item.messages);
  const sentNow = all.flatMap(({ messages: [first] }) => (first?.execution && first.row.person_id !== null ? first.row : []));
  if (again === '' && sentNow.length > 0)
    await db.defer({
      name: 'notification-overtake',
      text: overtake,
      values: [JSON.stringify(sentNow), cause.workUnitId, cause.correlationId],
    });
  await writeExecutions(
    db,
    messages.flatMap(({ execution }) => execution ?? []),
  );
  const values = [JSON.stringify(messages.map(({ row }) => row)), cause.correlationId, cause.tenantId, cause.workUnitId, cause.messageId];
  if (messages.length > 0) await db.defer({ name: 'notification-insert', text: insert, values });
  return all.flatMap((item) => (item.messages.length > 0 ? item.recipient : []));
}
