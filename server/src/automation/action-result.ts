/**
 * Records failed attempts, waiting and, once, the outcome of an execution, also in the feed of its work unit. An outcome is
 * never overwritten, except that the success of a call replaces "stopped".
 */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { changed } from '../db/changed.ts';
import type { Db, Statement } from '../db/db.ts';
import { wakeFollowers } from '../executions/executions.ts';
import { notify } from '../db/notify.ts';
import { jobsOf } from '../jobs/queue.ts';

/** How an action ended. `detail` is shown to people. */
export interface ActionResult {
  succeeded: boolean;
  /** The action was skipped on purpose; `detail` says why. */
  isSuppressed?: boolean;
  detail: Record<string, unknown>;
  /** What the receiver has made for the work unit, such as a ticket. */
  reference?: { id: string; url: string | undefined };
}

/** The action has not ended: its mail waits in the outbox for a mail server. */
export interface KeptMail {
  isKept: true;
  detail: Record<string, unknown>;
}

/** Thrown when no further attempt of the action can succeed. */
export class ActionFailure extends Error {
  readonly detail: Record<string, unknown>;
  constructor(message: string, detail: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ActionFailure';
    this.detail = detail;
  }
}

/** SQL: queues the next step of the protocol runs to which the executions in `list` belong; returns a row for each of them. */
const nextSteps = (list: string): string => `stepped as (
  ${jobsOf(`${list} where protocol_event_id is not null`, "'protocol-steps'", "jsonb_build_object('eventId', protocol_event_id)")} returning 1
)
select 1 from stepped`;

const record = `with done as (
  update action_history set result_status_id = $2, result_detail = (coalesce(result_detail, '{}') - 'error') || $3::jsonb, action_processed = now(), kept_since = null, next_try = null
  where message_id = $1 and (result_status_id = ${resultStatus.enqueueSuccess}
    or $2 = ${resultStatus.success} and result_status_id = ${resultStatus.suppressed} and result_detail->>'reason' = 'stopped')
  returning tenant_id, action_history_id, correlation_id, work_unit_id, action_definition_id, result_detail, protocol_event_id, message_id
), waited as (
  delete from waiting_mail w using done d where w.message_id = d.message_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select d.work_unit_id, d.tenant_id, left(coalesce(d.result_detail->>'label', a.name, 'An action') || case when $2 = ${resultStatus.success} then ' succeeded' || case when d.result_detail->>'reason' = 'stopped' then '; the call was under way when it was stopped' else '' end || coalesce(' (kept since ' || (d.result_detail->>'keptSince') || ')', '') || '.' else ' failed: ' || coalesce(d.result_detail->>'error', 'no reason given') end, 4000),
    case when $2 = ${resultStatus.success} then 'ProtocolActionActivity' else 'ProtocolActionFailure' end, 'Automation', d.correlation_id
  from done d left join action_definition a using (action_definition_id) where d.work_unit_id is not null
), changed as (${changed(actionHistories, 'update', 'done')}), ${nextSteps('done')}`;

/**
 * Runs `statement`, which records that an execution has ended or that its mail waits, and lets the next execution start: the
 * next step of a protocol, or the next action of a match. Those that follow are looked for by a statement of their own, because one may
 * begin to follow while this one waits for the row.
 */
async function startNext(tx: Db, messageId: string, statement: Statement): Promise<void> {
  const steps = await tx.query(statement);
  await wakeFollowers(tx, messageId);
  if (steps.length > 0) await notify(tx, 'jobs');
}

function resultOf(messageId: string, result: ActionResult): Statement {
  const status = result.isSuppressed ? resultStatus.suppressed : result.succeeded ? resultStatus.success : resultStatus.failure;
  return { name: 'action-result', text: record, values: [messageId, status, JSON.stringify(result.detail)] };
}

export async function recordResult(db: Db, messageId: string, result: ActionResult): Promise<void> {
  await db.transaction((tx) => startNext(tx, messageId, resultOf(messageId, result)));
}

/** Records the outcome as the last thing of a transaction: it is sent together with the commit. */
export async function recordLast(tx: Db, messageId: string, result: ActionResult): Promise<void> {
  await tx.defer({ ...resultOf(messageId, result), wakesJobs: true });
  await wakeFollowers(tx, messageId);
}

