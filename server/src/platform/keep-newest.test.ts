import { expect, it } from 'vitest';
import { keepNewest } from './keep-newest.ts';

it('holds as many entries as it may, the newest ones', () => {
  const cache = new Map<string, number>();
  const keep = (key: string, value: number) => {
    keepNewest(cache, 2, key, value);
    return [...cache];
  };
  expect(keep('a', 1)).toEqual([['a', 1]]);
  expect(keep('b', 2)).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  expect(keep('a', 3)).toEqual([
    ['b', 2],
    ['a', 3],
  ]);
  expect(keep('c', 4)).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
