/** Everything under `/v1` and `/api`: a route per action and per call of a resource, each with its steps. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Action } from '@cloudfit/contract/action.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { findResource, resources } from '@cloudfit/contract/resources/registry.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { HopCounts } from '../context/hop-count.ts';
import type { Database } from '../db/connection.ts';
import type { Implemented } from '../resources/action.ts';
import { actionRoutes, rawRoute } from './action-routes.ts';
import { nothingHere, plainPath } from './address.ts';
import { measuredAs } from './observe.ts';
import { createBuckets, createListSlots, usualRates, type Rates } from './rate-limit.ts';
import {
  admitAnonymous,
  authenticate,
  headChangesNothing,
  requireSupported,
  startAnswer,
  step,
  type ApiParts,
  type RawRoute,
} from './request-steps.ts';
import { resourceRoutes } from './resource-routes.ts';

export interface ApiOptions {
  authenticator: Authenticator;
  hopCounts: HopCounts;
  database: Database;
  actions: readonly Implemented[];
  rawRoutes: readonly RawRoute[];
  publicUrl: string;
  /** Defaults to the usual limits. */
  rates?: Rates;
}

/** 501 like for every unsupported call, but only sets have a `$count`: that of a row is 404. */
const requireKnownSegments = step((request) => {
  const path = plainPath(request.url);
  const [, , set = '', ...rest] = path.split('/');
  const isCountOfRow = rest.length === 2 && rest[1]?.toLowerCase() === '$count' && findResource(set) !== undefined;
  if (!isCountOfRow) requireSupported(path);
});

/** Calls without a route: 501, 405 or 404 for authenticated callers. Others get 401, so they do not learn which addresses exist. */
function unknownCalls(api: ApiParts, actions: readonly Action[]): RouteOptions[] {
  // A function of a set has the form of a row's key, so it has no route of its own.
  const paths = actions
    .filter(({ path }) => !path.includes('('))
    .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i'));
  return ['/v1/*', '/api', '/api/*'].map((url) => ({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    config: { measuredAs: measuredAs(url) },
    exposeHeadRoute: false,
    onRequest: [...api.signedIn, requireKnownSegments],
    handler: async ({ method, url }) => {
      const path = plainPath(url);
      const [, root, set = '', key, ...more] = path.split('/');
      const resource = root?.toLowerCase() === 'v1' && more.length === 0 ? findResource(set) : undefined;
      if (resource) throw notOffered(`${method} is not offered for ${resource.plural}${key === undefined ? '' : ' by key'}.`);
      if (paths.some((one) => one.test(path))) throw notOffered(`${method} is not offered here.`);
      throw nothingHere();
    },
  }));
}

function notOffered(message: string): ApiError {
  return new ApiError('MethodNotAllowed', message);
}

export function mountApi(app: FastifyInstance, options: ApiOptions): void {
  const takeFromBucket = createBuckets(options.rates ?? usualRates);
  const limit = step((request) => takeFromBucket(request.ctx));
  const api: ApiParts = {
    signedIn: [startAnswer, authenticate(options.authenticator, options.hopCounts), limit, headChangesNothing],
    anonymous: [startAnswer, admitAnonymous(options.database), limit, headChangesNothing],
    origin: options.publicUrl,
    listSlot: createListSlots(),
  };
  const actions = [...options.rawRoutes.map((raw) => rawRoute(api, raw)), ...options.actions.flatMap((one) => actionRoutes(api, one))];
  for (const route of actions) app.route(route);
  // An action replaces a resource's call at its address.
  for (const route of resources.flatMap((resource) => resourceRoutes(api, resource))) {
    const method = [route.method].flat().filter((one) => !app.hasRoute({ method: one, url: route.url }));
    if (method.length > 0) app.route({ ...route, method });
  }
  for (const route of unknownCalls(
    api,
    [...options.rawRoutes, ...options.actions].map(({ action }) => action),
  ))
    app.route(route);
}
