/** Records when this installation accepts packets: a pulse of each server while it runs, and the outages between pulses. */
import type { Logger } from 'pino';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import type { Database } from '../../db/connection.ts';
import { isConnected } from '../../db/listener.ts';
import type { Db } from '../../db/db.ts';
import { currentTime } from '../../platform/clock.ts';

const everyMs = 5_000;
/** Two pulses. A server whose last pulse is older accepts no packets, and outages that are closer together than this are one. */
const longSeconds = 10;
/** How long the end of one server is an outage for the senders that use it, unless another one starts before. */
const partialSeconds = 60;

/** Whether the server of the row `p` is gone: it has stopped, its connection has ended, or it does not continue. */
const isGone = `(p.stopped or p.at < now() - make_interval(secs => ${longSeconds}) or not (${isConnected('p.process')}))`;

/**
 * $1: the process; $2: whether this is its first pulse. `lives`: another server accepts packets; one of an earlier version has
 * no row, so its pulses are those that no row has.
 */
const beat = `with before as materialized (
  select at, at < now() - make_interval(secs => ${longSeconds}) as is_long from installation_pulse for update
), other as materialized (
  select exists (select from server_pulse p where p.process <> $1 and not ${isGone})
    or exists (select from before b where not is_long and not exists (select from server_pulse p where p.at = b.at)) as lives
), ended as (
  delete from server_pulse where process = any(array(
    select process from server_pulse p where p.process <> $1 and ${isGone} and ($2::boolean or p.at < now() - make_interval(secs => ${partialSeconds}))
    for update skip locked))
  returning at
), part as (
  select at from ended
  union all select p.at from server_pulse p cross join other where p.process = $1 and lives and p.at < now() - make_interval(secs => ${longSeconds})
), gap as materialized (
  select at as gap_start, now() as gap_end, false as partial from before cross join other where is_long or ($2::boolean and not lives)
  union all select min(at), least(now(), max(at) + make_interval(secs => ${partialSeconds})), true from part cross join other
    where lives or not $2::boolean having count(*) > 0
), joined as (
  select g.*, (select gap_id from installation_gap i where i.partial = g.partial and i.gap_end >= g.gap_start - make_interval(secs => ${longSeconds})
    order by i.gap_end desc limit 1) as gap_id from gap g
), continued as (
  update installation_gap i set gap_end = greatest(i.gap_end, j.gap_end) from joined j where i.gap_id = j.gap_id
), added as (
  insert into installation_gap (gap_start, gap_end, partial) select gap_start, gap_end, partial from joined where gap_id is null
), own as (
  insert into server_pulse (process, at) values ($1, now()) on conflict (process) do update set at = excluded.at
), beaten as (
  insert into installation_pulse (at) values (now()) on conflict (one) do update set at = greatest(installation_pulse.at, excluded.at)
)
select gap_start, gap_end from gap where not partial`;

/** Records one pulse of a server; returns the outage of all servers that the pulse ended. */
export async function notePulse(db: Db, process: string, isFirst: boolean): Promise<{ gap_start: string; gap_end: string } | undefined> {
  return (await db.query<{ gap_start: string; gap_end: string }>({ name: 'pulse', text: beat, values: [process, isFirst] }))[0];
}

/** Records that a server accepts no more packets. */
export async function noteStop(db: Db, process: string): Promise<void> {
  await db.query({ text: 'update server_pulse set at = now(), stopped = true where process = $1', values: [process] });
}

/**
 * Begins to record pulses. Each process that accepts packets does this once it can be reached, because silence counts again from
 * its first pulse. `process` is a part of the name of the connection on which the process listens. While `writes` says no, packets wait in a
 * stream: then there is no pulse, and that time becomes an outage.
 */
export function startPulse(database: Database, process: string, log: Logger, writes = (): boolean => true): { stop(): Promise<void> } {
  const db = database.scoped('all');
  let isFirst = true;
  async function once(): Promise<void> {
    if (!writes()) return;
    try {
      const gap = await notePulse(db, process, isFirst);
      isFirst = false;
      if (gap) log.warn(gap, 'No packets were taken for a while; rules on silence wait until each entity had time to report.');
    } catch (error) {
      log.warn({ err: error }, 'The beat of the installation could not be recorded.');
    }
  }
  let last = once();
  const timer = setInterval(() => void (last = once()), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await last;
      await noteStop(db, process).catch((error: unknown) => log.warn({ err: error }, 'The end of this server could not be recorded.'));
    },
  };
}

/** Whether no server ran at a time, so that nothing was evaluated. */
export const isAway = (gaps: readonly Gap[], at: number): boolean => gaps.some((gap) => !gap.partial && gap.from <= at && at < gap.until);

const inOrder = (gaps: readonly Gap[]): Gap[] => gaps.toSorted((a, b) => a.from - b.from);

/**
 * Returns the outages of the last eight days, at most the latest 200, in order of time, including those that continue: of one
 * server, and of all, even before the first one of them has been missing for long.
 */
export async function recentGaps(db: Db): Promise<Gap[]> {
  const rows = await db.query<Gap>({
    name: 'recent-gaps',
    text: `select (extract(epoch from gap_start) * 1000)::float8 as from, (extract(epoch from gap_end) * 1000)::float8 as until, partial from (
  (select gap_start, gap_end, partial from installation_gap where gap_end > now() - interval '8 days' order by gap_end desc limit 200)
  union all select i.at, now(), false from installation_pulse i where i.at < now() - make_interval(secs => ${longSeconds})
    or (exists (select from server_pulse p where p.at = i.at) and not exists (select from server_pulse p where not ${isGone}))
  union all select p.at, least(now(), p.at + make_interval(secs => ${partialSeconds})), true from server_pulse p where ${isGone}
) g order by gap_end desc limit 200`,
  });
  return inOrder(rows);
}

/**
 * Keeps the recent outages in memory, for the packets that this process evaluates. While they cannot be read, as when the database
 * hangs, this process takes no packets: the time since the last reading is an outage too, which the next reading has.
 */
export async function followGaps(db: Db, log: Logger): Promise<{ current(): readonly Gap[]; stop(): void }> {
  let readAt = currentTime();
  let gaps = await recentGaps(db);
  const timer = setInterval(() => {
    const at = currentTime();
    recentGaps(db).then(
      (recent) => {
        [gaps, readAt] = [recent, at];
      },
      (error: unknown) => log.warn({ err: error }, 'The outages could not be read.'),
    );
  }, everyMs);
  timer.unref();
  return {
    current() {
      const now = currentTime();
      return now - readAt > longSeconds * 1_000 ? [...gaps, { from: readAt, until: now, partial: false }] : gaps;
    },
    stop: () => clearInterval(timer),
  };
}

/** Returns the outages that begin before `to` and end after `from` or at most eight days before `from`, in order of time. */
export async function gapsBetween(db: Db, from: number, to: number): Promise<Gap[]> {
  const rows = await db.query<Gap>({
    name: 'gaps-between',
    text: `select (extract(epoch from gap_start) * 1000)::float8 as from, (extract(epoch from gap_end) * 1000)::float8 as until, partial
from installation_gap where gap_end > $1::timestamptz - interval '8 days' and gap_start < $2::timestamptz order by gap_end`,
    values: [new Date(from).toISOString(), new Date(to).toISOString()],
  });
  return inOrder(rows);
}
