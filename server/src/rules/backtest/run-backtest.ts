/** Runs a draft, and the saved rule for comparison, over the record. Reads only. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import type { BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { maxWarmUpMs, type Backtest } from './backtest.ts';
import { lookBackMs } from '../past/events.ts';
import { runOnEvents } from './run-on-events.ts';
import { runOnPackets } from './run-on-packets.ts';
import { newOutcomes, triedOf } from './outcomes.ts';
import { englishWords } from '../../platform/rule-words.ts';
import type { Db } from '../../db/db.ts';

/** How long before the period the replay starts, to know open matches and pattern memory. */
function warmUpMs(backtest: Backtest): number {
  const rules = triedOf(backtest);
  return Math.min(maxWarmUpMs, Math.max(hourMs, lookBackMs(rules), ...rules.map(({ rule }) => 2 * rule.lifetimeMs)));
}

const ofPackets = new Set<number>([ruleTypeId.ingestion, ruleTypeId.history]);

/** Runs a backtest; returns undefined when stopped. `db` sees only the tenant. */
export async function runBacktest(db: Db, backtest: Backtest): Promise<BacktestResult | undefined> {
  const { why } = backtest.words ?? englishWords;
  const run = ofPackets.has(backtest.draft.rule.ruleTypeId) ? runOnPackets : runOnEvents;
  const outcomes = newOutcomes(backtest, backtest.period);
  const notes = await run(db, backtest, outcomes, backtest.period.from - warmUpMs(backtest));
  return (
    notes && {
      ...outcomes.finish(),
      notes: [why.notes.asNow, ...notes.map((note) => note(why)), ...(backtest.courses ? [why.notes.noStorms] : [])],
    }
  );
}
