/** Backtests rules that evaluate no packets: a fold over their recorded events, as `evaluateSubjects` does with new events. */
import { compileRule, ruleTypeId, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { takeTurns } from '../../platform/turns.ts';
import { eventsOf } from '../past/events.ts';
import { evaluateEvent, newProgress, tidied, type EntityState } from '../run/evaluate-entity.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { quietMs } from '../run/silence.ts';
import type { RunOn } from './backtest.ts';
import { triedOf, withRecoveries } from './outcomes.ts';

/** The rule as if it had been saved at the start: packets before that are not counted. */
function since(rule: CompiledRule<IngestRule>, start: number): CompiledRule<IngestRule> {
  return compileRule({ ...rule.rule, since: start, watchedSince: null });
}

export const runOnEvents: RunOn = async (db, backtest, outcomes, start) => {
  const { tenantId, entities, ruleId, entityIds, period, goOn } = backtest;
  const typeId = backtest.draft.rule.ruleTypeId;
  const counts = typeId === ruleTypeId.aggregation;
  const rules = withRecoveries(triedOf(backtest).map((rule) => (counts ? since(rule, start) : rule)));
  const pieces = eventsOf(typeId, { db, entities, tenantId, rules, ruleId, entityIds, period: { from: start, to: period.to } });
  if (!pieces) throw new Error('Rules of this type open no matches.');
  const index = buildRuleIndex(rules);
  const states = new Map<string, EntityState>();
  function step({ entity, event, cause }: SubjectEvent): void {
    const progress = newProgress(states.get(entity.id));
    evaluateEvent(progress, index.candidates(event), entity, cause, event);
    if (progress.changed) states.set(entity.id, tidied(progress, index, tenantId));
    outcomes.take(entity, progress, cause.timestamp, counts ? () => quietMs : undefined);
  }
  const turn = takeTurns();
  for (let evaluated = 0; ;) {
    const { done, value } = await pieces.next();
    if (done) return value;
    for (const event of value.events) {
      step(event);
      await turn();
    }
    evaluated += value.count;
    if (!(await goOn(Math.min(1, Math.max(0, (value.at - start) / (period.to - start))), evaluated))) return undefined;
  }
};
