/** Everything under `/v1` and `/api`: a route per action and per call of a resource, each with its steps. */
import type { FastifyInstance, HTTPMethods, RouteHandlerMethod, RouteOptions } from 'fastify';
import { agentToken } from '@cloudfit/contract/actions/agent.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { findResource, resources } from '@cloudfit/contract/resources/registry.ts';
import type { Database } from '../db/connection.ts';
import type { ImplementedAction } from '../resources/action.ts';
import { servedNamed } from '../resources/served.ts';
import { actionRoutes, rawRoute } from './action-routes.ts';
import { nothingHere, plainPath, queryOf, unquoted } from './address.ts';
import { readRequest, sendAnswer } from './answer.ts';
import { batchRoute } from './batch/batch.ts';
import { allowOrigins } from './form/cors.ts';
import { ofLists, requireOptions, takenByLists, takenByWrites } from './form/query-options.ts';
import { answerBelowRow } from './below-row/navigation.ts';
import { measuredAs } from './observe.ts';
import { createBuckets, createListSlots, usualRates, type Rates } from './rate-limit.ts';
import { writesBelowRow } from './below-row/related-writes.ts';
import {
  admitAnonymous,
  authenticate,
  readsChangeNothing,
  requireJson,
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
  actions: readonly ImplementedAction[];
  rawRoutes: readonly RawRoute[];
  publicUrl: string;
  /** The version of the product, which each answer names; none without it. */
  version?: string;
  /** Origins of other pages that may call; `*` is every origin. Default: none. */
  corsOrigins?: readonly string[];
  /** Defaults to the usual limits. */
  rates?: Rates;
}

/**
 * Throws 501 for segments that this version does not support; used for addresses without a route. `$count` and `$value`
 * may end a path below a row.
 */
function requireKnownSegments(path: string): void {
  const segments = path.split('/');
  const isBelowRow =
    segments.length > 4 && /^\$(?:count|value)$/i.test(segments.at(-1) ?? '') && findResource(segments[2] ?? '') !== undefined;
  requireSupported((isBelowRow ? segments.slice(0, -1) : segments).join('/'));
}

