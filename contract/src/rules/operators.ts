/** The fourteen operators: what each needs on its right side and how it judges a value. */
import { RE2JS } from 're2js';
import { limits } from '../limits.ts';
import { RuleError } from './errors.ts';
import type { Fact } from './facts.ts';
import { equalsFolded, fold, numberIn } from './fold.ts';

/** Whether a value satisfies a condition; its right side was parsed once. */
export type Test = (value: Fact) => boolean;

export interface Operator {
  id: number;
  name: string;
  /** Short form for labels: `>` or `contains`. */
  sign: string;
  /** What the right side must be; `none` hides the value input (RULE-042, RULE-043). */
  right: 'value' | 'number' | 'pattern' | 'none';
  /** Throws `RuleError` when the right side is not what `right` asks for. */
  test: (right: string) => Test;
}

/** Operators by name. */
export const operatorId = {
  equals: 1,
  notEquals: 2,
  greaterThan: 3,
  lessThan: 4,
  contains: 5,
  greaterThanOrEqual: 6,
  lessThanOrEqual: 7,
  matches: 8,
  startsWith: 9,
  endsWith: 10,
  notContains: 11,
  notMatches: 12,
  isEmpty: 13,
  isNotEmpty: 14,
} as const;

/** A linear engine still takes time per character; beyond this a text is not searched by patterns. */
const patternSees = 8_192;

function textOf(value: Fact): string | undefined {
  if (typeof value === 'string') return fold(value);
  return value === undefined || value === null ? undefined : String(value);
}

/** NaN for what is no number: every comparison with it is false. */
function numberOf(value: Fact): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? (numberIn(value) ?? Number.NaN) : Number.NaN;
}

function not(test: Test): Test {
  return (value) => !test(value);
}

/**
 * A number equals a right side that reads as the same number: 90 equals '90' and '90.0'. Everything
 * else is compared as text without case, so that the version '1.10' does not equal '1.1'.
 */
function equals(right: string): Test {
  const text = fold(right);
  const number = numberIn(right);
  return (value) => {
    if (typeof value === 'string') return equalsFolded(value, text);
    return typeof value === 'number' && number !== undefined ? value === number : textOf(value) === text;
  };
}

/** The texts that a value which `equals` the right side may have; how an index finds it again. */
export function keysOfEquals(right: string): string[] {
  const number = numberIn(right);
  return [...new Set([fold(right), ...(number === undefined ? [] : [String(number)])])];
}

/** The key of a value for `keysOfEquals`; undefined equals nothing. */
export function keyOf(value: Fact): string | undefined {
  return textOf(value);
}

function comparison(test: (right: number) => Test): (right: string) => Test {
  return (right) => {
    const number = numberIn(right);
    if (number === undefined) throw new RuleError('Please enter a number.');
    return test(number);
  };
}

function search(holds: (left: string, right: string) => boolean): (right: string) => Test {
  return (right) => {
    const text = fold(right);
    return (value) => {
      const left = textOf(value);
      return left !== undefined && holds(left, text);
    };
  };
}

const unsupported = /\(\?<?[=!]/;
const backReference = /\\[1-9]/;

/** Finds the pattern anywhere in the text (`^` and `$` anchor it), in time linear in the text. */
function matches(right: string): Test {
  if (right.length > limits.regexLength) throw new RuleError(`A pattern is at most ${limits.regexLength} characters.`);
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(right, RE2JS.CASE_INSENSITIVE);
  } catch (cause) {
    if (unsupported.test(right)) throw new RuleError('Look-ahead and look-behind are not supported in patterns.');
    if (backReference.test(right)) throw new RuleError('Back-references are not supported in patterns.');
    const reason = cause instanceof Error ? cause.message.replace('error parsing regexp: ', '').replace('`(?i)', '`') : '';
    throw new RuleError(`The pattern is not valid: ${reason}.`);
  }
  return (value) => value !== undefined && value !== null && pattern.test(String(value).slice(0, patternSees));
}

const isEmpty: Test = (value) => value === undefined || value === null || value === '';

const contains = search((left, right) => left.includes(right));

/**
 * The negated operators (2, 11, 12, 14) are exact opposites of their partners, so they hold for an
 * empty value too. A numeric operator on something that is not a number is false.
 */
export const operatorTable: readonly Operator[] = [
  { id: 1, name: 'Equals', sign: '=', right: 'value', test: equals },
  { id: 2, name: 'NotEquals', sign: '≠', right: 'value', test: (right) => not(equals(right)) },
  { id: 3, name: 'GreaterThan', sign: '>', right: 'number', test: comparison((right) => (value) => numberOf(value) > right) },
  { id: 4, name: 'LessThan', sign: '<', right: 'number', test: comparison((right) => (value) => numberOf(value) < right) },
  { id: 5, name: 'Contains', sign: 'contains', right: 'value', test: contains },
  { id: 6, name: 'GreaterThanOrEqual', sign: '≥', right: 'number', test: comparison((right) => (value) => numberOf(value) >= right) },
  { id: 7, name: 'LessThanOrEqual', sign: '≤', right: 'number', test: comparison((right) => (value) => numberOf(value) <= right) },
  { id: 8, name: 'Matches', sign: 'matches', right: 'pattern', test: matches },
  { id: 9, name: 'StartsWith', sign: 'starts with', right: 'value', test: search((left, right) => left.startsWith(right)) },
  { id: 10, name: 'EndsWith', sign: 'ends with', right: 'value', test: search((left, right) => left.endsWith(right)) },
  { id: 11, name: 'NotContains', sign: 'does not contain', right: 'value', test: (right) => not(contains(right)) },
  { id: 12, name: 'NotMatches', sign: 'does not match', right: 'pattern', test: (right) => not(matches(right)) },
  { id: 13, name: 'IsEmpty', sign: 'is empty', right: 'none', test: () => isEmpty },
  { id: 14, name: 'IsNotEmpty', sign: 'is not empty', right: 'none', test: () => not(isEmpty) },
];

const byId = new Map(operatorTable.map((operator) => [operator.id, operator]));

export function operatorOf(id: number): Operator | undefined {
  return byId.get(id);
}
