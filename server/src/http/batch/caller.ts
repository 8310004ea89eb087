import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';

export const callerOfPart = new AsyncLocalStorage<Ctx>();

/** Returns the caller of the batch that the current request is a part of, with the transaction of its group. */
export function callerOfBatch(): Ctx | undefined {
  return callerOfPart.getStore();
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a call of a batch may reach this route. */
    inBatch?: boolean;
  }
}

/**
 * Refuses calls of a batch to any route that does not admit them, whatever spelling of an address led there: sign-in,
 * streams, files and pages count and identify their callers themselves. To be called before any route is mounted.
 */
export function keepBatchesInside(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (callerOfBatch() && request.routeOptions.config.inBatch !== true)
      throw new ApiError('InvalidBody', 'A batch cannot make this call. Send it alone.');
    done();
  });
}
