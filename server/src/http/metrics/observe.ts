/** Counts answers by the requested set or part of the server, never by a key. */
import type { FastifyInstance } from 'fastify';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { AnsweredRequest } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's name in metrics; by default `portal`. */
    measuredAs?: string;
    /** The answer waits for an event, so metrics leave it out. */
    waits?: boolean;
  }
}

/** Returns the name of a path in metrics: its set, or `v1 call` or `api call` without a set. */
export function measuredAs(path: string): string {
  const [, root = '', set = ''] = path.split('/');
  return (root === 'v1' ? findResource(set)?.name : undefined) ?? `${root} call`;
}

export function observe(app: FastifyInstance, answered: (answer: AnsweredRequest) => void): void {
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    const { measuredAs: route = 'portal', waits = false } = routeOptions.config;
    if (!waits) answered({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
  });
}
