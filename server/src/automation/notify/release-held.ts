/** Sends held messages: one summary for each person; a message whose unit has become urgent is sent by itself. */
import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import type { Db } from '../../db/db.ts';
import { writeExecutions } from '../../executions/executions.ts';
import type { Periodic } from '../../jobs/schedule.ts';
import { actionOf, channelWords, plainParameters } from '../../features/people/notifications/channel-addresses.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import type { StepEnd } from '../protocols/protocol-timeline.ts';
import { mayNotify } from './may-notify.ts';
import { writeMessages } from './write-messages.ts';

const atOnce = 200;
/** Maximum number of units that a summary names; further units are counted. */
const maxNamed = 20;

interface HeldMessage {
  notification_id: string;
  step_message_id: string;
  held_because: string | null;
  is_due: boolean;
  /** Since when the message has been held. */
  created: string;
  name: string;
  whom: string;
  email: string | null;
  work_unit_id: number;
  public_work_unit_id: number;
  title: string;
  severity_id: string;
  state_id: WorkUnitState;
  tenant_name: string;
  correlation_id: string | null;
  input_parameters: string | null;
  result_detail: { ends?: StepEnd; hops?: number } | null;
}

const due = `n.held_until <= now()`;
const isUrgent = `(n.held_unless ? w.severity_id and w.state_id = 'New')`;

const people = `select distinct n.tenant_id, n.person_id from notification n join work_unit w using (work_unit_id) join tenant t on t.tenant_id = n.tenant_id and t.enabled
where n.held_until is not null and n.released is null and n.person_id is not null and (${due} or ${isUrgent}) limit ${atOnce}`;

// Locks the due and urgent held messages of a person together, so that two processes do not send two summaries.
const heldText = `select n.notification_id, n.step_message_id, n.held_because, ${due} as is_due, n.created, n.name, n.whom, p.email, w.work_unit_id, w.public_work_unit_id, w.title, w.severity_id,
  w.state_id, t.name as tenant_name, h.correlation_id, h.input_parameters, h.result_detail
from notification n join work_unit w using (work_unit_id) join tenant t on t.tenant_id = n.tenant_id join person p on p.person_id = n.person_id
left join action_history h on h.message_id = n.step_message_id
where n.tenant_id = $1 and n.person_id = $2 and n.held_until is not null and n.released is null and (${due} or ${isUrgent})
order by n.created, n.notification_id for update of n`;

const release = `with released as (
  update notification set released = now(), told_by = $2, problem = $3, channel = coalesce($4, channel), address = coalesce($5, address)
  where notification_id = any($1::uuid[]) and released is null returning tenant_id, notification_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'notifications', notification_id::text, $6 from released`;

const wait = 'update notification set held_until = $2 where notification_id = any($1::uuid[]) and released is null';

const plural = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`);

function lineOf(row: HeldMessage, publicUrl: string, tenantId: string): string {
  const at = `${new Date(row.created).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `${row.severity_id} ${row.public_work_unit_id}: ${row.title}\n${row.state_id}, since ${at}\n${publicUrl}/${tenantId}/workunitsv2?workUnitId=${row.work_unit_id}`;
}

/** Title and text of a summary: each unit once, unacknowledged ones first. */
export function summaryOf(rows: readonly HeldMessage[], publicUrl: string, tenantId: string): { title: string; text: string } {
  const units = [...new Map(rows.map((row) => [row.work_unit_id, row])).values()];
  const open = units.filter((row) => row.state_id === 'New');
  const orderedUnits = [...open, ...units.filter((row) => row.state_id !== 'New')];
  const reason = rows[0]?.held_because === 'QuietHours' ? ' in your quiet hours' : '';
  const rest = orderedUnits.length > maxNamed ? [`and ${orderedUnits.length - maxNamed} more`] : [];
  return {
    title: `${plural(units.length, 'work unit')}${reason}, ${open.length} not acknowledged`,
    text: [...orderedUnits.slice(0, maxNamed).map((row) => lineOf(row, publicUrl, tenantId)), ...rest].join('\n\n'),
  };
}

interface ReleaseTarget {
  tenantId: string;
  personId: string;
  publicUrl: string;
  pauseMs: number;
}

