/** A German reader finds no English word in what is said about any condition of a rule. */
import { describe, expect, it } from 'vitest';
import { explanationTexts as english } from '@cloudfit/contract/messages/explanations.en.ts';
import { explanationTexts as german } from '@cloudfit/contract/messages/explanations.de.ts';
import { describeRule } from '@cloudfit/contract/rules/describe.ts';
import type { ConditionTrace, Trace } from '@cloudfit/contract/rules/evaluate/trace.ts';
import { explainConditions, whatFailed } from '@cloudfit/contract/rules/explain-trace.ts';
import { operandTable, type Operand } from '@cloudfit/contract/rules/operands.ts';
import { operatorForms } from '@cloudfit/contract/rules/operator-forms.ts';
import { comparisonsInWords, satisfiedInWords } from '@cloudfit/contract/rules/satisfied-in-words.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { englishWords, ruleWordsFor } from './rule-words.ts';

const germanWords = ruleWordsFor({ language: 'de' });

const patterns: (OccurrencePattern | null)[] = [
  null,
  { Kind: 'TimesInRow', Times: 3 },
  { Kind: 'TimesWithin', Times: 4, Seconds: 600 },
  { Kind: 'EveryTimeDuring', Seconds: 90 },
  { Kind: 'Changed' },
  { Kind: 'NotSeenFor', Seconds: 86_400 },
];

/** Words that are the same in both languages: names, abbreviations, and terms that German has taken over. */
const same = new Set(
  'block chat min tag was id in installation maximum median minimum minute moment name rate sender sev so spam url xq linuxx osxx winx'.split(
    ' ',
  ),
);
const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-zäöüß]{2,}/g) ?? []);

/** The words that both texts have, apart from those of the condition itself. */
const shared = (inEnglish: string, inGerman: string): string[] => {
  const words = wordsIn(inEnglish);
  return [...wordsIn(inGerman)].filter((word) => words.has(word) && !same.has(word));
};

const usual = { value: 97, mean: 41, deviation: 6, readings: 90, weeks: 4 };
const traced = (more: Partial<ConditionTrace>): Trace => ({
  at: 0,
  inScope: true,
  inTimeWindow: null,
  groups: [more.satisfied !== false],
  conditions: [{ index: 0, group: 0, value: 7, observed: true, held: true, satisfied: true, before: null, after: 2, ...more }],
  outcome: 'miss',
});

const traces: readonly Trace[] = [
  traced({}),
  traced({ satisfied: false }),
  traced({ held: false }),
  traced({ held: false, satisfied: false, value: null }),
  traced({ observed: false, satisfied: false, value: null }),
  traced({ observed: false, satisfied: false }),
  traced({ right: 90 }),
  traced({ right: null, observed: false, satisfied: false }),
  traced({ usual }),
  traced({ usual: { ...usual, value: 41 } }),
  traced({ usual: { ...usual, value: 1 } }),
  traced({ usual: null, satisfied: false }),
  traced({ usual: { ...usual, weeks: 0 }, satisfied: false }),
  traced({ usual: { ...usual, weeks: 1 }, satisfied: false }),
  traced({ usual: { ...usual, readings: 2 }, satisfied: false }),
  traced({ fills: { since: 0, seconds: 30 }, satisfied: false, value: null }),
];

function conditionsOf(operand: Operand): Condition[] {
  const rights = operand.choices?.map(({ value }) => String(value)) ?? ['7'];
  const ofOperator = operand.operators.flatMap((Operator) =>
    rights.map((RightOperand): Condition => ({ Type: 'And', LeftOperand: operand.id, LeftOperandFieldName: 'Xq', Operator, RightOperand })),
  );
  const first = ofOperator[0];
  if (!first) return [];
  return [
    ...ofOperator,
    ...patterns.map((OccurrencePattern) => ({ ...first, OccurrencePattern })),
    { ...first, WindowSeconds: 7_200, AheadSeconds: 14_400 },
    ...([1, 4] as const).flatMap((Weeks) =>
      (['OfWeek', 'OfDay'] as const).map((Hour) => ({ ...first, RightOperand: '1', Baseline: { Weeks, Hour } })),
    ),
    { ...first, RightReading: { Operand: 62, FieldName: 'Xq', Factor: 0.9 } },
  ];
}

function saidOf(condition: Condition, words: typeof englishWords): string {
  const conditions = [condition, { ...condition, Type: 'Or' as const }];
  return [
    describeRule([...conditions, condition], words),
    ...traces.flatMap((trace) => {
      const explained = explainConditions(trace, conditions, words);
      const { condition: satisfied, values } = satisfiedInWords(
        conditions,
        { ...trace, conditions: [...trace.conditions, ...trace.conditions] },
        {},
        words,
      );
      return [
        ...explained.flatMap(({ saw, progress }) => [saw, progress ?? '']),
        ...whatFailed(trace, explained, words),
        comparisonsInWords(conditions, trace, words),
        satisfied,
        values,
      ];
    }),
  ].join('\n');
}

describe('the words of conditions', () => {
  it.each(operandTable.map((operand) => [operand.name, operand] as const))('%s', (_, operand) => {
    const all = conditionsOf(operand);
    expect(all.length).toBeGreaterThan(0);
    const faults = all.flatMap((condition) => shared(saidOf(condition, englishWords), saidOf(condition, germanWords)));
    expect([...new Set(faults)]).toEqual([]);
  });

  it('has a sign for each operator', () => {
    for (const { id, name } of operatorForms) {
      const condition: Condition = { Type: 'And', LeftOperand: 60, Operator: id, RightOperand: '7' };
      expect([name, describeRule([condition], germanWords)]).not.toEqual([name, expect.stringContaining(` ${id} `)]);
    }
  });

  it('says all in English unless the reader has another language', () => {
    expect(ruleWordsFor({})).toBe(englishWords);
  });
});

type Text = string | ((...values: never[]) => string);
type Catalogue = { readonly [key: string]: Text | Catalogue };

/** The texts of a catalogue, those with values with examples of them. */
function textsOf(catalogue: Catalogue, at = ''): [string, string][] {
  return Object.entries(catalogue).flatMap(([key, text]): [string, string][] => {
    const place = `${at}.${key}`;
    if (typeof text === 'object') return textsOf(text, place);
    if (typeof text === 'string') return [[place, text]];
    return [1, 5].map((value) => [
      place,
      key === 'holders' && at === ''
        ? (text as (names: readonly string[]) => string)(['7', '8'])
        : (text as (...values: number[]) => string)(value, value, value, value, value),
    ]);
  });
}

it('shares no word between the English and the German sentences', () => {
  const inGerman = textsOf(german);
  const faults = textsOf(english).flatMap(([at, text], index) => shared(text, inGerman[index]?.[1] ?? text).map((word) => [at, word]));
  expect(inGerman.length).toBeGreaterThan(80);
  expect(faults).toEqual([]);
});
