import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineDifference } from './line-difference.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8, minLength: 1 }).map((lines) => lines.join('\n'));
const without = (kind: string, before: string, after: string) =>
  lineDifference(before, after)
    .filter((line) => line.kind !== kind)
    .map((line) => line.text)
    .join('\n');

it('has each line of both texts, in their order', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(without('added', before, after)).toBe(before);
      expect(without('removed', before, after)).toBe(after);
    }),
  );
});

it('keeps what both have, and marks no more than needed', () => {
  expect(lineDifference('one\ntwo\nthree', 'one\n2\nthree\nfour').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'same one',
    'removed two',
    'added 2',
    'same three',
    'added four',
  ]);
  expect(lineDifference('x\ny', 'x\ny').every(({ kind }) => kind === 'same')).toBe(true);
});
