/** Keeps the rows in which triggers store the counts of work units: merges them, and compares them with the units. */
import type { Logger } from 'pino';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import type { Periodic } from '../../jobs/schedule.ts';

/** Up to this number of rows of one tenant and state, the rows are not merged, because adding them up in a query is as fast. */
const fewRows = 20;

/** Triggers only insert rows, so that writers do not wait for each other. */
export const addUpCountsWork: Periodic = {
  name: 'add-up-counts',
  everyMs: 10_000,
  run: async (db) => {
    await db.query({
      text: `with many as (select tenant_id, state_id from rows_of_work_unit group by 1, 2 having count(*) > $1),
          added as (delete from rows_of_work_unit r using many m where r.tenant_id = m.tenant_id and r.state_id = m.state_id
            returning r.tenant_id, r.state_id, r.rows)
        insert into rows_of_work_unit (tenant_id, state_id, rows)
        select tenant_id, state_id, sum(rows)::bigint from added group by 1, 2 having sum(rows) <> 0`,
      values: [fewRows],
    });
  },
};

interface Correction {
  tenant_id: string;
  state_id: string;
  rows: number;
}

/**
 * Adds what is missing between the kept counts of a tenant and its units. Both are read in one snapshot, in which each unit
 * and the rows of its trigger are visible together or not at all, so the sums are exact beside writers. Whoever corrects the
 * same tenant meanwhile would add the same difference once more, so corrections take turns; the lock precedes the snapshot.
 */
async function correct(db: Db, tenantId: string): Promise<Correction[]> {
  return db.transaction(async (tx) => {
    await tx.query({ text: "select pg_advisory_xact_lock(hashtextextended('rows_of_work_unit', 197))" });
    return tx.query<Correction>({
      text: `insert into rows_of_work_unit (tenant_id, state_id, rows)
        select $1::uuid, state_id, sum(rows)::bigint from (
          select state_id, count(*) as rows from work_unit where tenant_id = $1 group by 1
          union all select state_id, -rows from rows_of_work_unit where tenant_id = $1
        ) differences group by 2 having sum(rows) <> 0 returning tenant_id, state_id, rows`,
      values: [tenantId],
    });
  });
}

/**
 * Compares all kept counts with the units once in each process, because that reads all units: a restore of an earlier version counted each
 * unit twice, and no server runs beside a restore.
 */
export function checkCountsWork(database: Database, log: Logger): Periodic {
  let isChecked = false;
  return {
    name: 'check-counts',
    everyMs: 3_600_000,
    run: async () => {
      if (isChecked) return;
      const db = database.scoped('all');
      const tenants = await db.query<{ tenant_id: string }>({ text: 'select tenant_id from tenant order by 1' });
      for (const { tenant_id } of tenants) {
        const corrections = await correct(db, tenant_id);
        if (corrections.length > 0) log.warn({ corrections }, 'Kept counts of work units were wrong and have been corrected.');
      }
      isChecked = true;
    },
  };
}
