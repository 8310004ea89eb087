import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operators } from '../enums.ts';
import { limits } from '../limits.ts';
import type { Fact } from './facts.ts';
import { equalsFolded, fold } from './fold.ts';
import { keyOf, keysOfEquals, operatorOf, operatorTable, patternProblem } from './operators.ts';

function judge(operator: number, value: Fact, right = ''): boolean {
  return operatorOf(operator)?.test(right)(value) ?? false;
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 6 }),
  fc.constantFrom('straße', 'ΟΔΟΣ', 'İstanbul', '90', '90.0', 'true'),
);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const fact: fc.Arbitrary<Fact> = fc.oneof(text, number, fc.boolean(), fc.constantFrom(null, undefined, ''));
const numeric = [3, 4, 6, 7];

describe('operators', () => {
  it('[RULE-047] are the fourteen of the enumeration, under the same names', () => {
    expect(operatorTable.map(({ id, name }) => ({ value: id, label: name }))).toEqual([...operators]);
  });

  it('negated operators are opposites of their partners for every value', () => {
    fc.assert(
      fc.property(fact, text, (value, right) => {
        for (const [plain, negated] of [
          [1, 2],
          [5, 11],
          [13, 14],
        ] as const)
          expect(judge(plain, value, right)).toBe(!judge(negated, value, right));
      }),
    );
    fc.assert(
      fc.property(fact, fc.constantFrom('a', '^b', '[0-9]+$', '.'), (value, pattern) => {
        expect(judge(8, value, pattern)).toBe(!judge(12, value, pattern));
      }),
    );
  });

  it('text comparison ignores case, on both sides', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        for (const operator of [1, 2, 5, 9, 10, 11]) {
          const outcome = judge(operator, left, right);
          expect(judge(operator, left.toUpperCase(), right)).toBe(outcome);
          expect(judge(operator, left.toLowerCase(), right.toUpperCase())).toBe(outcome);
        }
      }),
    );
    expect(judge(8, 'DISK full', '^disk FULL$')).toBe(true);
  });

  it('Equals is reflexive and symmetric on text', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(judge(1, left, left.toUpperCase())).toBe(true);
        expect(judge(1, left, right)).toBe(judge(1, right, left));
      }),
    );
  });

  it('equality without making a new text agrees with equality of folded texts', () => {
    const near = fc.tuple(text, text).map(([left, right]) => [left, left.toUpperCase() + right.slice(0, 1)] as const);
    fc.assert(
      fc.property(fc.oneof(near, fc.tuple(text, text)), ([left, right]) => {
        expect(equalsFolded(left, fold(right))).toBe(fold(left) === fold(right));
        expect(fold(fold(left))).toBe(fold(left));
      }),
      { numRuns: 2_000 },
    );
  });

  it('Equals takes a number as a number and a text as text', () => {
    expect(judge(1, 90, '90')).toBe(true);
    expect(judge(1, 90, '90.0')).toBe(true);
    expect(judge(1, 90, ' 9e1 ')).toBe(true);
    expect(judge(1, '90', '90')).toBe(true);
    expect(judge(1, '1.10', '1.1')).toBe(false);
    expect(judge(1, true, 'TRUE')).toBe(true);
    expect(judge(1, 90, 'ninety')).toBe(false);
    fc.assert(
      fc.property(number, (value) => {
        expect(judge(1, value, String(value))).toBe(true);
      }),
    );
  });

  it('a text starts with, ends with and contains its own parts', () => {
    fc.assert(
      fc.property(text, text, (head, tail) => {
        // Joining two texts may change letters where they meet (final sigma, combining marks), so folded texts are
        // joined.
        const all = fold(head) + fold(tail);
        if (fold(all) !== all) return;
        expect(judge(9, all, head)).toBe(true);
        expect(judge(10, all, tail)).toBe(true);
        expect(judge(5, all, head)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(text, text, (value, right) => {
        if (judge(9, value, right) || judge(10, value, right) || judge(1, value, right)) expect(judge(5, value, right)).toBe(true);
      }),
    );
  });

  it('numbers are ordered: exactly one of less, equal, greater; the others follow', () => {
    fc.assert(
      fc.property(number, number, (value, right) => {
        const r = String(right);
        expect([judge(4, value, r), judge(1, value, r), judge(3, value, r)].filter(Boolean)).toHaveLength(1);
        expect(judge(6, value, r)).toBe(!judge(4, value, r));
        expect(judge(7, value, r)).toBe(!judge(3, value, r));
        expect(judge(3, String(value), r)).toBe(judge(3, value, r));
      }),
    );
  });

  it('a numeric operator on something that is not a number is false, never an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.boolean(), fc.constantFrom(null, undefined, '', 'abc', '0x10', '1,5', 'Infinity', 'NaN', '1 2')),
        fc.constantFrom(...numeric),
        (value, operator) => {
          expect(judge(operator, value, '0')).toBe(false);
        },
      ),
    );
  });

  it('IsEmpty is true for missing, null and "" alone', () => {
    fc.assert(
      fc.property(fact, (value) => {
        expect(judge(13, value)).toBe(value === undefined || value === null || value === '');
      }),
    );
  });

  it('refuses a right side that it cannot use', () => {
    for (const operator of numeric) expect(() => judge(operator, 1, 'abc')).toThrow('Please enter a number.');
    expect(() => judge(8, 'a', '(?=a)')).toThrow('Look-ahead and look-behind are not supported in patterns.');
    expect(() => judge(12, 'a', '(?<!a)b')).toThrow('Look-ahead and look-behind are not supported in patterns.');
    expect(() => judge(8, 'a', '(a)\\1')).toThrow('Back-references are not supported in patterns.');
    expect(() => judge(8, 'a', 'a(')).toThrow('The pattern is not valid: missing closing ): `a(`.');
    expect(() => judge(8, 'a', 'a'.repeat(limits.regexLength + 1))).toThrow('A pattern is at most 1024 characters.');
  });

  it('a missing value has no text to search', () => {
    for (const value of [undefined, null]) {
      for (const [operator, right] of [
        [5, 'u'],
        [9, ''],
        [10, ''],
        [8, 'u'],
        [8, '.*'],
      ] as const)
        expect([value, operator, judge(operator, value, right)]).toEqual([value, operator, false]);
      expect(judge(1, value, String(value))).toBe(false);
      expect(keyOf(value)).toBeUndefined();
    }
  });

  it('a pattern may be as long as its limit', () => {
    expect(patternProblem('a'.repeat(limits.regexLength))).toBeUndefined();
    expect(patternProblem('a'.repeat(limits.regexLength + 1))).toBe(`A pattern is at most ${limits.regexLength} characters.`);
  });

  it('a pattern that hangs a backtracking engine does not hang', () => {
    expect(judge(8, `${'a'.repeat(5_000)}!`, '^(a+)+$')).toBe(false);
  });

  it('an index finds every value that Equals accepts by its key', () => {
    fc.assert(
      fc.property(
        fact,
        fc.oneof(
          text,
          number.map(String),
          number.map((n) => `${n}.0`),
        ),
        (value, right) => {
          const key = keyOf(value);
          if (judge(1, value, right)) expect(keysOfEquals(right)).toContain(key);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(keysOfEquals('2.0')).toContain(keyOf(2));
  });
});
