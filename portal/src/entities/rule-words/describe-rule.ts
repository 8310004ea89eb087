/** Describes the conditions of a rule in one line of plain words. */
import { baselineInWords } from '@cloudfit/contract/rules/baselines/words.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { describeRight, operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { ConditionNames } from './use-condition-names.ts';
import { lasting } from '../../components/relative-time.tsx';

const t = en.rules;

/** Operators that take no value. */
const valueless = [13, 14];

function patternText(pattern: OccurrencePattern | null | undefined): string {
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return t.timesInRow(pattern.Times);
    case 'TimesWithin':
      return t.timesWithin(pattern.Times, lasting(pattern.Seconds * 1_000, true));
    case 'EveryTimeDuring':
      return t.everyTimeDuring(lasting(pattern.Seconds * 1_000, true));
    case 'Changed':
      return t.changed;
    case 'NotSeenFor':
      return t.notSeenFor(lasting(pattern.Seconds * 1_000, true));
    default:
      return '';
  }
}

/** The label of a choice, the name of a row, or the value itself. */
function valueText({ LeftOperand, RightOperand, RightReading }: Condition, nameOf: ConditionNames | undefined): string {
  if (RightReading) return describeRight(RightReading, builtWords);
  const value = RightOperand ?? '';
  const operand = operandOf(LeftOperand);
  const label = operand?.choices?.find((choice) => String(choice.value) === value)?.label;
  return label ?? (operand?.lookup ? nameOf?.(operand.lookup, value) : undefined) ?? value;
}

function describeCondition(condition: Condition, nameOf: ConditionNames | undefined): string {
  const { name, measure, baseline } = operandOf(condition.LeftOperand) ?? {};
  const field = condition.LeftOperandFieldName;
  const operand = measure && field ? `${name} ${field}` : field || name || t.operand(condition.LeftOperand);
  const fixed = valueless.includes(condition.Operator) ? '' : valueText(condition, nameOf);
  const value = baseline ? baselineInWords(baseline, condition, builtWords) : fixed;
  const operators = baseline ? t.fromBaseline : t.operators;
  const words = [operand, operators[condition.Operator] ?? '', value].filter(Boolean).join(' ');
  return [words, patternText(condition.OccurrencePattern)].filter(Boolean).join(', ');
}

const isScope = ({ LeftOperand }: Condition) => operandOf(LeftOperand)?.selects === true;

/** Describes conditions in words. If all are joined by And, the conditions that select the entity come last. */
export function describeConditions(conditions: readonly Condition[], nameOf?: ConditionNames): string {
  const isAllAnd = conditions.slice(1).every(({ Type }) => Type === 'And');
  const ordered = isAllAnd ? conditions.toSorted((a, b) => Number(isScope(a)) - Number(isScope(b))) : conditions;
  return ordered
    .map((condition, at) => `${at === 0 ? '' : `${condition.Type === 'Or' ? t.or : t.and} `}${describeCondition(condition, nameOf)}`)
    .join(' ');
}
