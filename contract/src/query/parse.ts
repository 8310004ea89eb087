/** Parses text into nodes. Refuses long or deep texts before the parser recurses, and words the syntax errors. */
import { ApiError, type ErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import type { StartRuleResults } from './ast.ts';
import { parse as run, SyntaxError as GrammarError } from './odata.parser.js';

/** The error code of each option. */
export const optionCodes = {
  $filter: 'InvalidFilter',
  $orderby: 'InvalidOrderBy',
  $select: 'InvalidSelect',
  $expand: 'InvalidExpand',
  $apply: 'InvalidApply',
  $compute: 'InvalidApply',
  $search: 'InvalidSearch',
} as const;

export type OptionName = keyof typeof optionCodes;

/** Returns the error for a problem in an option, with its offset in the detail. `invalid` stands for the option's code. */
export function complaint(option: OptionName, code: ErrorCode | 'invalid', message: string, offset?: number): ApiError {
  const plain = optionCodes[option];
  const detail = code === 'invalid' ? plain : code;
  const outer = code === 'TooComplex' || code === 'NotImplemented' ? code : plain;
  const target = offset === undefined ? option : `${option}:${offset}`;
  return new ApiError(outer, message, { target: option, details: [{ code: detail, message, target }] });
}

/**
 * Parses one option's decoded value; throws an `ApiError` with the offset of the problem. For the text of an alias, `at` is the
 * offset of its use, and every problem gets that offset.
 */
export function parseText<S extends keyof StartRuleResults>(start: S, text: string, option: OptionName, at?: number): StartRuleResults[S] {
  requireShallow(text, option);
  try {
    return run<S>(text, {
      startRule: `${start}Text`,
      ...(at === undefined ? {} : { at }),
      refuse: (what, offset) => {
        throw complaint(option, 'NotImplemented', `${what} is not supported.`, offset);
      },
    });
  } catch (error) {
    if (error instanceof GrammarError) throw complaint(option, 'invalid', sentence(error, text), at ?? error.location.start.offset);
    throw error;
  }
}

function requireShallow(text: string, option: OptionName): void {
  if (text.length > limits.filterLength)
    throw complaint(option, 'TooComplex', `The text is longer than ${limits.filterLength} characters.`);
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "'") quoted = !quoted;
    else if (quoted) continue;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    if (depth > limits.bracketDepth) throw complaint(option, 'TooComplex', `Brackets are nested deeper than ${limits.bracketDepth}.`, i);
  }
}

function sentence(error: GrammarError, text: string): string {
  const offset = error.location.start.offset;
  const word = /^(?:\w+|[^\s])/.exec(text.slice(offset))?.[0];
  const actual = word === undefined ? 'end of the text' : `'${word}'`;
  const names = (error.expected ?? []).map((e) =>
    e.type === 'end' ? 'the end' : e.type === 'other' ? e.description : /^[(),;=]$/.test(e.text ?? '') ? `'${e.text}'` : undefined,
  );
  const expected = new Set(names.filter((name) => name !== undefined && name !== 'a blank'));
  const list = [...expected].join(', ');
  return `Unexpected ${actual} at position ${offset}${list ? `; expected ${list}` : ''}.`;
}
