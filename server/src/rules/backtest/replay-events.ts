/** Replays events of subjects without packets through the rules of a backtest, as `evaluateSubjects` does with new events. */
import type { RuleState } from '@cloudfit/contract/rules/observe.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { evaluateEvent, nothing, type EntityProgress } from '../evaluate-entity.ts';
import type { SubjectEvent } from '../evaluate-subjects.ts';
import { triedOf, type Outcomes, type TriedRules } from './outcomes.ts';

/** Takes one event after the other; the events of one subject are in order of time. For `quietMs` see `SubjectRun`. */
export function newEventFold(rules: TriedRules, outcomes: Outcomes, quietMs?: number): (event: SubjectEvent) => void {
  const index = buildRuleIndex(triedOf(rules));
  const memories = new Map<string, Readonly<Record<string, RuleState>>>();
  return ({ entity, event, cause }) => {
    const progress: EntityProgress = {
      memory: memories.get(entity.id) ?? nothing,
      // `holding` only serves to record misses, which a backtest does not.
      holding: new Set(),
      unrecovered: new Set(),
      changed: false,
      hits: [],
      notes: [],
    };
    evaluateEvent(progress, index.candidates(event), entity, cause, event);
    if (progress.memory !== nothing) memories.set(entity.id, progress.memory);
    outcomes.take(entity, progress, cause.timestamp, quietMs);
  };
}
