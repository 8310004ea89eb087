import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalsFolded, fold, numberIn } from './fold.ts';

const letters = fc.stringMatching(/^[@A-Z[`a-z{ß\u007f\u0080ς1 ]{0,6}$/);

describe('equality without case', () => {
  it('of a text with a folded one is that of both folded', () => {
    fc.assert(
      fc.property(letters, letters, fc.boolean(), (a, b, same) => {
        const other = same ? a.toUpperCase() : b;
        expect(equalsFolded(other, fold(a))).toBe(fold(other) === fold(a));
      }),
      { numRuns: 3_000 },
    );
  });

  it('covers the letters at both ends of the alphabet and nothing beside them', () => {
    expect(['A', 'Z', '@', '['].map((text) => equalsFolded(text, fold(text)))).toEqual([true, true, true, true]);
    expect([equalsFolded('X@', 'x@'), equalsFolded('X[', 'x['), equalsFolded('X@', 'x`'), equalsFolded('X[', 'x{')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([equalsFolded('STRASSE', fold('straße')), equalsFolded('straße', fold('STRASSE'))]).toEqual([true, true]);
    expect([equalsFolded('web', 'we'), equalsFolded('we', 'web')]).toEqual([false, false]);
  });
});

describe('the number in a text', () => {
  it.each([
    ['90', 90],
    [' -1.5e3 ', -1500],
    ['.5', 0.5],
    ['5.', 5],
    ['1e400', undefined],
    ['0x10', undefined],
    ['', undefined],
    ['5 5', undefined],
  ])('%s is %s', (text, number) => {
    expect(numberIn(text)).toBe(number);
  });
});
