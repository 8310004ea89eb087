/** Explains a trace in words: the value of each condition, and the conditions that prevented a match. */
import { shortened } from '../one-line.ts';
import type { BaselineReading } from './baselines/baseline.ts';
import { deviationsInWords, tooLittle } from './baselines/words.ts';
import { describeCondition, nameOfValue, type NameOf } from './describe.ts';
import { operandOf } from './operands.ts';
import { isOfTwoReadings } from './reading-measures.ts';
import type { ExplanationWords } from './rule-words.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './evaluate/trace.ts';

/** A traced condition with its texts: in words, what it saw, and the progress of its occurrence pattern. */
export interface ExplainedCondition extends ConditionTrace {
  text: string;
  saw: string;
  progress: string | null;
}

const longestShown = 80;

function shown(value: ConditionTrace['value'], nothing: string): string {
  return shortened(value === null || value === '' ? nothing : String(value), longestShown);
}

type ConditionTexts = ExplanationWords['why']['condition'];

/** Says whether the operator holds now, and whether the condition is satisfied with its pattern. */
function verdict({ held: holds, satisfied }: ConditionTrace, t: ConditionTexts): string {
  if (holds) return satisfied ? t.holds : t.notOften;
  return satisfied ? t.oftenEnough : t.holdsNot;
}

/** Returns text such as `saw 97, 9.1 deviations above the usual 41.2 ± 6.1, which holds`. */
function sawUsual(trace: ConditionTrace, usual: BaselineReading | null, condition: Condition, words: ExplanationWords): string {
  const t = words.why.condition;
  if (!usual) return t.notReported;
  const few = tooLittle(usual, condition, words);
  const value = shown(usual.value, t.nothing);
  return few ? t.sawTooEarly(value, few) : t.sawUsual(value, deviationsInWords(usual, words), verdict(trace, t));
}

/** Returns text such as `saw 95, which holds`. */
function sawInWords(trace: ConditionTrace, condition: Condition, words: ExplanationWords): string {
  const t = words.why.condition;
  const operand = operandOf(condition.LeftOperand);
  if (trace.fills) return t.fills(trace.fills.seconds, new Date(trace.fills.since).toISOString());
  if (trace.value === null && !trace.observed && isOfTwoReadings(operand?.measure)) return t.noTwoReadings;
  if (trace.usual !== undefined) return sawUsual(trace, trace.usual, condition, words);
  if (trace.right === null) return t.nothingToCompare;
  if (!trace.observed) return trace.value === null ? t.notReported : t.notAsked(shown(trace.value, t.nothing));
  const value = shown(trace.value, operand?.place ? t.noMatch : t.nothing);
  return trace.right === undefined
    ? t.saw(value, verdict(trace, t))
    : t.sawAgainst(value, shown(trace.right, t.nothing), verdict(trace, t));
}

/** Returns the progress of the occurrence pattern, such as `2 of 3 in a row`; null if there is none. */
function progressOf({ after }: ConditionTrace, { OccurrencePattern: pattern }: Condition, t: ConditionTexts): string | null {
  const memory = typeof after === 'object' && after !== null && 'window' in after ? after.pattern : after;
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return t.inRow(typeof memory === 'number' ? memory : 0, pattern.Times);
    case 'TimesWithin':
      return t.times(Array.isArray(memory) ? memory.length : 0, pattern.Times);
    case 'EveryTimeDuring':
      return typeof memory === 'number' ? t.since(new Date(memory).toISOString()) : null;
    default:
      return null;
  }
}

/** Explains each traced condition in words. `conditions` are those of the rule at the time of the trace. */
export function explainConditions(
  trace: Trace,
  conditions: readonly Condition[],
  words: ExplanationWords,
  nameOf?: NameOf,
): ExplainedCondition[] {
  return trace.conditions.flatMap((item) => {
    const condition = conditions[item.index];
    if (!condition) return [];
    const operand = operandOf(condition.LeftOperand);
    const name = typeof item.value === 'string' && operand ? nameOfValue(operand, item.value, words, nameOf) : undefined;
    const named = name === undefined ? item : { ...item, value: name };
    return [
      {
        ...named,
        text: describeCondition(condition, words, nameOf),
        saw: sawInWords(named, condition, words),
        progress: progressOf(item, condition, words.why.condition),
      },
    ];
  });
}

/** Returns a sentence for each condition that failed; empty when a group holds. */
export function whatFailed(trace: Trace, explained: readonly ExplainedCondition[], { why }: ExplanationWords): string[] {
  if (trace.groups.some(Boolean)) return [];
  return explained.filter((item) => !item.satisfied).map((item) => why.condition.failed(item.index + 1, item.text, item.saw));
}