async function summarise(tx: Db, { tenantId, personId, publicUrl, pauseMs }: ReleaseTarget, rows: readonly HeldMessage[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const ids = rows.map((row) => row.notification_id);
  const severityId = rows.map((row) => row.severity_id).toSorted()[0] ?? '';
  const permitted = (
    await mayNotify(tx, { tenantId, severityId, at: new Date(), messageId: first.notification_id, pauseMs }, [personId])
  ).get(personId);
  const correlationId = first.correlation_id ?? crypto.randomUUID();
  const done = (by: string | null, problem: string | null, channel: string | null, address: string | null) =>
    tx.defer({ name: 'held-release', text: release, values: [ids, by, problem, channel, address, correlationId] });
  if (permitted?.when === 'held') {
    await tx.query({ name: 'held-wait', text: wait, values: [ids, permitted.until.toISOString()] });
    return;
  }
  const turn = permitted?.when === 'now' ? permitted.turns[0] : undefined;
  if (!turn) return done(null, `${first.name} cannot be reached.`, null, null);
  const summary = summaryOf(rows, publicUrl, tenantId);
  const messages = turn.targets.map((target) => ({
    tenantId,
    actionDefinitionId: actionOf(turn, target),
    messageId: uuidV5(first.notification_id, `summary:${target.pushSubscriptionId ?? target.address}`),
    correlationId,
    referenceId: null,
    parameters: {
      ...plainParameters(turn, target.address, summary),
      ...(target.pushSubscriptionId ? { PushSubscriptionId: target.pushSubscriptionId } : {}),
    },
    suppressed: false,
    detail: { label: `${channelWords[turn.channel]} to ${first.name} (summary)`, personId },
  }));
  await writeExecutions(tx, messages);
  await done(messages[0]?.messageId ?? null, null, channelWords[turn.channel], turn.targets.map(({ address }) => address).join(', '));
}

/** Sends the message of a unit that has become urgent, apart from the summary; postpones it if it may not be sent yet. */
async function sendUrgent(tx: Db, { tenantId, personId, pauseMs }: ReleaseTarget, row: HeldMessage): Promise<void> {
  const permitted = (
    await mayNotify(tx, { tenantId, severityId: row.severity_id, at: new Date(), messageId: row.notification_id, pauseMs }, [personId])
  ).get(personId);
  if (!permitted || permitted.when !== 'now') {
    if (permitted?.when === 'held')
      await tx.query({ name: 'held-wait', text: wait, values: [[row.notification_id], permitted.until.toISOString()] });
    return;
  }
  const correlationId = row.correlation_id ?? crypto.randomUUID();
  const recipient = { personId, name: row.name, email: row.email, whom: row.whom };
  await writeMessages(
    tx,
    {
      messageId: row.step_message_id,
      tenantId,
      correlationId,
      workUnitId: row.work_unit_id,
      stateId: row.state_id,
      hops: row.result_detail?.hops ?? 0,
      ends: row.result_detail?.ends,
      parameters: row.input_parameters === null ? {} : (JSON.parse(row.input_parameters) as Record<string, unknown>),
    },
    [{ recipient, permitted }],
    ':urgent',
  );
  await tx.defer({ name: 'held-drop', text: 'delete from notification where notification_id = $1', values: [row.notification_id] });
}

/** Sends the held messages that are due or urgent. Returns how many people, counted for each tenant, had such messages. */
export async function releaseHeld(db: Db, publicUrl: string, pauseMs = 0): Promise<number> {
  const waiting = await db.query<{ tenant_id: string; person_id: string }>({ name: 'held-people', text: people });
  for (const { tenant_id: tenantId, person_id: personId } of waiting)
    await db.transaction(async (tx) => {
      const rows = await tx.query<HeldMessage>({ name: 'held-rows', text: heldText, values: [tenantId, personId] });
      const owner = { tenantId, personId, publicUrl, pauseMs };
      for (const row of rows) if (!row.is_due) await sendUrgent(tx, owner, row);
      await summarise(
        tx,
        owner,
        rows.filter((row) => row.is_due),
      );
    });
  return waiting.length;
}

export const heldWork = (publicUrl: string, pauseMs: number): Periodic => ({
  name: 'held-messages',
  everyMs: 5_000,
  run: async (db) => void (await releaseHeld(db, publicUrl, pauseMs)),
});
