/** Names what a request asked for, without keys, and tells how it was answered. */
import type { FastifyInstance } from 'fastify';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Answered } from './metrics.ts';
import { parsePath, splitKey } from './path.ts';

function routeOf(url: string): string {
  if (/^\/(?:idp|healthz|readyz)\b/i.test(url)) return url.split(/[/?]/)[1]?.toLowerCase() ?? 'portal';
  try {
    const path = parsePath(url);
    if (!path) return 'portal';
    return findResource(splitKey(path.segments[0] ?? '').name)?.name ?? `${path.root} call`;
  } catch {
    return 'portal';
  }
}

/** Streams of changes and long polls are left out: how long they last says nothing. */
export function observe(app: FastifyInstance, answered: (answer: Answered) => void): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    if (/\/(?:changes|configuration)\b/i.test(url)) return;
    answered({ method, route: routeOf(url), status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
  });
}
