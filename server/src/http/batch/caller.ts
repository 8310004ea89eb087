import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';

/** A call of a batch while it runs. */
export interface RunningPart {
  /** The caller of the batch, with the transaction of the call's group. */
  caller: Ctx;
  /** The body of the answer, once it is sent. */
  body?: Buffer;
}

export const runningPart = new AsyncLocalStorage<RunningPart>();

/** Returns the caller of the batch that the current request is a part of, with the transaction of its group. */
export function callerOfBatch(): Ctx | undefined {
  return runningPart.getStore()?.caller;
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
  // An answer goes to the batch as it is. On its way through a simulated response it would be copied three times, in one turn.
  app.addHook('onSend', (_request, _reply, payload, done) => {
    const part = runningPart.getStore();
    if (!part || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return done(null, payload);
    part.body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
    done(null, null);
  });
}
