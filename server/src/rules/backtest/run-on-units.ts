/** Backtests rules of type WorkUnit on the changes of work units in the audit. */
import { readUnitEvents } from '../past/past-units.ts';
import { breathe, type RunOn } from './backtest.ts';
import { newEventReplay } from './replay-events.ts';

export const runOnUnits: RunOn = async (db, backtest, outcomes, start) => {
  const { tenantId, period, goOn } = backtest;
  const replay = newEventReplay(backtest, outcomes);
  let count = 0;
  for await (const events of readUnitEvents(db, { tenantId, from: start, to: period.to })) {
    for (const event of events) replay(event);
    count += events.length;
    const at = events.at(-1)?.cause.timestamp ?? start;
    await breathe();
    if (!(await goOn(Math.max(0, (at - start) / (period.to - start)), count))) return undefined;
  }
  return ['Each change of a work unit was evaluated as the audit recorded it.'];
};
