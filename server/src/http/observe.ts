/** Counts how requests were answered, by the set or the part of the server that they asked, never by a key. */
import type { FastifyInstance } from 'fastify';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Answered } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name under which metrics count the route: pages when left out. */
    measuredAs?: string;
    /** Its answer waits for something to happen, so how long it takes says nothing. */
    waits?: boolean;
  }
}

/** The set that a path of the API names, or which part of the API it is. */
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
