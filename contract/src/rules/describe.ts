/** Describes conditions in words, for example for explanations. */
import { shortened } from '../one-line.ts';
import { baselineInWords } from './baselines/words.ts';
import { operatorOf } from './operators.ts';
import { describeRight, looksBack, operandId, operandOf, type Operand } from './operands.ts';
import type { RuleWords } from './rule-words.ts';
import { windowSecondsOf, type Condition, type OccurrencePattern } from './schema.ts';

/** The name of the row that a lookup operand's value refers to; undefined to show the id. */
export type NameOf = (resource: string, id: string) => string | undefined;

/** The maximum length of the text of `describeRule`, in characters. */
const longestLabel = 500;

function period(seconds: number, { texts }: RuleWords): string {
  const units = [
    [86_400, texts.days],
    [3_600, texts.hours],
    [60, texts.minutes],
  ] as const;
  const unit = units.find(([length]) => seconds % length === 0);
  return unit ? unit[1](seconds / unit[0]) : texts.seconds(seconds);
}

function patternText(pattern: OccurrencePattern | null | undefined, words: RuleWords): string | undefined {
  const { texts } = words;
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return texts.timesInRow(pattern.Times);
    case 'TimesWithin':
      return texts.timesWithin(pattern.Times, period(pattern.Seconds, words));
    case 'EveryTimeDuring':
      return texts.everyTimeDuring(period(pattern.Seconds, words));
    case 'Changed':
      return texts.changed;
    case 'NotSeenFor':
      return texts.notSeenFor(period(pattern.Seconds, words));
    default:
      return undefined;
  }
}

/** Returns text such as `, 3 times in a row`; empty without a pattern. */
export function describePattern(pattern: OccurrencePattern | null | undefined, words: RuleWords): string {
  const text = patternText(pattern, words);
  return text === undefined ? '' : `, ${text}`;
}

/** The sign of an operator, such as `>` or `contains`. */
export const signOf = (operator: number, { texts }: RuleWords): string =>
  (texts.signs as Readonly<Record<number, string>>)[operator] ?? String(operator);

/** What people call a value of an operand: the label of a choice, or the name of a row. */
export function nameOfValue({ choices, lookup }: Operand, value: string, { choice }: RuleWords, nameOf?: NameOf): string | undefined {
  const chosen = choices?.find((item) => String(item.value) === value);
  return chosen ? choice(chosen.label) : lookup && nameOf?.(lookup, value);
}

/** Describes a condition, such as `Metric Cpu > 90, 3 times in a row`. */
export function describeCondition(condition: Condition, words: RuleWords, nameOf?: NameOf): string {
  const { texts, label } = words;
  const operand = operandOf(condition.LeftOperand);
  const operator = operatorOf(condition.Operator);
  const field = operand?.needsFieldName && condition.LeftOperandFieldName ? ` ${condition.LeftOperandFieldName}` : '';
  const [right, sign] = [condition.RightOperand ?? '', signOf(condition.Operator, words)];
  const pattern = describePattern(condition.OccurrencePattern, words);
  if (operand?.baseline)
    return `${label(operandOf(operandId.metric)?.name ?? '')}${field} ${sign} ${baselineInWords(operand.baseline, condition, words)}${pattern}`;
  const named = (operand && nameOfValue(operand, right, words, nameOf)) ?? right;
  const value = operator?.right === 'none' ? '' : ` ${condition.RightReading ? describeRight(condition.RightReading, words) : named}`;
  const length = period(windowSecondsOf(operand?.measure, condition), words);
  const isForecast = operand?.measure === 'forecast';
  const window = looksBack(operand) ? ` ${isForecast ? texts.fromWindow(length) : texts.inWindow(length)}` : '';
  const ahead = condition.AheadSeconds && isForecast ? ` ${texts.inAhead(period(condition.AheadSeconds, words))}` : '';
  const left = `${operand ? label(operand.name) : condition.LeftOperand}${field}${ahead}${window}`;
  return `${left} ${sign}${value}${pattern}`;
}

/** Describes all conditions, joined by `and` and `or`; groups get brackets if both occur. */
export function describeRule(conditions: readonly Condition[], words: RuleWords, nameOf?: NameOf): string {
  const groups: string[][] = [];
  for (const condition of conditions) {
    const last = groups.at(-1);
    const text = describeCondition(condition, words, nameOf);
    if (last && condition.Type === 'And') last.push(text);
    else groups.push([text]);
  }
  const { and, or } = words.texts;
  const text = groups
    .map((group) => (group.length > 1 && groups.length > 1 ? `(${group.join(` ${and} `)})` : group.join(` ${and} `)))
    .join(` ${or} `);
  return shortened(text, longestLabel);
}