const keep = `with kept as (
  update action_history set kept_since = now(), result_detail = coalesce(result_detail, '{}') || $2::jsonb
  where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess} and kept_since is null
  returning tenant_id, action_history_id, correlation_id, work_unit_id, action_definition_id, result_detail, protocol_event_id, message_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
  select k.work_unit_id, k.tenant_id, left(coalesce(k.result_detail->>'label', a.name, 'An action') || ' was kept, not sent: no mail server is set.', 4000), 'ProtocolActionActivity', true,
    'Automation', k.correlation_id
  from kept k left join action_definition a using (action_definition_id) where k.work_unit_id is not null
), changed as (${changed(actionHistories, 'update', 'kept')}), ${nextSteps('kept')}`;

/**
 * Records that the mail of an execution waits for a mail server. The execution stays queued, and the next step of its
 * protocol may start.
 */
export async function recordKept(db: Db, messageId: string, detail: KeptMail['detail']): Promise<void> {
  await db.transaction(async (tx) => {
    await startNext(tx, messageId, { name: 'action-kept', text: keep, values: [messageId, JSON.stringify(detail)] });
  });
}

export interface FailedAttempt {
  number: number;
  error: string;
  /** Time until the next try. */
  delayMs: number;
}

/**
 * Records a failed attempt that will be repeated; the execution stays queued. The first one adds an entry to the feed of the
 * unit.
 */
export async function recordAttempt(db: Db, messageId: string, { number, error, delayMs }: FailedAttempt): Promise<void> {
  await db.query({
    name: 'action-attempt',
    text: `with before as (
  select action_history_id, next_try from action_history where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess} for no key update
), tried as (
  update action_history h set result_detail = coalesce(h.result_detail, '{}') || jsonb_build_object('attempt', $2::int, 'error', $3::text),
    next_try = now() + $4::float8 * interval '1 millisecond'
  from before b where h.action_history_id = b.action_history_id
  returning h.tenant_id, h.action_history_id, h.correlation_id, h.work_unit_id, h.action_definition_id, h.result_detail, b.next_try is null as is_first
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
  select t.work_unit_id, t.tenant_id, left(coalesce(t.result_detail->>'label', a.name, 'An action') || ' failed and is tried again: ' || $3::text, 4000), 'ProtocolActionActivity', true, 'Automation',
    t.correlation_id
  from tried t left join action_definition a using (action_definition_id) where t.work_unit_id is not null and t.is_first
)
${changed(actionHistories, 'update', 'tried')}`,
    values: [messageId, number, error, delayMs],
  });
}

/**
 * Records that an execution waits because its receiver's circuit is open: nothing was sent. Does nothing if the circuit is
 * closed.
 */
export async function recordWaiting(db: Db, messageId: string, destination: string): Promise<void> {
  await db.query({
    name: 'action-waits',
    text: `with before as (
  select h.action_history_id, h.next_try, d.paused_until, d.last_error
  from action_history h join destination d on d.tenant_id = h.tenant_id and d.origin = $2 and d.disabled is null and d.paused_until > now()
  where h.message_id = $1 and h.result_status_id = ${resultStatus.enqueueSuccess} for no key update of h
), waiting as (
  update action_history h set next_try = b.paused_until,
    result_detail = coalesce(h.result_detail, '{}') || jsonb_build_object('error', 'The receiver has failed repeatedly; this waits until it answers again. ' || b.last_error)
  from before b where h.action_history_id = b.action_history_id
  returning h.tenant_id, h.action_history_id, h.correlation_id, h.work_unit_id, h.action_definition_id, h.result_detail, b.next_try is null as is_first
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
  select t.work_unit_id, t.tenant_id, coalesce(t.result_detail->>'label', a.name, 'An action') || ' waits: its receiver has failed repeatedly.', 'ProtocolActionActivity', true, 'Automation',
    t.correlation_id
  from waiting t left join action_definition a using (action_definition_id) where t.work_unit_id is not null and t.is_first
)
${changed(actionHistories, 'update', 'waiting')}`,
    values: [messageId, destination],
  });
}
