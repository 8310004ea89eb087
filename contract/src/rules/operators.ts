/** How each of the fourteen operators tests a value. */
import { RE2JS } from 're2js';
import { limits } from '../limits.ts';
import { RuleError } from './errors.ts';
import type { Fact } from './facts.ts';
import { equalsFolded, fold, numberIn } from './fold.ts';
import { operatorForms, type OperatorForm } from './operator-forms.ts';

/** Whether a value satisfies the operator with its parsed right side. */
export type Test = (value: Fact) => boolean;

export interface Operator extends OperatorForm {
  /** Throws `RuleError` when the right side does not fit `right`. */
  test: (right: string) => Test;
}

/** Ids of the operators by name. */
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

/** The maximum number of characters that a pattern searches, because even a linear engine needs time per character. */
const patternSees = 8_192;

function textOf(value: Fact): string | undefined {
  if (typeof value === 'string') return fold(value);
  return value === undefined || value === null ? undefined : String(value);
}

/** Returns the number that a value represents; NaN for other values, so that every comparison is false. */
export function numberOf(value: Fact): number {
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

/** Returns the keys of all values that equal the right side. The rule index searches by these keys. */
export function keysOfEquals(right: string): string[] {
  const number = numberIn(right);
  return [...new Set([fold(right), ...(number === undefined ? [] : [String(number)])])];
}

/** Returns the key of a value, for a search among `keysOfEquals`; undefined for a missing value, which equals nothing. */
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

const numeric: Readonly<Record<number, (left: number, right: number) => boolean>> = {
  [operatorId.greaterThan]: (left, right) => left > right,
  [operatorId.lessThan]: (left, right) => left < right,
  [operatorId.greaterThanOrEqual]: (left, right) => left >= right,
  [operatorId.lessThanOrEqual]: (left, right) => left <= right,
};

/** Whether an operator compares only numbers. */
export const isNumeric = (operator: number): boolean => numeric[operator] !== undefined;

/**
 * Returns the comparison of two values that corresponds to the operator; undefined for operators that accept only a fixed right
 * side.
 */
export function comparisonOf(operator: number): ((left: Fact, right: Fact) => boolean) | undefined {
  const compare = numeric[operator];
  if (compare) return (left, right) => compare(numberOf(left), numberOf(right));
  if (operator === operatorId.equals) return (left, right) => equals(String(right))(left);
  return operator === operatorId.notEquals ? (left, right) => !equals(String(right))(left) : undefined;
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

function compilePattern(right: string): RE2JS {
  if (right.length > limits.regexLength) throw new RuleError(`A pattern is at most ${limits.regexLength} characters.`);
  try {
    return RE2JS.compile(right, RE2JS.CASE_INSENSITIVE);
  } catch (cause) {
    if (unsupported.test(right)) throw new RuleError('Look-ahead and look-behind are not supported in patterns.');
    if (backReference.test(right)) throw new RuleError('Back-references are not supported in patterns.');
    const reason = cause instanceof Error ? cause.message.replace('error parsing regexp: ', '').replace('`(?i)', '`') : '';
    throw new RuleError(`The pattern is not valid: ${reason}.`);
  }
}

/** Returns the problem of a pattern in words for the author of the rule; undefined when the pattern is valid. */
export function patternProblem(right: string): string | undefined {
  try {
    compilePattern(right);
    return undefined;
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
}

/** Finds the pattern anywhere in the text (`^` and `$` anchor it), in time linear in the text. */
function matches(right: string): Test {
  const pattern = compilePattern(right);
  return (value) => value !== undefined && value !== null && pattern.test(String(value).slice(0, patternSees));
}

const isEmpty: Test = (value) => value === undefined || value === null || value === '';

const contains = search((left, right) => left.includes(right));

const tests: Readonly<Record<OperatorForm['id'], Operator['test']>> = {
  [operatorId.equals]: equals,
  [operatorId.notEquals]: (right) => not(equals(right)),
  [operatorId.greaterThan]: comparison((right) => (value) => numberOf(value) > right),
  [operatorId.lessThan]: comparison((right) => (value) => numberOf(value) < right),
  [operatorId.contains]: contains,
  [operatorId.greaterThanOrEqual]: comparison((right) => (value) => numberOf(value) >= right),
  [operatorId.lessThanOrEqual]: comparison((right) => (value) => numberOf(value) <= right),
  [operatorId.matches]: matches,
  [operatorId.startsWith]: search((left, right) => left.startsWith(right)),
  [operatorId.endsWith]: search((left, right) => left.endsWith(right)),
  [operatorId.notContains]: (right) => not(contains(right)),
  [operatorId.notMatches]: (right) => not(matches(right)),
  [operatorId.isEmpty]: () => isEmpty,
  [operatorId.isNotEmpty]: () => not(isEmpty),
};

/**
 * The negated operators (2, 11, 12, 14) are exact opposites of their partners, so 2, 11 and 12 hold
 * for a missing value. A numeric operator on something that is not a number is false.
 */
export const operatorTable: readonly Operator[] = operatorForms.map((form) => ({ ...form, test: tests[form.id] }));

const byId = new Map<number, Operator>(operatorTable.map((operator) => [operator.id, operator]));

export function operatorOf(id: number): Operator | undefined {
  return byId.get(id);
}
