/** Describes conditions in words, for example for explanations. */
import { baselineInWords } from './baselines/words.ts';
import { operatorOf } from './operators.ts';
import { describeRight, looksBack, operandOf } from './operands.ts';
import { windowSecondsOf, type Condition, type OccurrencePattern } from './schema.ts';

/** The name of the row that a lookup operand's value refers to; undefined to show the id. */
export type NameOf = (resource: string, id: string) => string | undefined;

/** The maximum length of the text of `describeRule`, in characters. */
const longestLabel = 500;

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

function period(seconds: number): string {
  const unit = units.find(([length]) => seconds % length === 0);
  return unit ? `${seconds / unit[0]} ${unit[1]}` : `${seconds} s`;
}

/** Returns text such as `, 3 times in a row`; empty without a pattern. */
export function describePattern(pattern: OccurrencePattern | null | undefined): string {
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return `, ${pattern.Times} times in a row`;
    case 'TimesWithin':
      return `, ${pattern.Times} times within ${period(pattern.Seconds)}`;
    case 'EveryTimeDuring':
      return `, every time during ${period(pattern.Seconds)}`;
    case 'Changed':
      return ', changed';
    case 'NotSeenFor':
      return `, not seen for ${period(pattern.Seconds)}`;
    default:
      return '';
  }
}

/** Describes a condition, such as `Metric Cpu > 90, 3 times in a row`. */
export function describeCondition(condition: Condition, nameOf?: NameOf): string {
  const operand = operandOf(condition.LeftOperand);
  const operator = operatorOf(condition.Operator);
  const field = operand?.needsFieldName && condition.LeftOperandFieldName ? ` ${condition.LeftOperandFieldName}` : '';
  const right = condition.RightOperand ?? '';
  if (operand?.baseline)
    return `Metric${field} ${operator?.sign ?? condition.Operator} ${baselineInWords(operand.baseline, condition)}${describePattern(condition.OccurrencePattern)}`;
  const named =
    operand?.choices?.find((choice) => String(choice.value) === right)?.label ??
    (operand?.lookup ? nameOf?.(operand.lookup, right) : undefined) ??
    right;
  const value = operator?.right === 'none' ? '' : ` ${condition.RightReading ? describeRight(condition.RightReading) : named}`;
  const length = period(windowSecondsOf(operand?.measure, condition));
  const window = looksBack(operand) ? (operand?.measure === 'forecast' ? ` from the last ${length}` : ` in ${length}`) : '';
  const ahead = condition.AheadSeconds && operand?.measure === 'forecast' ? ` in ${period(condition.AheadSeconds)}` : '';
  const left = `${operand?.name ?? condition.LeftOperand}${field}${ahead}${window}`;
  return `${left} ${operator?.sign ?? condition.Operator}${value}${describePattern(condition.OccurrencePattern)}`;
}

/** Describes all conditions, joined by `and` and `or`; groups get brackets if both occur. */
export function describeRule(conditions: readonly Condition[], nameOf?: NameOf): string {
  const groups: string[][] = [];
  for (const condition of conditions) {
    const last = groups.at(-1);
    const text = describeCondition(condition, nameOf);
    if (last && condition.Type === 'And') last.push(text);
    else groups.push([text]);
  }
  const text = groups
    .map((group) => (group.length > 1 && groups.length > 1 ? `(${group.join(' and ')})` : group.join(' and ')))
    .join(' or ');
  return text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text;
}
