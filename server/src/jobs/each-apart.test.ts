import { expect, it } from 'vitest';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { eachApart } from './each-apart.ts';

it('does the work for those after one that fails, and then says why the first failed', async () => {
  const done: number[] = [];
  const work = (item: number) => (item < 3 ? Promise.reject(new Error(`${item} failed`)) : Promise.resolve(done.push(item)));
  await expect(eachApart([1, 3, 2, 4], work)).rejects.toThrow('1 failed');
  await eachApart([5], work);
  expect(done).toEqual([3, 4, 5]);
});

it('ends with the first item for which the database is away', async () => {
  const tried: number[] = [];
  const work = (item: number) => {
    tried.push(item);
    return Promise.reject(item === 2 ? new ApiError('Unavailable', 'The database is away.') : new Error(`${item} failed`));
  };
  await expect(eachApart([1, 2, 3], work)).rejects.toThrow('1 failed');
  expect(tried).toEqual([1, 2]);
});
