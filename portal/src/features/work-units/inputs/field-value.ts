/** Converts values of a unit's fields between history, text and patch. */
import type { Field } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { shortened } from '@cloudfit/contract/one-line.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { personName } from '../../../api/people-names.ts';
import { choiceLabel } from '../../../rows/cells.tsx';
import { exactTime } from '../../../theme/times.ts';

/** Names of the rows that fields refer to, by id. */
export type NamesById = Readonly<Record<string, string>>;

const fields: Readonly<Record<string, Field>> = workUnits.fields;

export const fieldOf = (name: string): Field | undefined => fields[name];
export const labelOf = (name: string): string => fields[name]?.label ?? name;

/** History stores texts verbatim and everything else as JSON. */
export function fromHistory(name: string, text: string | null | undefined): unknown {
  if (text === null || text === undefined) return null;
  const kind = fields[name]?.kind;
  if (kind !== 'int' && kind !== 'bigint' && kind !== 'decimal' && kind !== 'boolean' && kind !== 'json') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * Returns the value as text; null without a value. A component that calls this function must also call `usePersonName`, to
 * re-render when the names of people arrive.
 */
export function wordsOf(name: string, value: unknown, names: NamesById = {}): string | null {
  const field = fields[name];
  if (value === null || value === undefined || value === '') return null;
  if (!field) return String(value);
  if (field.ref) return names[String(value)] ?? String(value);
  if (field.person) return personName(String(value));
  if (field.choices) return choiceLabel(field, value);
  if (field.kind === 'boolean') return value === true ? en.common.yesValue : en.common.noValue;
  if (field.kind === 'timestamp') return exactTime(String(value));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The value inside a sentence: shortened, free text in quotes. */
export function spokenOf(name: string, value: unknown, names?: NamesById): string {
  const words = wordsOf(name, value, names);
  if (words === null) return t.empty;
  const short = shortened(words, 60);
  const field = fields[name];
  return field?.kind === 'text' && !field.choices && !field.person ? t.quoted(short) : short;
}
