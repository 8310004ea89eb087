/** Writes several rows of an import beside each other, so that they share round trips, without one spoiling the others. */
import type { Ctx } from '../../context/ctx.ts';

export type RowAttempt<T> = { done: T } | { error: unknown };

async function alone<T>(ctx: Ctx, work: () => Promise<T>): Promise<RowAttempt<T>> {
  await ctx.db.query({ text: 'savepoint import' });
  try {
    return { done: await work() };
  } catch (error) {
    await ctx.db.query({ text: 'rollback to savepoint import' });
    return { error };
  }
}

/**
 * Does the works in the transaction of `ctx`. When one fails, all are undone and done again one by one: a failed statement ends
 * the statements that follow it, and a row may fail after its first write.
 */
export async function attemptAll<T>(ctx: Ctx, works: readonly (() => Promise<T>)[]): Promise<RowAttempt<T>[]> {
  await ctx.db.query({ text: 'savepoint import' });
  const results = await Promise.allSettled(works.map((work) => work()));
  if (results.every((result) => result.status === 'fulfilled')) return results.map(({ value }) => ({ done: value }));
  await ctx.db.query({ text: 'rollback to savepoint import' });
  const attempts: RowAttempt<T>[] = [];
  for (const work of works) attempts.push(await alone(ctx, work));
  return attempts;
}