const allMethods: readonly HTTPMethods[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns each address of the routes with its methods; the names of parameters do not distinguish addresses. */
function addressesOf(routes: readonly RouteOptions[]): { url: string; methods: HTTPMethods[] }[] {
  const addresses = new Map<string, { url: string; methods: HTTPMethods[] }>();
  for (const { url, method } of routes) {
    const shape = url.toLowerCase().replaceAll(/:\w+/g, ':');
    const address = addresses.get(shape) ?? { url, methods: [] };
    address.methods.push(...[method].flat());
    addresses.set(shape, address);
  }
  return [...addresses.values()];
}

/**
 * Returns routes that answer 405 to the methods that an address does not have, and 204 to OPTIONS. Without these
 * routes, `GET /v1/rules/backtest` would read the rule with the key `backtest`.
 */
function otherMethods(api: ApiParts, routes: readonly RouteOptions[]): RouteOptions[] {
  return addressesOf(routes).map(({ url, methods }) => {
    const allowed = methods.toSorted().join(', ');
    const answer: RouteHandlerMethod = async (_request, reply) => reply.code(204).header('allow', allowed).send();
    const refuse = step(({ method, url: called }, reply) => {
      if (!url.includes('$')) requireSupported(plainPath(called));
      if (method === 'OPTIONS') return;
      void reply.header('allow', allowed);
      throw notOffered(`${method} is not offered here; this address takes ${allowed}.`);
    });
    return {
      method: allMethods.filter((method) => !methods.includes(method)),
      url,
      config: { measuredAs: measuredAs(url), inBatch: true },
      exposeHeadRoute: false,
      onRequest: [...api.signedIn, refuse],
      handler: answer,
    };
  });
}

/**
 * Returns routes for calls without a separate route: paths below a row, and 501, 405 or 404 for authenticated callers.
 * `mounted`: the methods and addresses that the engine answers, by which related lists are written.
 * Unauthenticated callers get 401, so that they do not learn which addresses exist.
 */
function otherCalls(api: ApiParts, mounted: ReadonlySet<string>): RouteOptions[] {
  const requireKnown = step(({ url }) => requireKnownSegments(plainPath(url)));
  return ['/v1/*', '/api', '/api/*'].map((url) => ({
    method: [...allMethods],
    url,
    config: { measuredAs: measuredAs(url), inBatch: true },
    exposeHeadRoute: false,
    onRequest: [...api.signedIn, requireKnown, requireJson],
    handler: async (request, reply) => {
      const { method, ctx } = request;
      const [, root, set = '', key, ...below] = plainPath(request.url).split('/');
      const resource = root?.toLowerCase() === 'v1' ? findResource(set) : undefined;
      if (resource?.verbs.includes('list') !== true || key === undefined || below.length === 0) throw nothingHere();
      const isRead = method === 'GET' || method === 'HEAD';
      const writes = writesBelowRow(servedNamed(resource.name), unquoted(key), below, (item, url) => mounted.has(`${item} ${url}`));
      const isWrite = writes?.methods.some((candidate) => candidate === method) === true;
      const allowed = ['GET', 'HEAD', ...(writes?.methods ?? [])].join(', ');
      if (!isRead && !isWrite) void reply.header('allow', allowed);
      if (method === 'OPTIONS') return reply.code(204).send();
      if (!isRead && !isWrite) throw notOffered(`${method} is not offered here; this address takes ${allowed}.`);
      if (writes && isWrite) {
        requireOptions(queryOf(request.url), takenByWrites);
        const call = readRequest(request, api.origin);
        return sendAnswer(reply, call.form, await writes.answer(ctx, call));
      }
      const call = readRequest(request, api.origin);
      requireOptions(call.rawQuery, takenByLists, ofLists);
      const answer = await api.listSlot(ctx, () => answerBelowRow(ctx, servedNamed(resource.name), call, unquoted(key), below));
      return sendAnswer(reply, call.form, answer);
    },
  }));
}

function notOffered(message: string): ApiError {
  return new ApiError('MethodNotAllowed', message);
}

export function mountApi(app: FastifyInstance, options: ApiOptions): void {
  const takeFromBucket = createBuckets(options.rates ?? usualRates);
  const limit = step((request) => takeFromBucket(request.ctx, request.routeOptions.url === agentToken.path));
  const { corsOrigins = [], version } = options;
  const start = [
    startAnswer,
    ...(version === undefined ? [] : [step((_request, reply) => void reply.header('cloudfit-version', version))]),
    ...(corsOrigins.length > 0 ? [allowOrigins(corsOrigins)] : []),
  ];
  const api: ApiParts = {
    signedIn: [...start, authenticate(options), limit, seeAs(options.database), readsChangeNothing],
    anonymous: [...start, admitAnonymous(options.database), limit, readsChangeNothing],
    origin: options.publicUrl,
    listSlot: createListSlots(),
  };
  const routes = [...options.rawRoutes.map((raw) => rawRoute(api, raw)), ...options.actions.flatMap((action) => actionRoutes(api, action))];
  for (const route of routes) app.route(route);
  const mounted = new Set<string>();
  // An action at the address and method of a resource's call replaces that call.
  for (const route of resources.flatMap((resource) => resourceRoutes(api, resource))) {
    const method = [route.method].flat().filter((item) => !app.hasRoute({ method: item, url: route.url }));
    if (method.length === 0) continue;
    const rest = { ...route, method };
    for (const one of method) mounted.add(`${one} ${route.url}`);
    app.route(rest);
    routes.push(rest);
  }
  const batch = batchRoute(app, api);
  app.route(batch);
  routes.push(batch);
  for (const route of [...otherMethods(api, routes), ...otherCalls(api, mounted)]) app.route(route);
}
