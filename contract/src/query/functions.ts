/** The signatures of the `$filter` functions. arithmetic.ts implements them in memory, server/src/query/functions.ts in SQL. */
import type { Type } from './tree.ts';

/** `number` stands for the three numeric types, `whole` for the two without fraction. */
export type Parameter = Type | 'number' | 'whole';

export interface Signature {
  takes: readonly Parameter[];
  /** The type of the result; `same` stands for the type of the first argument. */
  gives: Type | 'same';
}

const text2: Signature = { takes: ['text', 'text'], gives: 'boolean' };
const textual: Signature = { takes: ['text'], gives: 'text' };
// The date comes first: a date can be read as a timestamp, but not the other way round.
const day: readonly Signature[] = [
  { takes: ['date'], gives: 'int' },
  { takes: ['timestamp'], gives: 'int' },
];
const clock: readonly Signature[] = [
  { takes: ['timestamp'], gives: 'int' },
  { takes: ['timeOfDay'], gives: 'int' },
];
const rounding: Signature = { takes: ['number'], gives: 'same' };
const instant: Signature = { takes: [], gives: 'timestamp' };

export const signatures: ReadonlyMap<string, readonly Signature[]> = new Map<string, readonly Signature[]>([
  ['contains', [text2]],
  ['startswith', [text2]],
  ['endswith', [text2]],
  ['length', [{ takes: ['text'], gives: 'int' }]],
  ['indexof', [{ takes: ['text', 'text'], gives: 'int' }]],
  [
    'substring',
    [
      { takes: ['text', 'whole'], gives: 'text' },
      { takes: ['text', 'whole', 'whole'], gives: 'text' },
    ],
  ],
  ['tolower', [textual]],
  ['toupper', [textual]],
  // Not of the standard: the text without case and accents, as a search reads it.
  ['folded', [textual]],
  // Not of the standard: whether the search of the row's resource finds it by the text, and how well its text has that.
  ['found', [{ takes: ['text'], gives: 'boolean' }]],
  ['relevance', [{ takes: ['text'], gives: 'int' }]],
  ['trim', [textual]],
  ['concat', [{ takes: ['text', 'text'], gives: 'text' }]],
  ['year', day],
  ['month', day],
  ['day', day],
  ['hour', clock],
  ['minute', clock],
  ['second', clock],
  ['fractionalseconds', clock.map((s) => ({ ...s, gives: 'decimal' as const }))],
  ['date', [{ takes: ['timestamp'], gives: 'date' }]],
  ['time', [{ takes: ['timestamp'], gives: 'timeOfDay' }]],
  ['totaloffsetminutes', [{ takes: ['timestamp'], gives: 'int' }]],
  ['totalseconds', [{ takes: ['duration'], gives: 'decimal' }]],
  ['now', [instant]],
  ['mindatetime', [instant]],
  ['maxdatetime', [instant]],
  ['round', [rounding]],
  ['floor', [rounding]],
  ['ceiling', [rounding]],
]);

/** Whether a function asks the search of a resource. Only the database has the texts that it looks at. */
export const isSearch = (fn: string): boolean => fn === 'found' || fn === 'relevance';

/** Resources of which the database has a text for each row, with words of related rows too, that a search looks at. */
export const textSearches = ['workUnits', 'knowledgeArticles', 'resolutionCenterWorkUnits'] as const;

/** Their names, and the path by which the portal reads the requests of the resolution center (API-142). */
export const searchedByText: ReadonlySet<string> = new Set([...textSearches, 'workunits/rc']);

/** Functions of the standard that the server answers with 501, so that callers do not search for a typing mistake. */
export const unsupported: ReadonlySet<string> = new Set([
  'case',
  'cast',
  'isof',
  'hassubset',
  'hassubsequence',
  'matchespattern',
  'geo.distance',
  'geo.intersects',
  'geo.length',
]);
