/** Deletes old rows of growing tables by the rules of `retention-rules.ts`. */
import type { Db } from '../db/db.ts';
import { dropPartitions, readOldPartitions, type KeptDays } from '../db/partitions.ts';
import { endOfBefore, isSpanTable, readDueSpans, turnSpans, type KeptSpans } from '../db/spans.ts';
import { retentionRules, type RetentionDays } from './retention-rules.ts';
import type { Periodic } from './schedule.ts';

/** Rows deleted by one statement, so that no delete causes a long transaction. */
const batchSize = 5_000;

/** Deletes rows that are older than the retention of their table. */
async function sweep(db: Db, days: RetentionDays): Promise<void> {
  for (const [table, rule] of Object.entries(retentionRules)) {
    if ('bound' in rule) continue;
    const { after, at, where = 'true' } = rule;
    const seconds = 'hours' in after ? after.hours * 3_600 : 86_400 * ('days' in after ? after.days : days[after.setting]);
    const limit = 'now() - make_interval(secs => $2)';
    // Of a table with partitions, only what it had before them; the others are dropped as a whole. A place in one partition is one in others too.
    const isOld = isSpanTable(table)
      ? `${at} < least(${limit}, coalesce(${endOfBefore(table)}, '-infinity'))`
      : `${at} < ${limit} and ${where}`;
    const text = `delete from ${table} where ${isOld} and ctid = any(array(select ctid from ${table} where ${isOld} limit $1)) returning 1`;
    for (let deleted = batchSize; deleted === batchSize;) deleted = (await db.query({ text, values: [batchSize, seconds] })).length;
  }
}

/** Deletes old rows every ten minutes. */
export function pruneWork(days: RetentionDays): Periodic {
  return { name: 'prune', everyMs: 600_000, run: (db) => sweep(db, days) };
}

/**
 * Creates the partitions of the next time and drops those past retention: each minute, because one that somebody reads has to wait.
 * `ownerUrl` is the database as the owner of its tables.
 */
export function partitionWork(keptDays: KeptDays, keptSpans: KeptSpans, ownerUrl: string): Periodic {
  return {
    name: 'packet-partitions',
    everyMs: 60_000,
    async run(db) {
      await db.query({ text: 'select keep_packet_partitions($1)', values: [keptDays.packet] });
      const old = await readOldPartitions(db, keptDays);
      if (old.length > 0) await dropPartitions(ownerUrl, old);
      const due = await readDueSpans(db, keptSpans);
      if (due.length > 0) await turnSpans(ownerUrl, due, keptSpans);
    },
  };
}
