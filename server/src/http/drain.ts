/** A server that is about to stop: `/readyz` says so to balancers, and each answer ends its connection, while all requests are answered. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';

export interface Drain {
  /** Whether this process is about to stop. */
  isOn(): boolean;
  /** Whether the whole server is about to stop, so that a balancer should send requests elsewhere. */
  isOfAll(): boolean;
  /** `othersGoOn`: other processes of this server take new connections. */
  begin(othersGoOn?: boolean): void;
}

export function createDrain(): Drain {
  let on = false;
  let ofAll = false;
  return {
    isOn: () => on,
    isOfAll: () => ofAll,
    begin(othersGoOn = false) {
      on = true;
      if (!othersGoOn) ofAll = true;
    },
  };
}

export function stopping(): ApiError {
  return new ApiError('Unavailable', 'This server is about to stop. Please use another one, or try again in a moment.');
}

/** Ends connections with their answers, so that the next request of a caller opens one to another server. */
export function endConnections(app: FastifyInstance, drain: Drain): void {
  // Answers that are written past the framework have no other moment.
  app.addHook('onRequest', (_request, reply, done) => {
    if (drain.isOn()) reply.raw.setHeader('connection', 'close');
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (drain.isOn()) void reply.header('connection', 'close');
    done(null, payload);
  });
}
