import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { call, evaluateArithmetic } from './arithmetic.ts';
import type { MathOp } from './tree.ts';

const now = new Date('2026-03-04T05:06:07.089Z');
const at = '2026-03-04T05:06:07.089012Z';

describe('functions', () => {
  it.each([
    ['year', [at], 2026],
    ['month', [at], 3],
    ['month', ['2026-12-31'], 12],
    ['day', [at], 4],
    ['day', ['2026-12-31'], 31],
    ['hour', [at], 5],
    ['hour', ['23:59:58.000000'], 23],
    ['minute', [at], 6],
    ['minute', ['23:59:58.000000'], 59],
    ['second', [at], 7],
    ['second', ['23:59:58.000000'], 58],
    ['fractionalseconds', [at], 0.089012],
    ['date', [at], '2026-03-04'],
    ['time', [at], '05:06:07.089012'],
    ['floor', [-2.5], -3],
    ['floor', [5n], 5n],
    ['ceiling', [-2.5], -2],
    ['ceiling', [5n], 5n],
    ['round', [-2.5], -3],
    ['round', [2.4], 2],
    ['round', [5n], 5n],
    ['substring', ['abcd', 1, 2], 'bc'],
    ['substring', ['abcd', 1n], 'bcd'],
    ['concat', ['a', 'b'], 'ab'],
    ['length', [null], null],
    ['now', [], '2026-03-04T05:06:07.089000Z'],
    ['mindatetime', [], '0001-01-01T00:00:00.000000Z'],
    ['maxdatetime', [], '9999-12-31T23:59:59.999999Z'],
  ])('%s of %o is %o', (fn, args, value) => {
    expect(call(fn, args, now)).toBe(value);
  });

  it('that do not exist are named', () => {
    expect(() => call('soundex', [], now)).toThrow('No function is called soundex.');
  });
});

describe('arithmetic', () => {
  const whole = (op: MathOp, left: number, right: number) => evaluateArithmetic(op, 'bigint', 'int', left, right);
  const decimal = (op: MathOp, left: number, right: number) => evaluateArithmetic(op, 'decimal', 'decimal', left, right);

  it('of whole numbers cuts what is left of a division', () => {
    expect([whole('add', 7, 2), whole('sub', 7, 2), whole('mul', 7, 2), whole('div', 7, 2), whole('mod', -7, 2)]).toEqual([
      9, 5, 14, 3, -1,
    ]);
  });

  it('of decimals keeps it', () => {
    expect([decimal('add', 7, 2), decimal('sub', 7, 2), decimal('mul', 7, 2), decimal('div', 7, 2), decimal('divby', 7, 2)]).toEqual([
      9, 5, 14, 3.5, 3.5,
    ]);
    expect([decimal('mod', 7.5, 2), decimal('mod', -7.5, 2)]).toEqual([1.5, -1.5]);
    expect([decimal('add', 1, 0), decimal('sub', 1, 0), decimal('mul', 1, 0)]).toEqual([1, 1, 0]);
    expect(decimal('div', 5, 1)).toBe(5);
  });

  it.each(['div', 'divby', 'mod'] as const)('refuses %s by zero', (op) => {
    for (const calculate of [() => decimal(op, 1, 0), ...(op === 'divby' ? [] : [() => whole(op, 1, 0)])])
      expect(calculate).toThrow(expect.objectContaining({ code: 'InvalidFilter', message: 'A number is divided by zero.' }));
  });

  it('refuses what no number can hold', () => {
    expect(() => whole('mul', 2 ** 62, 2)).toThrow('A number is out of range.');
    expect(() => decimal('mul', 1e308, 10)).toThrow('A number is out of range.');
    expect(whole('mul', 2 ** 61, 2)).toBe(2n ** 62n);
  });

  it('moves times, and measures between them in seconds', () => {
    const shift = (op: MathOp, seconds: number) => evaluateArithmetic(op, 'timestamp', 'timestamp', at, seconds);
    expect([shift('add', 90), shift('sub', 90), shift('add', 0.5)]).toEqual([
      '2026-03-04T05:07:37.089012Z',
      '2026-03-04T05:04:37.089012Z',
      '2026-03-04T05:06:07.589012Z',
    ]);
    expect(evaluateArithmetic('sub', 'duration', 'timestamp', '2026-03-04T05:07:37.589012Z', at)).toBe(90.5);
    expect(() => evaluateArithmetic('add', 'timestamp', 'timestamp', '9999-12-31T23:59:59.000000Z', 1)).toThrow(ApiError);
  });

  it('of nothing is nothing', () => {
    expect([evaluateArithmetic('add', 'bigint', 'int', null, 1), evaluateArithmetic('add', 'bigint', 'int', 1, null)]).toEqual([
      null,
      null,
    ]);
  });
});
