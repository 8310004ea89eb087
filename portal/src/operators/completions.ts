/** What can follow the text of a search: words of operators, and values of the one that is being typed. */
import { operatorTexts as t } from '@cloudfit/contract/messages/operators.en.ts';
import type { Listing } from '../filters/listing.ts';
import { typedValue } from './read-search.ts';
import { operatorsOf, type SearchOperator } from './vocabulary.ts';

export interface Completion {
  /** The word or value, as it is shown. */
  label: string;
  /** The whole text with it. */
  text: string;
  hint?: string;
}

const maxShown = 8;
/** One letter begins too many words. */
const minLetters = 2;

function valueNames({ kind, values, field }: SearchOperator): readonly string[] {
  if (kind === 'person') return ['me', ...(field?.nullable ? ['none'] : [])];
  if (kind === 'time') return ['today', '>2d', '<2d', '>1w', '<1w', '<12h'];
  return Object.keys(values);
}

/** The operator whose value stands at the end of the text, and the value so far. */
export function valueBeingTyped(listing: Listing, text: string): { operator: SearchOperator; value: string } | undefined {
  const [, word, value] = /(?:^|\s)([a-z][a-z-]*):(?:[^\s"]*,)?("[^"]*|[^\s",]*)$/i.exec(text) ?? [];
  const operator = word === undefined ? undefined : operatorsOf(listing).find((other) => other.word === word.toLowerCase());
  return operator && { operator, value: (value ?? '').replace('"', '') };
}

/** `choices`: names for the reference that is being typed, as the server answers them. */
export function completionsOf(listing: Listing, text: string, choices: readonly string[]): readonly Completion[] {
  const typed = valueBeingTyped(listing, text);
  if (typed) {
    const { operator, value } = typed;
    const names = operator.kind === 'reference' ? choices : valueNames(operator);
    const before = text.slice(0, text.length - (value.length + (text.endsWith(`"${value}`) ? 1 : 0)));
    return names
      .filter((name) => name.toLowerCase().startsWith(value.toLowerCase()) && name !== value)
      .slice(0, maxShown)
      .map((name) => ({ label: name, text: `${before}${typedValue(name)} `, ...(operator.kind === 'time' ? { hint: t.time(name) } : {}) }));
  }
  const last = /(?:^|\s)([\p{L}-]+)$/iu.exec(text)?.[1]?.toLowerCase();
  if (last === undefined || last.length < minLetters) return [];
  return operatorsOf(listing)
    .filter(({ word }) => word.startsWith(last))
    .slice(0, maxShown)
    .map(({ word, field }) => ({
      label: `${word}:`,
      text: `${text.slice(0, -last.length)}${word}:`,
      ...(field ? { hint: field.label } : {}),
    }));
}
