/** Operators in the text of a search: `state:open assignee:me created:>2d "night backup"`. */

export interface TypedOperator {
  word: string;
  values: readonly string[];
  /** Whether rows with these values are left out: `-state:resolved`. */
  isNot: boolean;
}

export interface TypedSearch {
  operators: readonly TypedOperator[];
  /** What is no operator, and is searched for. */
  rest: string;
}

const value = String.raw`(?:"[^"]*"?|[^\s",]+)`;
const tokens = new RegExp(String.raw`(-?)(\p{L}[\p{L}-]*):(${value}(?:,${value})*)|"([^"]*)"?|\S+`, 'giu');

/** A word with a colon and something behind it is an operator; an address is none, nor is what stands in quotes. */
export function readSearch(text: string): TypedSearch {
  const operators: TypedOperator[] = [];
  const rest: string[] = [];
  for (const [whole, minus, word, values, quoted] of text.matchAll(tokens)) {
    if (word !== undefined && values !== undefined && !values.startsWith('//'))
      operators.push({
        word: word.toLowerCase(),
        isNot: minus === '-',
        values: [...values.matchAll(/"([^"]*)"?|([^,"]+)/g)].map(([, inQuotes, plain]) => (inQuotes ?? plain ?? '').trim()),
      });
    else rest.push(quoted ?? whole);
  }
  return { operators, rest: rest.join(' ') };
}

export const hasOperators = (text: string): boolean => readSearch(text).operators.length > 0;

/** A value as it is typed: in quotes when it has blanks or commas. */
export const typedValue = (text: string): string => (/[\s,"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text);
