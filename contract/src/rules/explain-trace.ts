/** Explains a trace in words: the value of each condition, and the conditions that prevented a match. */
import type { BaselineReading } from './baselines/baseline.ts';
import { deviationsInWords, tooLittle } from './baselines/words.ts';
import { describeCondition, type NameOf } from './describe.ts';
import { operandOf } from './operands.ts';
import { isOfTwoReadings } from './reading-measures.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './evaluate/trace.ts';

/** A traced condition with its texts: in words, what it saw, and the progress of its occurrence pattern. */
export interface ExplainedCondition extends ConditionTrace {
  text: string;
  saw: string;
  progress: string | null;
}

const longestShown = 80;

function shown(value: ConditionTrace['value'], nothing = 'nothing'): string {
  const text = value === null || value === '' ? nothing : String(value);
  return text.length > longestShown ? `${text.slice(0, longestShown - 1)}…` : text;
}

/** Says whether the operator holds now, and whether the condition is satisfied with its pattern. */
function inWords({ held: holds, satisfied }: ConditionTrace): string {
  if (holds) return satisfied ? 'which holds' : 'which holds, but not often enough yet';
  return satisfied ? 'which does not hold, but has often enough' : 'which does not hold';
}

/** Returns text such as `saw 97, 9.1 deviations above the usual 41.2 ± 6.1, which holds`. */
function sawUsual(trace: ConditionTrace, usual: BaselineReading | null, condition: Condition): string {
  if (!usual) return 'was not reported';
  const few = tooLittle(usual, condition);
  if (few) return `saw ${shown(usual.value)}, which cannot be compared yet: ${few}`;
  return `saw ${shown(usual.value)}, ${deviationsInWords(usual)}, ${inWords(trace)}`;
}

/** Returns text such as `saw 95, which holds`. */
function sawInWords(trace: ConditionTrace, condition: Condition): string {
  const { LeftOperand } = condition;
  if (trace.fills) {
    const { since, seconds } = trace.fills;
    return `has no value before it has counted for ${seconds} s; it counts since ${new Date(since).toISOString()}`;
  }
  if (trace.value === null && !trace.observed && isOfTwoReadings(operandOf(LeftOperand)?.measure))
    return 'did not have two readings to compare';
  if (trace.usual !== undefined) return sawUsual(trace, trace.usual, condition);
  if (trace.right === null) return 'has nothing to compare with';
  if (!trace.observed) return trace.value === null ? 'was not reported' : `saw ${shown(trace.value)}, which was not asked for`;
  const than = trace.right === undefined ? '' : ` against ${shown(trace.right)}`;
  return `saw ${shown(trace.value, operandOf(LeftOperand)?.place && 'no match of it')}${than}, ${inWords(trace)}`;
}

/** Returns the progress of the occurrence pattern, such as `2 of 3 in a row`; null if there is none. */
function progressOf({ after }: ConditionTrace, { OccurrencePattern: pattern }: Condition): string | null {
  const memory = typeof after === 'object' && after !== null && 'window' in after ? after.pattern : after;
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return `${typeof memory === 'number' ? memory : 0} of ${pattern.Times} in a row`;
    case 'TimesWithin':
      return `${Array.isArray(memory) ? memory.length : 0} of ${pattern.Times}`;
    case 'EveryTimeDuring':
      return typeof memory === 'number' ? `since ${new Date(memory).toISOString()}` : null;
    default:
      return null;
  }
}

/** Explains each traced condition in words. `conditions` are those of the rule at the time of the trace. */
export function explainConditions(trace: Trace, conditions: readonly Condition[], nameOf?: NameOf): ExplainedCondition[] {
  return trace.conditions.flatMap((item) => {
    const condition = conditions[item.index];
    if (!condition) return [];
    const lookup = operandOf(condition.LeftOperand)?.lookup;
    const name = lookup && typeof item.value === 'string' ? nameOf?.(lookup, item.value) : undefined;
    const named = name === undefined ? item : { ...item, value: name };
    return [
      { ...named, text: describeCondition(condition, nameOf), saw: sawInWords(named, condition), progress: progressOf(item, condition) },
    ];
  });
}

/** Returns a sentence for each condition that failed; empty when a group holds. */
export function whatFailed(trace: Trace, explained: readonly ExplainedCondition[]): string[] {
  if (trace.groups.some(Boolean)) return [];
  return explained.filter((item) => !item.satisfied).map((item) => `Condition ${item.index + 1} (${item.text}) ${item.saw}.`);
}
