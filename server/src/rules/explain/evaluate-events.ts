/** Evaluates past events of a subject without packets again, each with the rule's version of its time. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import { evaluate, type RuleState, type Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import { compiler } from './replay-packet.ts';
import { versionAt, type RuleVersion } from '../past/rule-versions.ts';

/** The evaluation of the latest event. The trace is undefined when the rule was not in force or could not be evaluated. */
interface EvaluatedEvents {
  at: number;
  trace: Trace | undefined;
  error: string | undefined;
}

/** Evaluates events in order of time and returns the evaluation of the last event; undefined without events. */
export function evaluateEvents(events: Iterable<SubjectEvent>, versions: readonly RuleVersion[]): EvaluatedEvents | undefined {
  const compiled = compiler();
  let state: RuleState | undefined;
  let look: EvaluatedEvents | undefined;
  for (const { event } of events) {
    look = { at: event.packet.timestamp, trace: undefined, error: undefined };
    const rule = versionAt(versions, look.at)?.rule;
    const runs = rule?.enabled === true ? compiled(rule) : undefined;
    if (typeof runs === 'string') look.error = runs;
    if (!runs || typeof runs === 'string') continue;
    try {
      const result = evaluate(runs, event, state, { trace: true });
      state = result.state;
      look.trace = result.trace;
    } catch (error) {
      look.error = messageOf(error);
    }
  }
  return look;
}
