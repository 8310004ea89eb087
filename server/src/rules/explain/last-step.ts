/** Evaluates past events of one subject in order, each with the rule's version of its time, and traces the last one. */
import { messageOf } from '@cloudfit/contract/errors.ts';
import { evaluate, type RuleState, type Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { compiler, versionAt, type RuleVersion } from '../past/rule-versions.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import { isTooLate } from './lateness.ts';

/** One event of the past. */
export interface PastStep {
  /** When it was evaluated: the rule's version of that time did so. */
  evaluatedAt: number;
  /** By how much a packet was older than the newest one before it. */
  lateMs?: number;
  /** `previousAt`: the time of the previous event that the rule evaluated. */
  eventAfter: (previousAt: number | undefined) => RuleEvent;
  /** The time by which it is ordered. */
  at: number;
}

/** The step of an event without a packet, which does not depend on the one before. */
export function stepOf({ event }: SubjectEvent): PastStep {
  const at = event.packet.timestamp;
  return { at, evaluatedAt: at, eventAfter: () => event };
}

export interface LastStep {
  at: number;
  /** Whether it came too late for the rule. */
  stale: boolean;
  /** Undefined when the rule was not evaluated, because the event was stale, or the rule was disabled, missing or broken. */
  trace: Trace | undefined;
  /** Why the rule could not be evaluated. */
  error: string | undefined;
  /** The rule's memory after the event. */
  state: RuleState | undefined;
}

/** Folds the evaluation over the steps and returns the last one; undefined without steps. */
export function lastStep(steps: Iterable<PastStep>, versions: readonly RuleVersion[], compiled = compiler()): LastStep | undefined {
  let state: RuleState | undefined;
  let previousAt: number | undefined;
  let last: (Omit<LastStep, 'trace' | 'state'> & { trace?: () => Trace | undefined }) | undefined;
  for (const { at, evaluatedAt, lateMs = 0, eventAfter } of steps) {
    last = { at, stale: false, error: undefined };
    const definition = versionAt(versions, evaluatedAt)?.rule;
    const rule = definition?.enabled === true ? compiled(definition) : undefined;
    if (typeof rule === 'object' && isTooLate(lateMs, rule.rule)) {
      last.stale = true;
      continue;
    }
    if (typeof rule === 'string') last.error = rule;
    else if (rule) {
      const event = eventAfter(previousAt);
      const before = state;
      try {
        state = evaluate(rule, event, before).state;
        last.trace = () => evaluate(rule, event, before, { trace: true }).trace;
      } catch (error) {
        last.error = messageOf(error);
      }
    }
    previousAt = at;
  }
  return last && { ...last, trace: last.trace?.(), state };
}
