/** Replays events of subjects without packets through the rules of a backtest, as `evaluateSubjects` does with new events. */
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { evaluateEvent, nothing, type EntityProgress } from '../run/evaluate-entity.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import { triedOf, withRecoveries, type Outcomes, type TriedRules } from './outcomes.ts';

/**
 * Returns a function that evaluates one event after the other; the events of one subject are in order of time. For `quietMs`
 * see `SubjectRun`.
 */
export function newEventReplay(rules: TriedRules, outcomes: Outcomes, quietMs?: number): (event: SubjectEvent) => void {
  const index = buildRuleIndex(withRecoveries(triedOf(rules)));
  const memories = new Map<string, Pick<EntityProgress, 'memory' | 'holding' | 'unrecovered' | 'recovering'>>();
  return ({ entity, event, cause }) => {
    const progress: EntityProgress = {
      ...(memories.get(entity.id) ?? { memory: nothing, holding: new Set(), unrecovered: new Set(), recovering: new Set() }),
      changed: false,
      hits: [],
      notes: [],
    };
    evaluateEvent(progress, index.candidates(event), entity, cause, event);
    if (progress.changed) memories.set(entity.id, progress);
    outcomes.take(entity, progress, cause.timestamp, quietMs);
  };
}
