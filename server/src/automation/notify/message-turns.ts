/** Between two messages to one person passes a time, so that a storm of matches is no storm of messages. */
import type { Db } from '../../db/connection.ts';

const take = `insert into message_turn (recipient, message_id, taken)
select recipient, $2, clock_timestamp() from (select distinct unnest($1::text[]) as recipient) r order by recipient
on conflict (recipient) do update set message_id = excluded.message_id, taken = excluded.taken
where message_turn.taken <= clock_timestamp() - $3::float8 * interval '1 millisecond' or message_turn.message_id = excluded.message_id
returning recipient`;

const next = `select recipient, greatest(0, extract(epoch from taken - clock_timestamp()) * 1000 + $2::float8)::float8 as ms from message_turn where recipient = any($1::text[])`;

/**
 * Takes the turns of these recipients, whoever may be told now, for a message; one that has a turn keeps it. Answers the others, and
 * how long each has to wait.
 */
export async function takeTurns(
  db: Db,
  recipients: readonly string[],
  messageId: string,
  pauseMs: number,
): Promise<ReadonlyMap<string, number>> {
  if (pauseMs <= 0 || recipients.length === 0) return new Map();
  const holders = new Set(
    (await db.query<{ recipient: string }>({ name: 'message-turn-take', text: take, values: [recipients, messageId, pauseMs] })).map(
      (row) => row.recipient,
    ),
  );
  const others = recipients.filter((recipient) => !holders.has(recipient));
  if (others.length === 0) return new Map();
  const rows = await db.query<{ recipient: string; ms: number }>({ name: 'message-turn-next', text: next, values: [others, pauseMs] });
  return new Map(rows.map(({ recipient, ms }) => [recipient, Math.ceil(ms)]));
}
