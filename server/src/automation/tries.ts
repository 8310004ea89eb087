/** Records each try of an execution. The record is written right before something is sent, unless the execution was stopped. */
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { NotTried, requireCallSlot, type CallSlot, type JobAttempt, type KeepAsCall } from '../jobs/job.ts';
import { keptAsCall, leaseSeconds, slotOf } from '../jobs/lease.ts';
import { recordLast, type ActionResult } from './action-result.ts';
import { earlierTries, type EarlierTries } from './units/look-back.ts';

/** What a try sends and where to, with secrets masked. */
export interface MaskedRequest {
  target: string;
  sent?: string | undefined;
}

/** Thrown when the execution has ended or was stopped, or its job is another worker's, meanwhile: nothing may be sent. */
export class ExecutionEnded extends Error {
  constructor() {
    super('The execution has ended.');
    this.name = 'ExecutionEnded';
  }
}

export interface Try extends JobAttempt {
  /**
   * What earlier tries left, for one that asks its receiver for it: its begin does not say that something may have arrived twice. Call it
   * before the try begins.
   */
  lookBack(): Promise<EarlierTries>;
  /** Tells the unit that something may have arrived twice. */
  noteTwice(): Promise<void>;
  /** Sets the status of the answer, which is recorded at the end of the try. */
  status: number | undefined;
  /**
   * As `requireCallSlot`. Where that takes a new slot and nothing else is written with the try, the try begins in the same statement, so that the call
   * is made sooner: the `begin` that follows has nothing left to do.
   */
  requireSlot(destination: string, series: string | undefined, sending: MaskedRequest): Promise<Exclude<CallSlot, 'none'>>;
  /** Call this right before sending, so that the try is recorded first, together with what `record` writes. */
  begin(sending: MaskedRequest, record?: (db: Db) => Promise<void>): Promise<void>;
  /**
   * Runs the whole of a try that sends nothing in one transaction: its record, `work`, and the outcome of the execution. So a repeated
   * job sees the outcome, and one whose worker was lost has done nothing. `work` does nothing outside of the transaction: its first
   * statements are sent before it is known that the try may begin.
   */
  inOne(sending: MaskedRequest, work: (tx: Db) => Promise<ActionResult>): Promise<ActionResult>;
  /** Whether the outcome of the execution is recorded already. */
  isRecorded: boolean;
  /** Records the end of the try; does nothing if the try has not begun. */
  end(db: Db, error: string | undefined): Promise<void>;
}

const unsent = 'The answer of the database was lost before anything was sent.';
const lost = 'The worker that made this try was lost; whether it arrived is not known.';

// The lock orders this try and a concurrent stop: either the stop waits until the try is recorded, or the try sees that
// the execution was stopped. A worker that stalled may find that its lease was freed. `job` and `worker` are expressions of the lease.
const openExecution = (job: string, worker: string, messageId: string): string => `open as materialized (
  select action_history_id, tenant_id, work_unit_id, action_definition_id, correlation_id, result_detail from action_history where message_id = ${messageId} and result_status_id = ${resultStatus.enqueueSuccess}
    and (${job}::bigint is null or exists (select from job where job_id = ${job} and leased_by = ${worker})) for no key update
)`;

/** SQL: notes that an execution of the rows `of` is sent again. */
const notedTwice = (
  of: string,
): string => `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, is_warning, created_by, correlation_id)
  select o.work_unit_id, o.tenant_id, left(coalesce(o.result_detail->>'label', a.name, 'An action') || ' is sent again, because a server was lost before it had the answer: it may have arrived twice.', 4000),
    'ProtocolActionActivity', true, 'Automation', o.correlation_id
  from ${of} o left join action_definition a using (action_definition_id) where o.work_unit_id is not null`;

const noteTwice = `with noted as (
  ${notedTwice('action_history')} and o.message_id = $1 returning tenant_id, work_unit_note_id, work_unit_id, correlation_id
)
${changed(workUnitNotes, 'create', 'noted')}`;

const added = (open: string, target: string, sent: string, sinceMs: string, looksBack: string): string => `lost as (
  update action_try t set error = '${lost}'
  from ${open} o where t.action_history_id = o.action_history_id and t.duration_ms is null and t.error is null returning t.action_history_id
), again as (
  select * from ${open} o where o.action_history_id in (select action_history_id from lost)
), changed as (
  ${changed(actionHistories, 'update', 'again')}
), noted as (
  ${notedTwice('again')} and not ${looksBack}::boolean
), added as (
  insert into action_try (tenant_id, action_history_id, work_unit_id, number, started, target, sent)
  select o.tenant_id, o.action_history_id, o.work_unit_id,
    (select count(*)::int + 1 from action_try t where t.action_history_id = o.action_history_id), clock_timestamp() - ${sinceMs} * interval '1 millisecond',
    left(${target}, 2000), left(${sent}, 4096)
  from ${open} o returning action_try_id
)`;

const begin = `with ${openExecution('$4', '$5', '$1')}, ${added('open', '$2', '$3', '$6::float8', '$7')} select action_try_id from added`;

