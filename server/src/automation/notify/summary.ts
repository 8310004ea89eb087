/** One message that tells of several: its subject names the worst, its text has groups before singles and what has ended last. */

import type { MailTexts } from '../../platform/mail-texts.ts';

export type SummaryTexts = MailTexts['summary'];

/** A message or a unit that a summary tells of. */
export interface SummaryPart {
  /** The first line: the subject of the message, or severity, number and title of the unit. */
  title: string;
  severity: string | null;
  /** The rule that caused it; without a rule, the title of the unit. */
  rule: string;
  customer: string;
  /** The location; null if it has none. */
  site: string | null;
  isGroup: boolean;
  /** The number of its matches, and of those that go on. */
  matches: number;
  open: number;
  /** Whether all of it is over. */
  isOver: boolean;
  /** The text below the title, and the lines that remain of it when the texts of a summary are too long. */
  text: string;
  short: string;
}

/** Length of all texts above which further parts have only their `short`. */
const longestTexts = 25_000;
/** Length of a summary above which it includes no further part. */
const longestSummary = 60_000;
const longestTitle = 200;

// Severities are in the order of their names; what has none comes after them.
const rank = ({ severity }: SummaryPart): string => severity ?? '~';
const byRank = (a: SummaryPart, b: SummaryPart): number => (rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b)));

/** What goes on before what is over, groups before singles, the worst first. */
const inOrder = (parts: readonly SummaryPart[]): SummaryPart[] =>
  parts.toSorted((a, b) => Number(a.isOver) - Number(b.isOver) || Number(b.isGroup) - Number(a.isGroup) || byRank(a, b));

const distinct = (values: readonly (string | null)[]): number => new Set(values.filter((value) => value !== null && value !== '')).size;

/** How many matches, of how many rules and sites, and how many have ended; undefined without matches. */
function countsOf({ counts }: SummaryTexts, parts: readonly SummaryPart[]): string | undefined {
  const matched = parts.filter(({ matches }) => matches > 0);
  const total = matched.reduce((sum, { matches }) => sum + matches, 0);
  if (total === 0) return undefined;
  const ended = total - matched.reduce((sum, { open }) => sum + open, 0);
  const rules = distinct(matched.map(({ rule }) => rule));
  return counts(total, rules, distinct(matched.map(({ site }) => site)), ended);
}

/** Names the worst of what goes on, its rule and its customer; of what is over, only if nothing goes on. */
function titleOf({ title }: SummaryTexts, ordered: readonly SummaryPart[]): string {
  const goesOn = ordered.filter(({ isOver }) => !isOver);
  const [worst] = (goesOn.length > 0 ? goesOn : ordered).toSorted(byRank);
  if (!worst) return '';
  const { severity, rule, customer, isOver } = worst;
  return title(isOver, severity ?? '', rule.slice(0, longestTitle), customer, ordered.length - 1);
}

const line = '-'.repeat(40);

export interface Summary<T> {
  title: string;
  text: string;
  /** The parts that it tells of. The others do not fit. */
  included: readonly T[];
}

/** `first` is included even if the others fill the summary. `about` is the beginning of the text. */
export function summaryOf<T>(
  all: readonly T[],
  partOf: (one: T) => SummaryPart,
  { first, about, texts }: { first?: T | undefined; about?: string; texts: SummaryTexts },
): Summary<T> {
  const sources = new Map(all.map((item) => [partOf(item), item]));
  const ordered = inOrder([...sources.keys()]);
  const must = ordered.find((part) => sources.get(part) === first);
  let whole = 0;
  let length = must ? must.title.length + must.short.length : 0;
  const included = new Map<SummaryPart, string>();
  for (const part of ordered) {
    const isWhole = whole + part.text.length <= longestTexts;
    const text = [part.title.slice(0, longestTitle), isWhole ? part.text : part.short].filter((item) => item !== '').join('\n\n');
    if (part !== must && length + text.length > longestSummary) continue;
    if (isWhole) whole += part.text.length;
    length += text.length;
    included.set(part, text);
  }
  const parts = [...included.keys()];
  const section = (heading: string, isOver: boolean): string[] => {
    const of = parts.filter((part) => part.isOver === isOver).map((part) => included.get(part) ?? '');
    return of.length === 0 ? [] : [heading, of.join(`\n\n${line}\n\n`)];
  };
  const hasOver = parts.some(({ isOver }) => isOver);
  const ones = parts.flatMap((part) => sources.get(part) ?? []);
  const head = [about, countsOf(texts, parts)].filter(Boolean).join('. ');
  return {
    title: titleOf(texts, parts),
    text: [head === '' ? '' : `${head}.`, ...section(hasOver ? texts.goesOn : '', false), ...section(texts.ended, true)]
      .filter((item) => item !== '')
      .join('\n\n'),
    included: ones,
  };
}
