/** Turns typed operators into the filters of a list, or says which operator or value is wrong and what is possible. */
import { operatorTexts as t } from '@cloudfit/contract/messages/operators.en.ts';
import { searchForm } from '@cloudfit/contract/query/search-form.ts';
import { calendarDate } from '@cloudfit/contract/query/values.ts';
import { dayAt } from '../theme/times.ts';
import { searchPeople, type CurrentUser } from '../api/lookups.ts';
import type { ChosenFilters, Listing } from '../filters/listing.ts';
import type { ListState } from '../filters/list-state.ts';
import { loadChoices } from '../rows/choices.ts';
import { readSearch, typedValue } from './read-search.ts';
import { operatorsOf, takesOneText, type SearchOperator } from './vocabulary.ts';

/** What is wrong with an operator or a value. */
class OperatorProblem extends Error {}

const maxNamed = 8;
const named = (values: readonly string[]): string =>
  values.slice(0, maxNamed).map(typedValue).join(', ') + (values.length > maxNamed ? ', …' : '');

const none = new Set(['none', 'nobody']);

/** A name as people type it: without case, accents, blanks and punctuation. */
const formOf = (name: string): string => searchForm(name).replaceAll(' ', '');

/** The values of one name: that which equals it, or the only one that begins with it, or contains it. */
function oneOfNames<T>(word: string, value: string, all: readonly T[], nameOf: (item: T) => string): T {
  const lowered = formOf(value);
  const lower = (item: T) => formOf(nameOf(item));
  if (lowered === '') throw new OperatorProblem(t.oneValue(word));
  const tries = [(text: string) => text === lowered, (text: string) => text.startsWith(lowered), (text: string) => text.includes(lowered)];
  for (const fits of tries) {
    const matching = all.filter((item) => fits(lower(item)));
    const [first] = matching;
    if (first !== undefined && (matching.length === 1 || matching.every((item) => lower(item) === lower(first)))) return first;
    if (matching.length > 1) throw new OperatorProblem(t.severalValues(word, value, named(matching.map(nameOf))));
  }
  throw new OperatorProblem(all.length === 0 ? t.noSuchValue(word, value) : t.unknownValue(word, value, named(all.map(nameOf))));
}

const ofShortList = ({ word, values }: SearchOperator, value: string): readonly string[] => {
  // A number stands for the value that ends with it: `severity:1` is Sev1.
  const numbered = /^\d+$/.test(value) ? Object.keys(values).find((name) => name.endsWith(value)) : undefined;
  return values[numbered ?? oneOfNames(word, value, Object.keys(values), (name) => name)] ?? [];
};

async function personNamed(word: string, value: string, user: CurrentUser | undefined): Promise<string> {
  if (value.toLowerCase() === 'me' && user) return user.userName;
  const people = await searchPeople(value);
  const exact = people.find(({ mail }) => mail.toLowerCase() === value.toLowerCase());
  return (exact ?? oneOfNames(word, value, people, ({ displayName }) => displayName)).mail;
}

const day = String.raw`\d{4}-\d{2}-\d{2}`;

/** `>2d`, `2026-11-01`, `>2026-11-01`, `<2026-11-01`, `2026-11-01..2026-11-07`, `today`. */
function timeOf(word: string, value: string): string {
  if (/^[<>]\d{1,4}[hdw]$/.test(value)) return value;
  if (value.toLowerCase() === 'today') {
    const today = dayAt(Date.now());
    return `${today}..${today}`;
  }
  const one = new RegExp(`^([<>]?)(${day})$`).exec(value);
  const [first, last = first] = value.match(new RegExp(day, 'g')) ?? [];
  const isTime = [first, last].every((text) => text === undefined || calendarDate(text) !== undefined) && (first ?? '') <= (last ?? '');
  if (!isTime) throw new OperatorProblem(t.unknownTime(word, value));
  if (one) return one[1] === '>' ? `${one[2]}..` : one[1] === '<' ? `..${one[2]}` : `${one[2]}..${one[2]}`;
  if (new RegExp(`^(${day})?\\.\\.(${day})?$`).test(value) && value !== '..') return value;
  throw new OperatorProblem(t.unknownTime(word, value));
}

async function valuesFor(operator: SearchOperator, value: string, user: CurrentUser | undefined): Promise<readonly string[]> {
  const { word, kind, field } = operator;
  if (kind === 'choice' || kind === 'quick') return ofShortList(operator, value);
  if (kind === 'time') return [timeOf(word, value)];
  if (field?.nullable === true && !takesOneText(operator) && none.has(value.toLowerCase())) return ['null'];
  if (kind === 'person') return [await personNamed(word, value, user)];
  if (kind === 'reference' && field?.ref) {
    const choices = await loadChoices(field.ref, value);
    const { label } = oneOfNames(word, value, choices, (choice) => choice.label);
    // Rows of several tenants may share the name.
    return choices.filter((choice) => choice.label.toLowerCase() === label.toLowerCase()).map((choice) => String(choice.value));
  }
  return [value];
}

export type AppliedOperators = Pick<ListState, 'filters' | 'quick' | 'search'> | { problem: string };

/** The filters that the list has with the operators of the text; each replaces an earlier filter of its field. */
export async function applyOperators(
  listing: Listing,
  text: string,
  before: Pick<ListState, 'filters' | 'quick'>,
  user: CurrentUser | undefined,
): Promise<AppliedOperators> {
  const { operators, rest } = readSearch(text);
  const all = operatorsOf(listing);
  try {
    let filters: ChosenFilters = before.filters;
    let { quick } = before;
    const typed = new Map<string, readonly string[]>();
    const excluded = new Map<SearchOperator, readonly string[]>();
    for (const { word, values, isNot } of operators) {
      const operator = all.find((other) => other.word === word);
      if (!operator) throw new OperatorProblem(t.unknownOperator(word, all.map((other) => other.word).join(', ')));
      const chosen: string[] = [];
      for (const value of values) chosen.push(...(await valuesFor(operator, value, user)));
      if (isNot && operator.kind !== 'choice') throw new OperatorProblem(t.notExcluded(word));
      if (isNot) excluded.set(operator, [...(excluded.get(operator) ?? []), ...chosen]);
      else if (operator.kind === 'quick') quick = [...new Set([...quick, ...chosen])];
      else typed.set(operator.name, [...new Set([...(typed.get(operator.name) ?? []), ...chosen])]);
    }
    for (const [{ word, name, values }, without] of excluded) {
      const left = (typed.get(name) ?? Object.values(values).flat()).filter((value) => !without.includes(value));
      if (left.length === 0) throw new OperatorProblem(t.noneLeft(word));
      typed.set(name, [...new Set(left)]);
    }
    for (const [name, values] of typed) {
      const operator = all.find((other) => other.name === name);
      const isSingle = operator !== undefined && (operator.kind === 'time' || takesOneText(operator));
      if (isSingle && values.length > 1) throw new OperatorProblem(t.oneValue(operator.word));
      filters = { ...filters, [name]: values };
    }
    return { filters, quick, search: rest };
  } catch (error) {
    if (error instanceof OperatorProblem) return { problem: error.message };
    throw error;
  }
}
