/**
 * The later channels of a person: skipped once somebody has acted on the unit, or the person has left; used at once if the earlier channels have
 * failed; not used in quiet hours that have begun since the first message.
 */
import { resultStatus, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { quietUntil } from '@cloudfit/contract/on-call/preferences.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { endsBecause } from '@cloudfit/contract/protocols/timeline.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { notify } from '../../db/notify.ts';
import { channelsOfPeople, preferencesOf } from '../../executions/channel-addresses.ts';
import { NotDue } from '../../jobs/job.ts';
import { currentTime } from '../../platform/clock.ts';
import type { QueuedExecution } from '../execution.ts';
import { hasLeft } from './may-notify.ts';
import { withRights } from './recipients.ts';

interface WaitingForUnit {
  state_id: WorkUnitState;
  taken_by: string | null;
  /** The person of a later channel who may not be told of the unit any more. */
  left_by: string | null;
}

const unitText = `select w.state_id, coalesce(b.closed_by, b.taken_by) as taken_by, (
  select p.name from notification n join person p using (person_id) where n.message_id = $3 and n.turn > 0 and not (${withRights('n.tenant_id')})
) as left_by
from work_unit w left join call_back b on b.call_back_id = $2::uuid where w.work_unit_id = $1`;

/**
 * Why a waiting message is not sent; undefined if it is sent. Reads the state of the unit, because the event of its last change
 * may not be handled yet.
 */
export async function endedBefore(db: Db, execution: QueuedExecution): Promise<string | undefined> {
  const { messageId, ends, workUnitId, isReminder, match, unitState } = execution;
  if (isReminder && match?.isOver) return 'the match has ended';
  if (isReminder && unitState && unitState !== 'New') return `the work unit is ${unitState}`;
  if (!ends || workUnitId === undefined) return undefined;
  const [unit] = await db.query<WaitingForUnit>({
    name: 'turn-unit',
    text: unitText,
    values: [workUnitId, ends.callBackId ?? null, messageId],
  });
  if (!unit) return 'the work unit is no longer there';
  if (unit.left_by !== null) return `${unit.left_by} is ${hasLeft}`;
  if (ends.callBackId !== undefined) return unit.taken_by === null ? undefined : `${unit.taken_by} has taken the call back`;
  return endsBecause(ends.stopWhen, ends.eventState, unit.state_id);
}

/** The unit may become urgent, and the person may choose other hours, before these are over. */
const quietCheckMs = 60_000;

const laterTurn = `select n.person_id, n.due, w.severity_id from notification n join work_unit w using (work_unit_id)
where n.message_id = $1 and n.turn > 0 and n.person_id is not null`;

const moveTurn = `with moved as (update notification set due = $2 where message_id = $1 returning tenant_id, notification_id)
${changed(notifications, 'update', 'moved', '$3')}`;

/** Throws for a message by a later channel while the person has quiet hours, unless its unit is urgent by now. */
export async function requireLoudHours(db: Db, { messageId, tenantId, correlationId, ends }: QueuedExecution): Promise<void> {
  if (!ends) return;
  const [turn] = await db.query<{ person_id: string; due: string | null; severity_id: string }>({
    name: 'turn-person',
    text: laterTurn,
    values: [messageId],
  });
  const row = turn && (await channelsOfPeople(db, tenantId, [turn.person_id])).get(turn.person_id);
  if (!row) return;
  const now = currentTime();
  const until = quietUntil(preferencesOf(row), turn.severity_id, now);
  if (until === undefined) return;
  if (turn.due === null || Date.parse(turn.due) !== until)
    await db.query({ name: 'turn-move', text: moveTurn, values: [messageId, new Date(until).toISOString(), correlationId] });
  throw new NotDue('It is in the quiet hours of the person.', Math.min(until - now, quietCheckMs));
}

// Makes the person's next turn due at once, unless a message of this turn or of an earlier one was sent or is still being sent.
const hasten = `with failed as (
  select step_message_id, person_id, turn from notification where message_id = $1 and person_id is not null
), next as (
  select n.message_id, n.notification_id from notification n join failed f on n.step_message_id = f.step_message_id and n.person_id = f.person_id
  where n.turn = (
    select min(l.turn) from notification l where l.step_message_id = f.step_message_id and l.person_id = f.person_id and l.turn > f.turn
  ) and not exists (
    select from notification e join action_history h on h.message_id = e.message_id
    where e.step_message_id = f.step_message_id and e.person_id = f.person_id and e.turn <= f.turn
      and h.result_status_id in (${resultStatus.success}, ${resultStatus.enqueueSuccess})
  )
), moved as (
  update notification n set due = now() from next where n.notification_id = next.notification_id and n.due > now() returning n.message_id
)
update job j set run_at = date_trunc('milliseconds', now()) from moved where j.once_key = moved.message_id::text and j.dead_at is null and j.run_at > now()
returning 1`;

// A summary has no later turns: what it says is held again, and goes out by a channel that is not named here.
const holdAgain = `with again as (
  update notification set released = null, told_by = null, held_until = now(), problem = concat_ws(' ', problem, channel || ' failed.')
  where told_by = $1 and released is not null and channel in ('Push', 'SMS', 'Mail') returning tenant_id, notification_id
)
${changed(notifications, 'update', 'again', '$2')}`;

/**
 * Makes the person's next turn due at once, and what a summary should have told due again. Call it in the transaction that records that a
 * message has failed.
 */
export async function useNextChannel(db: Db, messageId: string): Promise<void> {
  const woken = await db.query({ name: 'turn-hasten', text: hasten, values: [messageId] });
  if (woken.length > 0) await notify(db, 'jobs');
  await db.query({ name: 'held-again', text: holdAgain, values: [messageId, crypto.randomUUID()] });
}
