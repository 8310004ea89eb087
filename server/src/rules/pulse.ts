/** Records when this installation accepts packets: a pulse while it runs, and the outages between pulses. */
import type { Logger } from 'pino';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';

const everyMs = 5_000;
/** The number of seconds between two pulses above which the time between them is an outage, not a slow machine. */
const gapAfterSeconds = 30;

const beat = `with before as (
  select at from installation_pulse for update
), gap as (
  insert into installation_gap (gap_start, gap_end) select at, now() from before where at < now() - make_interval(secs => ${gapAfterSeconds})
  returning gap_start, gap_end
), beaten as (
  insert into installation_pulse (at) values (now()) on conflict (one) do update set at = greatest(installation_pulse.at, excluded.at) returning 1
)
select gap_start, gap_end from gap`;

/** Records one pulse; returns the outage that the pulse ended. */
export async function notePulse(db: Db): Promise<{ gap_start: string; gap_end: string } | undefined> {
  return (await db.query<{ gap_start: string; gap_end: string }>({ name: 'pulse', text: beat }))[0];
}

/** Begins to record pulses. Each process that accepts packets does this. */
export function startPulse(database: Database, log: Logger): { stop(): void } {
  const db = database.scoped('all');
  async function once(): Promise<void> {
    try {
      const gap = await notePulse(db);
      if (gap) log.warn(gap, 'No packets were taken for a while; rules on silence wait until each entity had time to report.');
    } catch (error) {
      log.warn({ err: error }, 'The beat of the installation could not be recorded.');
    }
  }
  void once();
  const timer = setInterval(() => void once(), everyMs);
  return { stop: () => clearInterval(timer) };
}

/** Returns the outages of the last eight days, at most the latest 200, in order of time, including one that continues. */
export async function recentGaps(db: Db): Promise<Gap[]> {
  const rows = await db.query<{ from: number; until: number }>({
    name: 'recent-gaps',
    text: `select (extract(epoch from gap_start) * 1000)::float8 as from, (extract(epoch from gap_end) * 1000)::float8 as until from (
  select gap_start, gap_end from installation_gap where gap_end > now() - interval '8 days'
  union all select at, now() from installation_pulse where at < now() - make_interval(secs => ${gapAfterSeconds})
) g order by gap_end desc limit 200`,
  });
  return rows.toReversed();
}

/** Returns the outages that begin before `to` and end after `from` or at most eight days before `from`, in order of time. */
export async function gapsBetween(db: Db, from: number, to: number): Promise<Gap[]> {
  return db.query<Gap>({
    name: 'gaps-between',
    text: `select (extract(epoch from gap_start) * 1000)::float8 as from, (extract(epoch from gap_end) * 1000)::float8 as until
from installation_gap where gap_end > $1::timestamptz - interval '8 days' and gap_start < $2::timestamptz order by gap_end`,
    values: [new Date(from).toISOString(), new Date(to).toISOString()],
  });
}
