/** Merges the rows in which triggers store the counts of work units: the triggers only insert rows. */
import type { Periodic } from '../../jobs/schedule.ts';

/** Up to this number of rows of one tenant and state, the rows are not merged, because adding them up in a query is as fast. */
const fewRows = 20;

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
