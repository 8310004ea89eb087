/** Folds events of subjects that send no packets through the rules that are tried, as `evaluateSubjects` does with those of today. */
import type { RuleState } from '@cloudfit/contract/rules/observe.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { evaluateEvent, nothing, type Progress } from '../evaluate-entity.ts';
import type { SubjectEvent } from '../evaluate-subjects.ts';
import { triedOf, type Outcomes, type TriedRules } from './outcomes.ts';

/** Takes one event after the other, each subject's in the order of time. `quietMs` as of `SubjectRun`. */
export function newEventFold(rules: TriedRules, outcomes: Outcomes, quietMs?: number): (event: SubjectEvent) => void {
  const index = buildRuleIndex(triedOf(rules));
  const memories = new Map<string, Readonly<Record<string, RuleState>>>();
  return ({ entity, event, cause }) => {
    const progress: Progress = {
      memory: memories.get(entity.id) ?? nothing,
      // What held before is only asked for to record that it no longer does.
      holding: new Set(),
      changed: false,
      hits: [],
      notes: [],
    };
    evaluateEvent(progress, index.candidates(event), entity, cause, event);
    if (progress.memory !== nothing) memories.set(entity.id, progress.memory);
    outcomes.take(entity, progress, cause.timestamp, quietMs);
  };
}
