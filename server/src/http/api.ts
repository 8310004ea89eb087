/** Everything under `/v1` and `/api`: a route per action and per call of a resource, each with its steps. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { agentToken } from '@cloudfit/contract/actions/agent.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { findResource, resources } from '@cloudfit/contract/resources/registry.ts';
import type { Database } from '../db/connection.ts';
import type { Implemented } from '../resources/action.ts';
import { servedNamed } from '../resources/served.ts';
import { actionRoutes, rawRoute } from './action-routes.ts';
import { nothingHere, plainPath, unquoted } from './address.ts';
import { readRequest, sendAnswer } from './answer.ts';
import { batchRoute } from './batch/batch.ts';
import { answerBelowRow } from './navigation.ts';
import { measuredAs } from './observe.ts';
import { createBuckets, createListSlots, usualRates, type Rates } from './rate-limit.ts';
import {
  admitAnonymous,
  authenticate,
  headChangesNothing,
  requireSupported,
  seeAs,
  startAnswer,
  step,
  type ApiParts,
  type CallerParts,
  type RawRoute,
} from './request-steps.ts';
import { resourceRoutes } from './resource-routes.ts';

export interface ApiOptions extends CallerParts {
  database: Database;
  actions: readonly Implemented[];
  rawRoutes: readonly RawRoute[];
  publicUrl: string;
  /** Defaults to the usual limits. */
  rates?: Rates;
}

/** 501 like for every unsupported call, but not where other methods have a route, and `$count` and `$value` may end a path below a row. */
function requireKnownSegments(path: string): void {
  const segments = path.split('/');
  const isBelowRow =
    segments.length > 4 && /^\$(?:count|value)$/i.test(segments.at(-1) ?? '') && findResource(segments[2] ?? '') !== undefined;
  requireSupported((isBelowRow ? segments.slice(0, -1) : segments).join('/'));
}

/** The methods of the routes at a path, as the `Allow` header lists them. */
function methodsByPath(routes: readonly RouteOptions[]): (path: string) => string[] {
  const patterns = routes.map(({ url, method }) => ({
    pattern: new RegExp(`^${url.replaceAll('$', String.raw`\$`).replaceAll(/:\w+/g, '[^/$][^/]*')}$`, 'i'),
    method,
  }));
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ method }) => method))].toSorted();
}

/**
 * Calls without a route of their own: paths below a row, and 501, 405 or 404 for authenticated callers. Others get 401,
 * so they do not learn which addresses exist.
 */
function otherCalls(api: ApiParts, routes: readonly RouteOptions[]): RouteOptions[] {
  const methodsAt = methodsByPath(routes);
  const requireKnown = step(({ url }) => {
    const path = plainPath(url);
    if (methodsAt(path).length === 0) requireKnownSegments(path);
  });
  return ['/v1/*', '/api', '/api/*'].map((url) => ({
    method: ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    config: { measuredAs: measuredAs(url) },
    exposeHeadRoute: false,
    onRequest: [...api.signedIn, requireKnown],
    handler: async (request, reply) => {
      const { method, ctx } = request;
      const path = plainPath(request.url);
      const [, root, set = '', key, ...below] = path.split('/');
      const resource = root?.toLowerCase() === 'v1' ? findResource(set) : undefined;
      const isBelowRow = resource?.verbs.includes('list') === true && key !== undefined && below.length > 0;
      const here = methodsAt(path);
      const allowed = here.length === 0 && isBelowRow ? ['GET', 'HEAD'] : here;
      if (allowed.length > 0 || (resource && below.length === 0)) void reply.header('allow', allowed.join(', '));
      if (method === 'OPTIONS' && allowed.length > 0) return reply.code(204).send();
      if (here.length === 0 && isBelowRow && (method === 'GET' || method === 'HEAD')) {
        const call = readRequest(request, api.origin);
        const answer = await api.listSlot(ctx, () => answerBelowRow(ctx, servedNamed(resource.name), call, unquoted(key), below));
        return sendAnswer(reply, call.form, answer);
      }
      if (resource && below.length === 0)
        throw notOffered(`${method} is not offered for ${resource.plural}${key === undefined ? '' : ' by key'}.`);
      if (allowed.length > 0) throw notOffered(`${method} is not offered here.`);
      throw nothingHere();
    },
  }));
}

function notOffered(message: string): ApiError {
  return new ApiError('MethodNotAllowed', message);
}

export function mountApi(app: FastifyInstance, options: ApiOptions): void {
  const takeFromBucket = createBuckets(options.rates ?? usualRates);
  const limit = step((request) => takeFromBucket(request.ctx, request.routeOptions.url === agentToken.path));
  const api: ApiParts = {
    signedIn: [startAnswer, authenticate(options), limit, seeAs(options.database), headChangesNothing],
    anonymous: [startAnswer, admitAnonymous(options.database), limit, headChangesNothing],
    origin: options.publicUrl,
    listSlot: createListSlots(),
  };
  const routes = [...options.rawRoutes.map((raw) => rawRoute(api, raw)), ...options.actions.flatMap((one) => actionRoutes(api, one))];
  for (const route of routes) app.route(route);
  // An action replaces a resource's call at its address.
  for (const route of resources.flatMap((resource) => resourceRoutes(api, resource))) {
    const method = [route.method].flat().filter((one) => !app.hasRoute({ method: one, url: route.url }));
    if (method.length === 0) continue;
    const rest = { ...route, method };
    app.route(rest);
    routes.push(rest);
  }
  const batch = batchRoute(app, api);
  app.route(batch);
  routes.push(batch);
  for (const route of otherCalls(api, routes)) app.route(route);
}
