/** A rule's conditions in a line of plain words. */
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { span } from '../../components/relative-time.tsx';

const t = en.rules;

/** Operators that take no value. */
const valueless = [13, 14];

function patternText(pattern: OccurrencePattern | null | undefined): string {
  switch (pattern?.Kind) {
    case 'TimesInRow':
      return t.timesInRow(pattern.Times);
    case 'TimesWithin':
      return t.timesWithin(pattern.Times, span(pattern.Seconds * 1_000));
    case 'EveryTimeDuring':
      return t.everyTimeDuring(span(pattern.Seconds * 1_000));
    case 'Changed':
      return t.changed;
    case 'NotSeenFor':
      return t.notSeenFor(span(pattern.Seconds * 1_000));
    default:
      return '';
  }
}

function describeCondition(condition: Condition): string {
  const operand = condition.LeftOperandFieldName || operandOf(condition.LeftOperand)?.name || t.operand(condition.LeftOperand);
  const value = valueless.includes(condition.Operator) ? '' : (condition.RightOperand ?? '');
  const words = [operand, t.operators[condition.Operator] ?? '', value].filter(Boolean).join(' ');
  return [words, patternText(condition.OccurrencePattern)].filter(Boolean).join(', ');
}

export function describeConditions(conditions: readonly Condition[]): string {
  return conditions
    .map((condition, at) => `${at === 0 ? '' : `${condition.Type === 'Or' ? t.or : t.and} `}${describeCondition(condition)}`)
    .join(' ');
}
