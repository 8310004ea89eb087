/**
 * The readings in the packet of a match that its rule's conditions compare, as `Cpu 95`, and how far they are from their
 * usual values; without such readings, the packet's value.
 */
import { deviationsInWords } from '@cloudfit/contract/rules/baselines/words.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { Match } from './match-columns.tsx';

const parts = ['Metrics', 'States', 'Properties', 'Diagnostics'] as const;

export function valueSeen({ rule, rulePacket, usual }: Pick<Match, 'rule' | 'rulePacket' | 'usual'>): string {
  if (typeof rulePacket !== 'object' || rulePacket === null) return '';
  const packet = rulePacket as Record<string, unknown>;
  const withUsual = (text: string, name: string): string => {
    const reading = usual?.find(({ metric }) => metric === name);
    return reading ? `${text} (${deviationsInWords(reading, builtWords)})` : text;
  };
  const names = [...new Set((rule?.conditions ?? []).flatMap((condition) => condition.LeftOperandFieldName ?? []))];
  const seenValues = names.flatMap((name) =>
    parts.flatMap((part) => {
      const group = packet[part];
      const value = typeof group === 'object' && group !== null ? (group as Record<string, unknown>)[name] : undefined;
      return value === undefined || value === null || typeof value === 'object' ? [] : [withUsual(`${name} ${String(value)}`, name)];
    }),
  );
  if (seenValues.length > 0) return seenValues.join(', ');
  const value = packet['Value'];
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}
