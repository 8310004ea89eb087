import { expect, it } from 'vitest';
import { eachApart } from './each-apart.ts';

it('does the work for those after one that fails, and then says why the first failed', async () => {
  const done: number[] = [];
  const work = (item: number) => (item < 3 ? Promise.reject(new Error(`${item} failed`)) : Promise.resolve(done.push(item)));
  await expect(eachApart([1, 3, 2, 4], work)).rejects.toThrow('1 failed');
  await eachApart([5], work);
  expect(done).toEqual([3, 4, 5]);
});
