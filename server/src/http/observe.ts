/** Counts answers by the requested set or part of the server, never by a key. */
import type { FastifyInstance } from 'fastify';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Answered } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's name in metrics; by default that of pages. */
    measuredAs?: string;
    /** The answer waits for an event, so its duration is not measured. */
    waits?: boolean;
  }
}

/** The set in a path of the API, or the name of the part of the API. */
export function measuredAs(path: string): string {
  const [, root = '', set = ''] = path.split('/');
  return (root === 'v1' ? findResource(set)?.name : undefined) ?? `${root} call`;
}

export function observe(app: FastifyInstance, answered: (answer: Answered) => void): void {
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    const { measuredAs: route = 'portal', waits = false } = routeOptions.config;
    if (!waits) answered({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
  });
}
