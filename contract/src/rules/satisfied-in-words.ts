/** Says in words why a rule matched: the conditions that held, and the values that they compared. */
import type { PacketMessage } from '../resources/packets.ts';
import type { BaselineReading } from './baselines/baseline.ts';
import { deviationsInWords } from './baselines/words.ts';
import { describeCondition, describePattern, nameOfValue, signOf, type NameOf } from './describe.ts';
import { describeRight, operandOf } from './operands.ts';
import { operatorId, operatorOf } from './operators.ts';
import { shortened } from '../one-line.ts';
import type { RuleWords } from './rule-words.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './evaluate/trace.ts';

const longest = 1_000;
const longestValue = 200;

interface ShownCondition {
  condition: Condition;
  value: unknown;
  /** The right side, if it was read from the event. */
  right?: unknown;
  /** The usual value of the reading, for a condition on a baseline. */
  usual?: BaselineReading | null | undefined;
}

/** Conditions on the entity itself say where a rule applies, not what is wrong. */
const isReading = ({ LeftOperand }: Condition): boolean => operandOf(LeftOperand)?.selects !== true;

function valueIn(message: PacketMessage, { LeftOperand, LeftOperandFieldName }: Condition): unknown {
  const source = operandOf(LeftOperand)?.reading;
  if (!source) return undefined;
  if (source === 'Value') return message.Value;
  const part: unknown = message[source];
  const name = LeftOperandFieldName ?? '';
  return typeof part === 'object' && part !== null && Object.hasOwn(part, name) ? (part as Record<string, unknown>)[name] : undefined;
}

/** Returns the name of the left side: `Cpu`, or `Average of Metric Cpu` for a measure. */
function nameOfLeft({ LeftOperand, LeftOperandFieldName }: Condition, { label }: RuleWords): string {
  const operand = operandOf(LeftOperand);
  const field = LeftOperandFieldName ?? '';
  const name = operand ? label(operand.name) : '';
  return operand?.measure ? `${name} ${field}`.trim() : field || name;
}

function valueText({ LeftOperand }: Condition, value: unknown, words: RuleWords, nameOf: NameOf | undefined): string {
  const operand = operandOf(LeftOperand);
  const named = operand && typeof value === 'string' ? (nameOfValue(operand, value, words, nameOf) ?? value) : value;
  return shortened(typeof named === 'object' ? JSON.stringify(named) : String(named), longestValue);
}

function seenText({ condition, value: carried, right, usual }: ShownCondition, words: RuleWords, nameOf: NameOf | undefined): string {
  if (usual) return `${condition.LeftOperandFieldName ?? ''} ${usual.value} (${deviationsInWords(usual, words)})`;
  const text = `${nameOfLeft(condition, words)} ${valueText(condition, carried, words, nameOf)}`;
  const { RightReading: read } = condition;
  return read && right !== undefined ? `${text} (${describeRight(read, words)}: ${shortened(String(right), longestValue)})` : text;
}

export interface SatisfiedCondition {
  /** Such as `Metric Disk > 90`. */
  condition: string;
  /** Such as `Disk 97`. */
  values: string;
}

/**
 * Describes the satisfied conditions. `trace` is that of the hit that opened the match. Without a trace, or when the number of
 * conditions differs from that of the trace, all conditions count as satisfied, with their values in the packet.
 */
export function satisfiedInWords(
  conditions: readonly Condition[],
  trace: Trace | undefined,
  message: PacketMessage,
  words: RuleWords,
  nameOf?: NameOf,
): SatisfiedCondition {
  const traced = trace?.conditions.length === conditions.length ? trace : undefined;
  const satisfied = conditions.flatMap((condition, index): ShownCondition[] => {
    if (!isReading(condition)) return [];
    if (!traced) return [{ condition, value: valueIn(message, condition) }];
    const one = traced.conditions[index];
    return one?.satisfied && traced.groups[one.group] ? [{ condition, value: one.value, right: one.right, usual: one.usual }] : [];
  });
  const shown = satisfied.filter(({ value }) => value !== undefined && value !== null && value !== '');
  return {
    condition: shortened(
      [...new Set(satisfied.map(({ condition }) => describeCondition(condition, words, nameOf)))].join(` ${words.texts.and} `),
      longest,
    ),
    values: shortened([...new Set(shown.map((line) => seenText(line, words, nameOf)))].join(', '), longest),
  };
}

function comparisonText(condition: Condition, { value, held: holds, right, usual }: ConditionTrace, words: RuleWords): string {
  const pattern = describePattern(condition.OccurrencePattern, words);
  // The value is an id, which means nothing to people.
  if (operandOf(condition.LeftOperand)?.lookup) return nameOfLeft(condition, words) + pattern;
  if (value === null || value === '') return describeCondition(condition, words);
  if (usual) return seenText({ condition, value, usual }, words, undefined) + pattern;
  const [name, text, operator] = [
    nameOfLeft(condition, words),
    valueText(condition, value, words, undefined),
    operatorOf(condition.Operator),
  ];
  // A pattern can be satisfied by earlier values.
  if (!holds) return `${describeCondition(condition, words)} (${name} ${text})`;
  const { RightReading: read } = condition;
  if (operator?.right === 'none') return `${name} ${text}${pattern}`;
  if (!read && condition.Operator === operatorId.equals) return `${name} = ${text}${pattern}`;
  const than = read
    ? `${String(right ?? '')} (${describeRight(read, words)})`
    : valueText(condition, condition.RightOperand ?? '', words, undefined);
  return `${name} ${text} ${signOf(condition.Operator, words)} ${than}${pattern}`;
}

/** The conditions that held, each with the value that it compared: `Cpu 93 > 90, 3 times in a row`. */
export function comparisonsInWords(conditions: readonly Condition[], trace: Trace, words: RuleWords): string {
  const satisfied = trace.conditions.flatMap((item) => {
    const condition = conditions[item.index];
    return condition && item.satisfied && trace.groups[item.group] ? [{ condition, one: item }] : [];
  });
  const readings = satisfied.filter(({ condition }) => isReading(condition));
  // Without satisfied conditions on readings, the text consists of the conditions on the entity.
  const texts = (readings.length > 0 ? readings : satisfied).map(({ condition, one }) => comparisonText(condition, one, words));
  return shortened([...new Set(texts)].join(', '), longest);
}
