import { AsyncLocalStorage } from 'node:async_hooks';
import type { Ctx } from '../../context/ctx.ts';

export const callerOfPart = new AsyncLocalStorage<Ctx>();

/** The caller of the batch that the current request is a part of, with the transaction of its group. */
export function callerOfBatch(): Ctx | undefined {
  return callerOfPart.getStore();
}
