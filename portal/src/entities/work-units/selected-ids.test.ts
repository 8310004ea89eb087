import { expect, it } from 'vitest';
import { printIds, readIds } from './selected-ids.ts';

it('ids in the address are read as they were written, sorted and once each', () => {
  expect(readIds(printIds([1008, 7, 1007, 7]))).toEqual([7, 1007, 1008]);
});

it('a thousand ids stay short', () => {
  expect(printIds(Array.from({ length: 1_000 }, (_, at) => 1_000_000 + at * 37)).length).toBeLessThan(4_000);
});

it('what is no list of ids has none', () => {
  for (const text of ['', 'all!', '1..2', '1,2']) expect(readIds(text)).toEqual([]);
});
