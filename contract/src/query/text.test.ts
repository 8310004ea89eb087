/** Edge cases of Unicode in the text functions. The tests of server/src/query compare these functions with PostgreSQL. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blanks, compareText, indexOf, length, lower, substring, trim, upper } from './text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 8 });
const edges = fc
  .array(fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', 'é'), { maxLength: 3 })
  .map((all) => all.join(''));

describe('the order of texts', () => {
  it('is that of their code points', () => {
    const points = (text: string) => Array.from(text, (char) => (char.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('');
    fc.assert(
      fc.property(edges, edges, (a, b) => {
        const [left, right] = [points(a), points(b)];
        expect(Math.sign(compareText(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
      { numRuns: 2_000 },
    );
    const inOrder = ['\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'];
    expect(inOrder.toReversed().toSorted(compareText)).toEqual(inOrder);
  });
});

describe('case', () => {
  it.each([
    ['ß', 'ß'],
    ['ﬁ', 'ﬁ'],
    ['é', 'É'],
    ['ŉ', 'ŉ'],
    ['\u1f80', '\u1f88'],
    ['\u1f87', '\u1f8f'],
    ['\u1fa7', '\u1faf'],
    ['\u1fb3', '\u1fbc'],
    ['\u1fc3', '\u1fcc'],
    ['\u1ff3', '\u1ffc'],
    ['\u1fb2', '\u1fb2'],
    ['\u{10428}', '\u{10400}'],
  ])('the capital of %s is the one letter %s', (small, capital) => {
    expect(upper(`a${small}`)).toBe(`A${capital}`);
  });

  it('a letter of several capitals stays one letter', () => {
    expect([lower('İ'), lower('ÉA'), lower('AZ'), upper('az'), lower('\u{10400}A')]).toEqual(['i', 'éa', 'az', 'AZ', '\u{10428}a']);
  });

  it('of ASCII is that of JavaScript', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 10 }), (text) => {
        expect([lower(text), upper(text)]).toEqual([text.toLowerCase(), text.toUpperCase()]);
      }),
    );
  });
});

describe('parts of texts', () => {
  it('are counted in characters', () => {
    expect([length('a😀é'), length('abc'), length('')]).toEqual([3, 3, 0]);
    expect([indexOf('😀b', 'b'), indexOf('ab', 'a'), indexOf('ab', 'x'), indexOf('', '')]).toEqual([1, 0, -1, 0]);
    expect([substring('😀abc', 1), substring('😀abc', 0, 2), substring('abc', -1, 2), substring('abc', 1, -1)]).toEqual([
      'abc',
      '😀a',
      'ab',
      '',
    ]);
    fc.assert(
      fc.property(anyText, fc.nat(8), fc.nat(8), (text, from, count) => {
        const characters = Array.from(text);
        expect(substring(text, from, count)).toBe(characters.slice(from, from + count).join(''));
        expect(length(text)).toBe(characters.length);
      }),
    );
  });

  it('lose blanks at both ends only', () => {
    expect([trim(`${blanks}a b${blanks}`), trim(blanks), trim(''), trim(' a'), trim('a '), trim('\u2003a')]).toEqual([
      'a b',
      '',
      '',
      'a',
      'a',
      '\u2003a',
    ]);
  });
});
