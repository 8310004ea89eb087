/** Evaluates again what a rule made of a subject that sends no packets: each event of the past by the rule as it stood then. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { RuleState } from '@cloudfit/contract/rules/observe.ts';
import type { Trace } from '@cloudfit/contract/rules/trace.ts';
import type { SubjectEvent } from '../evaluate-subjects.ts';
import { compiler } from './look-again.ts';
import { versionAt, type RuleVersion } from './rule-versions.ts';

/** The last event by then. Undefined traces: the rule was not in force, or could not be evaluated. */
interface EventLook {
  at: number;
  trace: Trace | undefined;
  error: string | undefined;
}

/** `events` in the order of time; undefined when there is none. */
export function lookAtEvents(events: Iterable<SubjectEvent>, versions: readonly RuleVersion[]): EventLook | undefined {
  const compiled = compiler();
  let state: RuleState | undefined;
  let look: EventLook | undefined;
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
