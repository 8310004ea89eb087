/** Deletes old rows of growing tables by the rules of `retention-rules.ts`. */
import type { Db } from '../db/db.ts';
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
    const text = `delete from ${table} where ctid = any(array(
  select ctid from ${table} where ${at} < now() - make_interval(secs => $2) and ${where} limit $1)) returning 1`;
    for (let deleted = batchSize; deleted === batchSize;) deleted = (await db.query({ text, values: [batchSize, seconds] })).length;
  }
}

/** Creates and drops partitions each hour, and deletes rows every ten minutes. */
export function retentionWorks(days: RetentionDays): Periodic[] {
  return [
    {
      name: 'packet-partitions',
      everyMs: 3_600_000,
      run: async (db) => void (await db.query({ text: 'select keep_packet_partitions($1)', values: [days.packets] })),
    },
    { name: 'prune', everyMs: 600_000, run: (db) => sweep(db, days) },
  ];
}
