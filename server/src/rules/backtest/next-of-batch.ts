/** A backtest over tenants is a batch of backtests, of which one at a time has a job: it shares a worker with others fairly. */
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import type { Db } from '../../db/db.ts';
import { enqueue } from '../../jobs/queue.ts';

export const backtestName = 'backtest';

interface Next {
  id: string;
  tenantId: string;
  correlationId: string;
}

/** Leaves out what has not begun once enough packets were read. */
const leaveOut = `update backtest_run set state = 'stopped', left_out = 'packets', modified = now()
where batch_id = (select batch_id from backtest_run where backtest_run_id = $1) and state = 'queued'
  and (select sum(b.packets) from backtest_run a join backtest_run b using (batch_id) where a.backtest_run_id = $1) >= $2`;

const next = `select n.backtest_run_id as id, n.tenant_id as "tenantId", n.correlation_id as "correlationId"
from backtest_run r join backtest_run n using (batch_id) where r.backtest_run_id = $1 and n.state = 'queued' order by n.batch_place limit 1`;

/** Adds the job of a backtest. A second job of it is not added. */
export function enqueueBacktest(db: Db, { id, tenantId, correlationId }: Next): Promise<void> {
  return enqueue(db, { name: backtestName, payload: { id }, tenantId, correlationId, onceKey: `backtest ${id}` });
}

/** After a backtest of a batch is over, begins the next one. */
export async function beginNext(db: Db, id: string): Promise<void> {
  await db.query({ text: leaveOut, values: [id, backtestLimits.packetsOfTenants] });
  const [run] = await db.query<Next>({ text: next, values: [id] });
  if (run) await enqueueBacktest(db, run);
}
