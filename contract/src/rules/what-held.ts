/** Says in words why a rule matched: the conditions that held, and the values that they saw. */
import type { PacketMessage } from '../resources/packets.ts';
import type { BaselineReading } from './baselines/baseline.ts';
import { deviationsInWords } from './baselines/words.ts';
import { describeCondition, type NameOf } from './describe.ts';
import { describeRight, operandOf } from './operands.ts';
import type { Condition } from './schema.ts';
import type { Trace } from './trace.ts';

const longest = 1_000;
const longestValue = 200;

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

interface ShownCondition {
  condition: Condition;
  value: unknown;
  /** The right side, where that was read. */
  right?: unknown;
  /** What the reading usually is, where it was compared with that. */
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

function seenText({ condition, value: carried, right, usual }: ShownCondition, nameOf: NameOf | undefined): string {
  const operand = operandOf(condition.LeftOperand);
  const field = condition.LeftOperandFieldName ?? '';
  if (usual) return `${field} ${usual.value} (${deviationsInWords(usual)})`;
  const value = operand?.lookup && typeof carried === 'string' ? (nameOf?.(operand.lookup, carried) ?? carried) : carried;
  const name = operand?.measure ? `${operand.name} ${field}`.trim() : field || (operand?.name ?? '');
  const text = `${name} ${shortened(typeof value === 'object' ? JSON.stringify(value) : String(value), longestValue)}`;
  const { RightReading: read } = condition;
  return read && right !== undefined ? `${text} (${describeRight(read)}: ${shortened(String(right), longestValue)})` : text;
}

export interface WhatHeld {
  /** `Metric Disk > 90` */
  condition: string;
  /** `Disk 97` */
  values: string;
}

/**
 * `trace` is that of the hit that opened the match. Without one, or when the rule was changed since, all conditions count, with
 * their values in the packet.
 */
export function whatHeld(conditions: readonly Condition[], trace: Trace | undefined, message: PacketMessage, nameOf?: NameOf): WhatHeld {
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
    values: shortened([...new Set(shown.map((one) => seenText(one, nameOf)))].join(', '), longest),
  };
}
