/** Says in words why a rule matched: the conditions that held, and the values that they compared. */
import type { PacketMessage } from '../resources/packets.ts';
import type { BaselineReading } from './baselines/baseline.ts';
import { deviationsInWords } from './baselines/words.ts';
import { describeCondition, describePattern, type NameOf } from './describe.ts';
import { describeRight, operandOf } from './operands.ts';
import { operatorId, operatorOf } from './operators.ts';
import type { Condition } from './schema.ts';
import type { ConditionTrace, Trace } from './evaluate/trace.ts';

const longest = 1_000;
const longestValue = 200;

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

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
function nameOfLeft({ LeftOperand, LeftOperandFieldName }: Condition): string {
  const operand = operandOf(LeftOperand);
  const field = LeftOperandFieldName ?? '';
  return operand?.measure ? `${operand.name} ${field}`.trim() : field || (operand?.name ?? '');
}

function valueText({ LeftOperand }: Condition, value: unknown, nameOf: NameOf | undefined): string {
  const lookup = operandOf(LeftOperand)?.lookup;
  const named = lookup && typeof value === 'string' ? (nameOf?.(lookup, value) ?? value) : value;
  return shortened(typeof named === 'object' ? JSON.stringify(named) : String(named), longestValue);
}

function seenText({ condition, value: carried, right, usual }: ShownCondition, nameOf: NameOf | undefined): string {
  if (usual) return `${condition.LeftOperandFieldName ?? ''} ${usual.value} (${deviationsInWords(usual)})`;
  const text = `${nameOfLeft(condition)} ${valueText(condition, carried, nameOf)}`;
  const { RightReading: read } = condition;
  return read && right !== undefined ? `${text} (${describeRight(read)}: ${shortened(String(right), longestValue)})` : text;
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
    condition: shortened([...new Set(satisfied.map(({ condition }) => describeCondition(condition, nameOf)))].join(' and '), longest),
    values: shortened([...new Set(shown.map((line) => seenText(line, nameOf)))].join(', '), longest),
  };
}

function comparisonText(condition: Condition, { value, held: holds, right, usual }: ConditionTrace): string {
  const pattern = describePattern(condition.OccurrencePattern);
  // The value is an id, which means nothing to people.
  if (operandOf(condition.LeftOperand)?.lookup) return nameOfLeft(condition) + pattern;
  if (value === null || value === '') return describeCondition(condition);
  if (usual) return seenText({ condition, value, usual }, undefined) + pattern;
  const [name, text, operator] = [nameOfLeft(condition), valueText(condition, value, undefined), operatorOf(condition.Operator)];
  // A pattern can be satisfied by earlier values.
  if (!holds) return `${describeCondition(condition)} (${name} ${text})`;
  const { RightReading: read } = condition;
  if (operator?.right === 'none') return `${name} ${text}${pattern}`;
  if (!read && condition.Operator === operatorId.equals) return `${name} = ${text}${pattern}`;
  const than = read ? `${String(right ?? '')} (${describeRight(read)})` : (condition.RightOperand ?? '');
  return `${name} ${text} ${operator?.sign ?? condition.Operator} ${than}${pattern}`;
}

/** The conditions that held, each with the value that it compared: `Cpu 93 > 90, 3 times in a row`. */
export function comparisonsInWords(conditions: readonly Condition[], trace: Trace): string {
  const satisfied = trace.conditions.flatMap((item) => {
    const condition = conditions[item.index];
    return condition && item.satisfied && trace.groups[item.group] ? [{ condition, one: item }] : [];
  });
  const readings = satisfied.filter(({ condition }) => isReading(condition));
  // Without satisfied conditions on readings, the text consists of the conditions on the entity.
  const texts = (readings.length > 0 ? readings : satisfied).map(({ condition, one }) => comparisonText(condition, one));
  return shortened([...new Set(texts)].join(', '), longest);
}
