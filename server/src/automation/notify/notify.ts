/** The built-in action Notify: an execution for each person, and a row that says who is told. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { notifyTarget } from '@cloudfit/contract/protocols/notify.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/connection.ts';
import { writeExecutions, type NewExecution } from '../../executions/executions.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import type { QueuedExecution } from '../action-context.ts';
import { ActionFailure, type ActionResult } from '../action-result.ts';
import type { Try } from '../tries.ts';
import { recipientsOf, type Recipient } from './recipients.ts';

const facts = 'Work unit {PublicWorkUnitId}: {Title}\nSeverity: {Severity}\nState: {State}\nTenant: {TenantName}';
/** Only colleagues acknowledge; a customer gets no link into the portal. */
const links = 'Acknowledge: {AckUrl}\nOpen: {WorkUnitUrl}';

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim());

function mailOf(recipient: Recipient, { parameters }: QueuedExecution) {
  const body = textOf(parameters['Body']);
  return {
    To: recipient.email ?? '',
    Template: 'None',
    Subject: textOf(parameters['Subject']) || '{Severity}: {Title}',
    Body: [body, facts, recipient.personId === null ? '' : links].filter((part) => part !== '').join('\n\n'),
    IsImportant: recipient.personId !== null,
  };
}

interface Message {
  execution: NewExecution;
  recipient: Recipient;
  channel: string;
  address: string;
}

function messageTo(recipient: Recipient, step: QueuedExecution): Message | undefined {
  if (!recipient.email || step.workUnitId === undefined) return undefined;
  const detail = {
    label: `Mail to ${recipient.name} (${recipient.whom})`,
    ...(step.ends ? { ends: step.ends } : {}),
    ...(step.hops > 0 ? { hops: step.hops } : {}),
  };
  return {
    recipient,
    channel: 'Mail',
    address: recipient.email,
    execution: {
      tenantId: step.tenantId,
      actionDefinitionId: builtInAction.email,
      messageId: uuidV5(step.messageId, `notify:${recipient.personId ?? recipient.email}:0`),
      correlationId: step.correlationId,
      referenceId: String(step.workUnitId),
      parameters: mailOf(recipient, step),
      suppressed: false,
      detail,
      workUnitId: step.workUnitId,
    },
  };
}

const insert = `with written as (
  insert into notification (tenant_id, work_unit_id, message_id, step_message_id, person_id, name, whom, channel, address)
  select tenant_id, work_unit_id, message_id, step_message_id, person_id, name, whom, channel, address
  from jsonb_to_recordset($1::jsonb) as n (tenant_id uuid, work_unit_id bigint, message_id uuid, step_message_id uuid, person_id uuid, name text, whom text,
    channel text, address text)
  on conflict (message_id) do nothing returning tenant_id, notification_id, work_unit_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'create', 'notifications', notification_id::text, $2 from written`;

async function write(db: Db, step: QueuedExecution, messages: readonly Message[]): Promise<void> {
  await writeExecutions(
    db,
    messages.map(({ execution }) => execution),
  );
  const rows = messages.map(({ execution, recipient, channel, address }) => ({
    tenant_id: step.tenantId,
    work_unit_id: step.workUnitId,
    message_id: execution.messageId,
    step_message_id: step.messageId,
    person_id: recipient.personId,
    name: recipient.name,
    whom: recipient.whom,
    channel,
    address,
  }));
  await db.defer({ name: 'notification-insert', text: insert, values: [JSON.stringify(rows), step.correlationId] });
}

const namesOf = (people: readonly { name: string }[]): string => people.map(({ name }) => name).join(', ');

/** Who was told by this step already: its worker was lost before it recorded the outcome. */
function toldBefore(db: Db, messageId: string): Promise<{ name: string }[]> {
  return db.query<{ name: string }>({
    name: 'notification-before',
    text: 'select name from notification where step_message_id = $1 order by notification_id',
    values: [messageId],
  });
}

export async function notify(ctx: Ctx, step: QueuedExecution, attempt: Try): Promise<ActionResult> {
  if (step.workUnitId === undefined) throw new ActionFailure('Notify is about work units; this execution has none.');
  // Repeating a step must not notify whoever is on call by now as well.
  const before = await toldBefore(ctx.db, step.messageId);
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
  const messages = recipients.flatMap((recipient) => messageTo(recipient, step) ?? []);
  const unreachable = recipients.filter((recipient) => !messages.some((message) => message.recipient === recipient));
  if (messages.length === 0) throw new ActionFailure(`${namesOf(unreachable)} cannot be reached: no email address.`);
  await attempt.begin({ target: namesOf(messages.map(({ recipient }) => recipient)) }, (tx) => write(tx, step, messages));
  return {
    succeeded: true,
    detail: {
      notified: namesOf(messages.map(({ recipient }) => recipient)),
      ...(unreachable.length > 0 ? { unreachable: `No email address: ${namesOf(unreachable)}` } : {}),
    },
  };
}
