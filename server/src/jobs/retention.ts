/** Keeps the tables that only grow at their size: packets by day, and what is only of use for a while. */
import type { Db } from '../db/connection.ts';
import type { Periodic } from './schedule.ts';

/** Rows removed by one statement, so that no delete holds a long transaction. */
const batchSize = 5_000;

async function prune(db: Db, text: string, ...values: readonly unknown[]): Promise<void> {
  for (;;) {
    const deleted = await db.query({ text, values: [batchSize, ...values] });
    if (deleted.length < batchSize) return;
  }
}

// The change feed serves live pages: a page that missed an hour of it reads again.
const prunes = [
  `delete from rule_receipt where ctid = any(array(select ctid from rule_receipt where created < now() - interval '8 days' limit $1)) returning 1`,
  `delete from rule_memory where subject_id in (select subject_id from rule_memory where at < now() - interval '90 days' limit $1) returning 1`,
  `delete from packet_receipt where ctid = any(array(select ctid from packet_receipt where received_timestamp < now() - interval '8 days' limit $1)) returning 1`,
  `delete from change where change_id in (select change_id from change where at < now() - interval '1 hour' order by change_id limit $1) returning 1`,
  "delete from repeatable_answer where request_key in (select request_key from repeatable_answer where created < now() - interval '24 hours' limit $1) returning 1",
  "delete from call_limit where limit_key in (select limit_key from call_limit where last_call < now() - interval '1 hour' limit $1) returning 1",
  "delete from backtest_run where backtest_run_id in (select backtest_run_id from backtest_run where created < now() - interval '7 days' limit $1) returning 1",
  'delete from work_unit_presence where ctid = any(array(select ctid from work_unit_presence where until < now() limit $1)) returning 1',
  'delete from revoked_token where revoked_id in (select revoked_id from revoked_token where expires_on < now() limit $1) returning 1',
];

const pruneDeviceLogs =
  'delete from device_log where log_entry_id in (select log_entry_id from device_log where created < now() - make_interval(days => $2) limit $1) returning 1';

/** Partitions ahead and past retention each hour, short-lived rows every ten minutes. */
export function retentionWorks(options: { packetDays: number }): Periodic[] {
  return [
    {
      name: 'packet-partitions',
      everyMs: 3_600_000,
      run: async (db) => void (await db.query({ text: 'select keep_packet_partitions($1)', values: [options.packetDays] })),
    },
    {
      name: 'prune',
      everyMs: 600_000,
      run: async (db) => {
        for (const text of prunes) await prune(db, text);
        await prune(db, pruneDeviceLogs, options.packetDays);
      },
    },
  ];
}
