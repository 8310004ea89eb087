/** Enforces a pause between two messages to one person, so that a storm of matches does not cause a storm of messages. */
import { alwaysUrgent, type Severity } from '@cloudfit/contract/on-call/preferences.ts';
import type { Db } from '../../db/db.ts';

const take = `insert into message_turn (recipient, message_id, taken)
select recipient, $2, clock_timestamp() from (select distinct unnest($1::text[]) as recipient) r order by recipient
on conflict (recipient) do update set message_id = excluded.message_id, taken = excluded.taken
where message_turn.taken <= clock_timestamp() - $3::float8 * interval '1 millisecond' or message_turn.message_id = excluded.message_id
returning recipient`;

/**
 * How many urgent messages one person gets within a pause before one about a unit of this severity waits. More for Sev0, so that
 * a storm of Sev1 does not delay it.
 */
const urgentAtOnce: Readonly<Record<string, number>> = { Sev0: 10, Sev1: 5 };

/** The severities of which a waiting message may go out at once when its unit gets one of them. */
export const moreUrgentThan = (severityId: unknown): Severity[] =>
  alwaysUrgent.filter((item) => (urgentAtOnce[item] ?? 0) > (urgentAtOnce[String(severityId)] ?? 0));

// Counts an urgent message without taking the turn, so that it does not delay the messages that wait for the turn.
const page = `insert into message_turn (recipient, message_id, taken, urgent_count, urgent_since)
select recipient, $2, 'epoch', 1, clock_timestamp() from (select distinct unnest($1::text[]) as recipient) r order by recipient
on conflict (recipient) do update set urgent_count = case when message_turn.urgent_since > clock_timestamp() - $3::float8 * interval '1 millisecond'
  then message_turn.urgent_count + 1 else 1 end,
  urgent_since = case when message_turn.urgent_since > clock_timestamp() - $3::float8 * interval '1 millisecond' then message_turn.urgent_since else clock_timestamp() end
where message_turn.urgent_count < $4 or message_turn.urgent_since is null
  or message_turn.urgent_since <= clock_timestamp() - $3::float8 * interval '1 millisecond'
returning recipient`;

const next = `select recipient, greatest(0, extract(epoch from taken - clock_timestamp()) * 1000 + $2::float8)::float8 as ms from message_turn where recipient = any($1::text[])`;

/**
 * Takes the turns of the recipients who may be notified now; a message that already has a turn keeps it. Returns the other
 * recipients, each with the milliseconds to wait. A message about a unit of Sev0 or Sev1 needs no turn until `urgentAtOnce` such
 * messages were sent within the pause.
 */
export async function takeTurns(
  db: Db,
  recipients: readonly string[],
  messageId: string,
  { pauseMs, severityId }: { pauseMs: number; severityId: unknown },
): Promise<ReadonlyMap<string, number>> {
  if (pauseMs <= 0 || recipients.length === 0) return new Map();
  const atOnce = urgentAtOnce[String(severityId)];
  const paged =
    atOnce === undefined
      ? []
      : await db.query<{ recipient: string }>({ name: 'message-turn-page', text: page, values: [recipients, messageId, pauseMs, atOnce] });
  const left = recipients.filter((recipient) => !paged.some((row) => row.recipient === recipient));
  if (left.length === 0) return new Map();
  const holders = await db.query<{ recipient: string }>({ name: 'message-turn-take', text: take, values: [left, messageId, pauseMs] });
  const others = left.filter((recipient) => !holders.some((row) => row.recipient === recipient));
  if (others.length === 0) return new Map();
  const rows = await db.query<{ recipient: string; ms: number }>({ name: 'message-turn-next', text: next, values: [others, pauseMs] });
  return new Map(rows.map(({ recipient, ms }) => [recipient, Math.ceil(ms)]));
}
