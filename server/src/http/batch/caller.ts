import { AsyncLocalStorage } from 'node:async_hooks';
import type { Ctx } from '../../context/ctx.ts';

export const callerOfPart = new AsyncLocalStorage<Ctx>();

/** Returns the caller of the batch that the current request is a part of, with the transaction of its group. */
export function callerOfBatch(): Ctx | undefined {
  return callerOfPart.getStore();
}
