import { expect, it } from 'vitest';
import { selecting, sortedBy } from './table-state.ts';

const up = { id: 'name', desc: false };
const down = { id: 'name', desc: true };
const other = { id: 'created', desc: true };

it.each([
  [[], false, [up]],
  [[up], false, [down]],
  [[down], false, []],
  [[other], false, [up]],
  [[other, up], false, [down]],
  [[], true, [up]],
  [[other], true, [other, up]],
  [[up, other], true, [down, other]],
  [[other, down], true, [other]],
])('sorts by a column after %j, with Shift %s', (sorting, add, next) => {
  expect(sortedBy(sorting, 'name', add)).toEqual(next);
});

it('selects rows and keeps those of other pages', () => {
  expect(selecting({ 'of another page': true, b: true }, ['a', 'b'], true)).toEqual({ 'of another page': true, a: true, b: true });
  expect(selecting({ 'of another page': true, b: true }, ['a', 'b'], false)).toEqual({ 'of another page': true });
});
