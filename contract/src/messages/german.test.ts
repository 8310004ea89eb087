import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onCallProblems } from '../on-call/problems.ts';
import { noticeTexts } from './notices.de.ts';
import { sameInGerman } from '../testing/same-in-german.ts';

const english = readdirSync(import.meta.dirname).filter((name) => /(^|\.)en\.ts$/.test(name));
const germanOf = (name: string) => name.replace(/(^|\.)en\.ts$/, '$1de.ts');
const load = async (name: string) => (await import(/* @vite-ignore */ `./${name}`)) as Readonly<Record<string, unknown>>;

type Text = (...values: readonly unknown[]) => unknown;
interface Pair {
  at: string;
  en: unknown;
  de: unknown;
}

/** The texts of both catalogues at the same keys, those of the English one that the German one lacks with undefined. */
function pairsOf(at: string, en: unknown, de: unknown): Pair[] {
  if (typeof en !== 'object' || en === null || en instanceof RegExp) return [{ at, en, de }];
  const other = (typeof de === 'object' ? de : undefined) as Readonly<Record<string, unknown>> | undefined;
  return Object.entries(en).flatMap(([key, value]) => pairsOf(`${at}.${key}`, value, other?.[key]));
}

const pairs = (
  await Promise.all(english.map(async (name) => pairsOf(name.replace(/\.?en\.ts$/, ''), await load(name), await load(germanOf(name)))))
).flat();

/** Names each property that a text reads of a value. */
const reading = (mark: string): object =>
  new Proxy({}, { get: (_target, key) => (typeof key === 'symbol' ? undefined : key === 'length' ? 2 : `«${mark}.${key}»`) });

/** Values of each kind that a text may take, marked so that they are seen in its result. */
const valuesAt = (at: number): readonly unknown[] => [
  `«${at}»`,
  107 + at,
  [`«${at}a»`, `«${at}b»`, `«${at}c»`],
  reading(String(at)),
  true,
  false,
  null,
];

function* callsOf(length: number, before: readonly unknown[] = []): Generator<readonly unknown[]> {
  if (before.length === length) yield before;
  else for (const value of valuesAt(before.length)) yield* callsOf(length, [...before, value]);
}

function resultOf(text: unknown, values: readonly unknown[]): string | undefined {
  try {
    const result: unknown = (text as Text)(...values);
    return typeof result === 'string' && !/undefined|NaN|\[object/.test(result) ? result.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}

const marksIn = (text: string) => [...text.matchAll(/«[^»]*»|\b1\d\d\b/g)].map(([mark]) => mark);

/** What the German text leaves out of the values that the English one shows. */
function lost({ en, de }: Pair): string[] {
  for (const values of callsOf(Math.min((en as Text).length, 4))) {
    const [inEnglish, inGerman] = [resultOf(en, values), resultOf(de, values)];
    if (inEnglish === undefined) continue;
    const missing = marksIn(inEnglish).filter((mark) => !inGerman?.includes(mark));
    if (missing.length > 0) return [...missing, `in ${inGerman}`];
  }
  return [];
}

it('has each English text in German, and no text that English lacks', async () => {
  for (const name of english) {
    const keysOf = (texts: unknown) => pairsOf('', texts, texts).map(({ at }) => at);
    expect([name, keysOf(await load(germanOf(name)))]).toEqual([name, keysOf(await load(name))]);
  }
  expect(pairs.filter(({ en, de }) => typeof en !== typeof de)).toEqual([]);
});

it('translates each text, unless its words are the same in both languages', () => {
  const untranslated = pairs.filter(({ en, de }) => typeof en === 'string' && en === de && /[a-z]{2}/i.test(en) && !sameInGerman.has(en));
  expect(untranslated.map(({ at, en }) => [at, en])).toEqual([]);
});

it('lists no word as the same that no text has', () => {
  const same = new Set(pairs.filter(({ en, de }) => en === de).map(({ en }) => en));
  expect([...sameInGerman].filter((word) => !same.has(word))).toEqual([]);
});

it('shows in German each value that it shows in English', () => {
  const faults = pairs.filter(({ en }) => typeof en === 'function').flatMap((pair) => lost(pair).map((mark) => [pair.at, mark]));
  expect(faults).toEqual([]);
});

it('says in German why nobody on call is reached, which the API says in English', () => {
  for (const problem of Object.values(onCallProblems)) expect(noticeTexts.onCallUnreached('Ada', 'Duty', problem)).not.toContain(problem);
});
