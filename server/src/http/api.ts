/** Everything under `/v1` and `/api`: a route per action and per call of a resource, each with its steps. */
import type { FastifyInstance, FastifyRequest, HTTPMethods, onRequestAsyncHookHandler, RouteOptions } from 'fastify';
import { agentToken } from '@cloudfit/contract/actions/agent.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { findResource, resources } from '@cloudfit/contract/resources/registry.ts';
import type { Database } from '../db/connection.ts';
import type { RecentWriters } from '../db/standby/writers.ts';
import type { ImplementedAction } from '../resources/action.ts';
import { servedNamed } from '../resources/served.ts';
import { actionRoutes, rawRoute } from './action-routes.ts';
import { nothingHere, plainPath, queryOf, unquoted } from './address.ts';
import { readRequest, sendAnswer } from './answer.ts';
import { batchRoute } from './batch/batch.ts';
import { allowOrigins } from './form/cors.ts';
import { ofLists, requireOptions, takenByLists, takenByWrites } from './form/query-options.ts';
import { answerBelowRow } from './below-row/navigation.ts';
import { mcpRoutes } from './mcp/mcp-route.ts';
import { measuredAs } from './metrics/observe.ts';
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
import { noteWriters, noticesWrites, standbyReads } from './standby-reads.ts';

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
  /** Who has written lately; only with a standby. */
  writers?: RecentWriters | undefined;
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

interface OfferedAddress {
  url: string;
  /** The segments of the address; `:` is a parameter. */
  shape: readonly string[];
  methods: HTTPMethods[];
}

const shapeOf = (url: string): string => url.toLowerCase().replaceAll(/:\w+/g, ':');

/** Returns each address of the routes with its methods, fixed segments first; the names of parameters do not distinguish addresses. */
function addressesOf(routes: readonly RouteOptions[]): OfferedAddress[] {
  const addresses = new Map<string, OfferedAddress>();
  for (const { url, method } of routes) {
    const shape = shapeOf(url);
    const address = addresses.get(shape) ?? { url, shape: shape.split('/'), methods: [] };
    address.methods.push(...[method].flat());
    addresses.set(shape, address);
  }
  const inOrder = [...addresses].map(([shape, address]) => ({ order: shape.replaceAll(':', '~'), address }));
  return inOrder.toSorted((a, b) => (a.order < b.order ? -1 : 1)).map(({ address }) => address);
}

/** Whether the fixed segments and parameters of an address take these segments. */
function takes({ shape }: OfferedAddress, segments: readonly string[]): boolean {
  return shape.length === segments.length && shape.every((segment, i) => segment === ':' || segment === segments[i]);
}

/** Returns the step that refuses a method which the address does not have, and answers OPTIONS. */
function refuseMethod(addressOf: (request: FastifyRequest) => OfferedAddress | undefined): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const address = addressOf(request);
    if (!address) return;
    const { method, url } = request;
    if (!address.url.includes('$')) requireSupported(plainPath(url));
    const allowed = address.methods.toSorted().join(', ');
    void reply.header('allow', allowed);
    if (method !== 'OPTIONS') throw notOffered(`${method} is not offered here; this address takes ${allowed}.`);
    await reply.code(204).send();
  };
}

/**
 * Returns routes that answer a method that an address does not have, where another address would take the call: without them,
 * `GET /v1/rules/backtest` would read the rule with the key `backtest`. All other calls reach `otherCalls`; a route for each of
 * them would more than double the routes.
 */
function otherMethods(api: ApiParts, addresses: readonly OfferedAddress[]): RouteOptions[] {
  const withParameters = addresses.filter(({ shape }) => shape.includes(':'));
  return addresses.flatMap((address) => {
    const { url, shape, methods } = address;
    const reachesOthers = ['v1', 'api'].includes(shape[1] ?? '') && shape.length > 2;
    const methodsOfOthers = new Set(withParameters.filter((other) => takes(other, shape)).flatMap((other) => other.methods));
    const method = allMethods.filter((item) => !methods.includes(item) && (!reachesOthers || methodsOfOthers.has(item)));
    if (method.length === 0) return [];
    return {
      method,
      url,
      config: { measuredAs: measuredAs(url), inBatch: true },
      exposeHeadRoute: false,
      onRequest: [...api.signedIn, refuseMethod(() => address)],
      handler: () => undefined,
    };
  });
}

/**
 * Returns routes for calls without a separate route: paths below a row, and 501, 405 or 404 for authenticated callers.
 * `mounted`: the methods and addresses that the engine answers, by which related lists are written.
 * Unauthenticated callers get 401, so that they do not learn which addresses exist.
 */
function otherCalls(api: ApiParts, addresses: readonly OfferedAddress[], mounted: ReadonlySet<string>): RouteOptions[] {
  const refuseOther = refuseMethod(({ url }) => {
    const segments = decodeURI(plainPath(url)).toLowerCase().split('/');
    return addresses.find((address) => takes(address, segments));
  });
  const requireKnown = step(({ url }) => requireKnownSegments(plainPath(url)));
  return ['/v1/*', '/api', '/api/*'].map((url) => ({
    method: [...allMethods],
    url,
    config: { measuredAs: measuredAs(url), inBatch: true },
    exposeHeadRoute: false,
    onRequest: [...api.signedIn, refuseOther, requireKnown, requireJson],
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
      const reads = api.standby.readsOf(ctx);
      const answer = await api.listSlot(reads, () => answerBelowRow(reads, servedNamed(resource.name), call, unquoted(key), below));
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
  const { corsOrigins = [], version, writers } = options;
  if (writers) noteWriters(app, writers);
  const start = [
    startAnswer,
    ...(version === undefined ? [] : [step((_request, reply) => void reply.header('cloudfit-version', version))]),
    ...(corsOrigins.length > 0 ? [allowOrigins(corsOrigins)] : []),
  ];
  const api: ApiParts = {
    signedIn: [...start, authenticate(options), limit, seeAs(options.database), readsChangeNothing, ...(writers ? [noticesWrites] : [])],
    anonymous: [...start, admitAnonymous(options.database), limit, readsChangeNothing],
    origin: options.publicUrl,
    listSlot: createListSlots(),
    standby: standbyReads(options.database, writers),
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
  for (const route of mcpRoutes(app, api, version ?? '')) app.route(route);
  const batch = batchRoute(app, api);
  app.route(batch);
  routes.push(batch);
  const addresses = addressesOf(routes);
  for (const route of [...otherMethods(api, addresses), ...otherCalls(api, addresses, mounted)]) app.route(route);
}