// Locks the execution before the job, as what stops an execution does.
const beginCall = `with ${openExecution('$1', '$2', '$5')}, kept as (${keptAsCall(' from open')}), begun as (
  select open.* from open, kept where kept.is_closed
), ${added('begun', '$6', '$7', '0', 'false')}
select exists (table open) as is_open, (select is_closed from kept) as is_closed, (select action_try_id from added) as action_try_id`;

const end = `update action_try set duration_ms = greatest(0, extract(epoch from clock_timestamp() - started) * 1000)::int, status = $2, error = left($3, 2000)
where action_try_id = $1`;

// Whoever has the lease ends what has begun within it alone: a try that is older is that of a worker that was lost.
const endUnsent = `update action_try t set duration_ms = 0, error = '${unsent}'
from action_history h, job j where h.message_id = $1 and t.action_history_id = h.action_history_id and t.duration_ms is null and t.error is null
  and j.job_id = $2 and j.leased_by = $3 and t.started >= j.leased_until - interval '${leaseSeconds} seconds'`;

/** Waits for both, so that no statement is on its way when the transaction is undone; a failure of the first one counts first. */
async function inOrder<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** Returns the next try of an execution. `before` is done in the transaction that records that the try begins. */
export function openTry(db: Db, messageId: string, attempt: JobAttempt, before?: (tx: Db) => Promise<void>): Try {
  let id: number | undefined;
  let looksBack = false;
  /** Whether the try may have begun although its statement failed: then nothing was sent. */
  let mayHaveBegun = false;
  /** A try that was undone with its transaction: what it would have done, and when it began. */
  let undone: { sending: MaskedRequest; began: number } | undefined;

  async function record(tx: Db, { target, sent }: MaskedRequest, sinceMs = 0): Promise<number | undefined> {
    const { jobId, worker } = attempt.lease ?? { jobId: null, worker: null };
    const values = [messageId, target, sent ?? null, jobId, worker, sinceMs, looksBack];
    const [row] = await tx.query<{ action_try_id: number }>({ name: 'try-begin', text: begin, values });
    return row?.action_try_id;
  }

  async function start(tx: Db, sending: MaskedRequest): Promise<number> {
    const started = await record(tx, sending);
    if (started === undefined) throw new ExecutionEnded();
    await before?.(tx);
    return started;
  }

  async function finish(tx: Db, tryId: number | undefined, status: number | undefined, error: string | undefined): Promise<void> {
    if (tryId !== undefined) await tx.defer({ name: 'try-end', text: end, values: [tryId, status ?? null, error ?? null] });
  }

  return {
    ...attempt,
    status: undefined,
    isRecorded: false,
    lookBack() {
      looksBack = true;
      return earlierTries(db, messageId);
    },
    async noteTwice() {
      await db.query({ name: 'note-twice', text: noteTwice, values: [messageId] });
    },
    async requireSlot(destination, series, sending) {
      let hasEnded = false;
      const keep: KeepAsCall = async (ofWorker, worker, jobId, call) => {
        const values = [jobId, worker, call.destination, call.series ?? null, messageId, sending.target, sending.sent ?? null];
        const [row] = await ofWorker.query<{ is_open: boolean; is_closed: boolean | null; action_try_id: number | null }>({
          name: 'try-begin-call',
          text: beginCall,
          values,
        });
        hasEnded = row?.is_open === false;
        id = row?.action_try_id ?? undefined;
        return slotOf(row?.is_closed);
      };
      try {
        return await requireCallSlot(attempt, destination, series, before ? undefined : keep);
      } catch (error) {
        if (hasEnded) throw new ExecutionEnded();
        mayHaveBegun = !(error instanceof NotTried);
        throw error;
      }
    },
    async begin(sending, along) {
      if (id !== undefined) return;
      const write = async (tx: Db): Promise<number> => {
        const started = await start(tx, sending);
        await along?.(tx);
        return started;
      };
      try {
        id = along || before ? await db.transaction(write) : await write(db);
      } catch (error) {
        mayHaveBegun = !(error instanceof ExecutionEnded);
        throw error;
      }
    },
    async inOne(sending, work) {
      const began = performance.now();
      try {
        const result = await db.transaction(async (tx) => {
          // What was done before the try has locks of its own, which are taken before those of `work`.
          const [started, done] = before ? [await start(tx, sending), await work(tx)] : await inOrder(start(tx, sending), work(tx));
          await finish(tx, started, undefined, undefined);
          await recordLast(tx, messageId, done);
          return done;
        });
        this.isRecorded = true;
        return result;
      } catch (error) {
        undone = { sending, began };
        throw error;
      }
    },
    async end(tx, error) {
      if (mayHaveBegun && attempt.lease)
        await tx.query({ name: 'try-end-unsent', text: endUnsent, values: [messageId, attempt.lease.jobId, attempt.lease.worker] });
      const one = undone ? await record(tx, undone.sending, performance.now() - undone.began) : id;
      await finish(tx, one, this.status, error);
    },
  };
}

/** Records, for tries without an end, that their worker was lost. */
export async function recordLostTries(db: Db, messageId: string): Promise<void> {
  await db.query({
    text: `update action_try t set error = '${lost}' from action_history h
where h.message_id = $1 and t.action_history_id = h.action_history_id and t.duration_ms is null and t.error is null`,
    values: [messageId],
  });
}
