/** Runs a draft, and the saved rule for comparison, over the record. Reads only. */
import type { BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { maxWarmUpMs, type Backtest } from './backtest.ts';
import { runOnCounts } from './run-on-counts.ts';
import { runOnMatches } from './run-on-matches.ts';
import { runOnPackets } from './run-on-packets.ts';
import { runOnUnits } from './run-on-units.ts';
import { newOutcomes, triedOf } from './outcomes.ts';
import type { Db } from '../../db/db.ts';

const hourMs = 3_600_000;

/** How long before the period the replay starts, to know open matches and pattern memory. */
function warmUpMs(backtest: Backtest): number {
  const rules = triedOf(backtest);
  const patterns = rules.flatMap(({ rule }) =>
    rule.conditions.map(
      ({ OccurrencePattern: one, WindowSeconds }) => 1_000 * Math.max(one && 'Seconds' in one ? one.Seconds : 0, WindowSeconds ?? 0),
    ),
  );
  return Math.min(maxWarmUpMs, Math.max(hourMs, ...patterns, ...rules.map(({ rule }) => 2 * rule.lifetimeMs)));
}

const runners: Readonly<Record<number, typeof runOnPackets>> = {
  [ruleTypeId.ingestion]: runOnPackets,
  [ruleTypeId.history]: runOnPackets,
  [ruleTypeId.correlation]: runOnMatches,
  [ruleTypeId.workUnit]: runOnUnits,
  [ruleTypeId.aggregation]: runOnCounts,
};

/** Runs a backtest; returns undefined when stopped. `db` sees only the tenant. */
export async function runBacktest(db: Db, backtest: Backtest): Promise<BacktestResult | undefined> {
  const run = runners[backtest.draft.rule.ruleTypeId];
  if (!run) throw new Error('Rules of this type open no matches.');
  const outcomes = newOutcomes(backtest, backtest.period);
  const notes = await run(db, backtest, outcomes, backtest.period.from - warmUpMs(backtest));
  return (
    notes && {
      ...outcomes.finish(),
      notes: [
        'Entities, maintenance rules and protocols were taken as they are now.',
        ...notes,
        ...(backtest.courses
          ? ['Storms and the summaries of groups were not counted; nobody acknowledged a work unit before it was resolved.']
          : []),
      ],
    }
  );
}
