import { ApiError } from '@cloudfit/contract/errors.ts';

/**
 * Does the work for each item, then throws the first error: an item that fails does not hold up those after it. While the database is away
 * all would fail, each after its time limit, so the first such error ends the run.
 */
export async function eachApart<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items)
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
      if (error instanceof ApiError && error.code === 'Unavailable') break;
    }
  if (errors.length > 0) throw errors[0];
}
