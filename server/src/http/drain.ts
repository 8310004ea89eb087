/** A server that is about to stop: `/readyz` says so to balancers, and each answer ends its connection, while all requests are answered. */
import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';

export interface Drain {
  /** Whether this process is about to stop. */
  isOn(): boolean;
  /** Whether the whole server is about to stop, so that a balancer should send requests elsewhere. */
  isOfAll(): boolean;
  /** `othersGoOn`: other processes of this server take new connections. */
  begin(othersGoOn?: boolean): void;
  /** Called once, when this process begins to stop while others of this server go on. */
  onLeave(leave: () => void): void;
}

export function createDrain(): Drain {
  let on = false;
  let ofAll = false;
  let leave: (() => void) | undefined;
  return {
    isOn: () => on,
    isOfAll: () => ofAll,
    begin(othersGoOn = false) {
      if (othersGoOn && !on) leave?.();
      on = true;
      if (!othersGoOn) ofAll = true;
    },
    onLeave(called) {
      leave = called;
    },
  };
}

export function stopping(): ApiError {
  return new ApiError('Unavailable', 'This server is about to stop. Please use another one, or try again in a moment.');
}

/** Ends connections with their answers, so that the next request of a caller opens one to another server or process. */
export function endConnections(app: FastifyInstance, drain: Drain): void {
  // Not by the HTTP server's own method, which closes idle connections too: a request may be on its way on one of them.
  drain.onLeave(() => void Server.prototype.close.call(app.server));
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
