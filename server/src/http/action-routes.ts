/** A route per action: authenticate, limit, authorise, parse the input, run, answer. */
import type { FastifyRequest, onRequestHookHandler, preHandlerHookHandler, RouteHandlerMethod, RouteOptions } from 'fastify';
import { isList, type Action, type LimitName } from '@cloudfit/contract/action.ts';
import { addControlEvidence, importControlSet } from '@cloudfit/contract/actions/compliance.ts';
import { importConfiguration } from '@cloudfit/contract/actions/configuration.ts';
import { acceptPackets } from '@cloudfit/contract/actions/ingest.ts';
import { changeOwnPhoto } from '@cloudfit/contract/actions/session.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import type { ImplementedAction } from '../resources/action.ts';
import { pathParameters, queryOf, routePattern } from './address.ts';
import { plainIssue } from '@cloudfit/contract/plain-issues.ts';
import { unknownProperties } from './form/unknown-properties.ts';
import { readRequest, sendAnswer, sendCount, sendResult, type ApiAnswer } from './answer.ts';
import { measuredAs } from './observe.ts';
import { answerList, countList } from './pages.ts';
import { countCall } from './rate-limit.ts';
import { answerOnce } from './repeat.ts';
import { requireAccess, requireJson, step, type ApiParts, type RawRoute } from './request-steps.ts';

/** Paths whose bodies may be large: a whole batch, a whole configuration, a file. */
const withLargeBody: readonly string[] = [
  acceptPackets.path,
  importConfiguration.path,
  addControlEvidence.path,
  importControlSet.path,
  changeOwnPhoto.path,
];

/** Returns path, query and body as the one input that the action declares; a body that is a list becomes `items`. */
export function inputOf<I>(action: Action<I>, request: FastifyRequest): I {
  const { body } = request;
  if (body !== undefined && (typeof body !== 'object' || body === null))
    throw new ApiError('InvalidBody', 'The body must be a JSON object or a list.');
  const rawQuery = queryOf(request.url);
  const query = Object.fromEntries(isList(action as Action) ? parseOptions(rawQuery).custom : new URLSearchParams(rawQuery));
  const fromBody = Array.isArray(body) ? { items: body } : body;
  const fromPath = pathParameters(request);
  const parsed = action.input.safeParse({ ...query, ...fromBody, ...fromPath }, { error: plainIssue });
  const unknown = isOfAgents(action) ? [] : unknownProperties(action.input, fromBody, Object.keys(fromPath));
  if (parsed.success && unknown.length === 0) return parsed.data;
  if (Array.isArray(body) && unknown.some(({ target }) => target === 'items'))
    throw new ApiError('InvalidBody', 'The body must be a JSON object.');
  const issues = parsed.error?.issues.map(({ path, message }) => ({ target: path.join('.'), message })) ?? [];
  // If a list was expected, errors about properties of another value are useless.
  const isNoList = issues.some(({ target }) => target === 'items');
  throw validationFailed([...issues, ...(isNoList ? [] : unknown)].slice(0, limits.reasons));
}

/**
 * Returns whether agents and integrations make this call, by the scope of a tenant token. Agents may be older or newer
 * than this server, so unknown properties are ignored.
 */
function isOfAgents({ access }: Pick<Action, 'access'>): boolean {
  return typeof access === 'object' && 'scope' in access;
}

function parseInput(action: Action): preHandlerHookHandler {
  return step((request) => {
    request.input = inputOf(action, request);
  });
}

const forbidStoring = step((_request, reply) => void reply.header('cache-control', 'no-store'));

function countCalls(limit: LimitName): preHandlerHookHandler {
  return ({ ctx }, _reply, done) => void countCall(ctx, limit).then(() => done(), done);
}

function route(api: ApiParts, action: Action, handler: RouteHandlerMethod, ...parse: preHandlerHookHandler[]): RouteOptions {
  const caller: readonly onRequestHookHandler[] = action.access === 'anonymous' ? api.anonymous : api.signedIn;
  return {
    method: action.method === 'GET' ? ['GET', 'HEAD'] : [action.method],
    url: routePattern(action.path),
    config: { measuredAs: measuredAs(action.path), ...(action.reads ? { reads: true } : {}) },
    exposeHeadRoute: false,
    ...(withLargeBody.includes(action.path) ? { bodyLimit: 8 * limits.bodyBytes } : {}),
    onRequest: [...caller, requireAccess(action.access), ...(parse.length > 0 ? [requireJson] : [])],
    preHandler: parse,
    handler,
  };
}

function answerOf(result: unknown): ApiAnswer {
  return result === undefined ? { status: 204 } : { status: 200, body: result };
}

/** Returns the routes of an action: one, and for a list a second one for `/$count`. */
export function actionRoutes(api: ApiParts, implemented: ImplementedAction): RouteOptions[] {
  const { action, run, narrow } = implemented;
  const parse = [parseInput(action)];
  if (action.limit) parse.push(countCalls(action.limit));
  if (action.noStore) parse.push(forbidStoring);
  if (narrow) {
    const rows: RouteHandlerMethod = async (request, reply) => {
      const list = readRequest(request, api.origin);
      return sendAnswer(reply, list.form, await api.listSlot(request.ctx, () => answerList(request.ctx, implemented, request.input, list)));
    };
    const count: RouteHandlerMethod = async ({ ctx, input, url }, reply) =>
      sendCount(reply, await api.listSlot(ctx, () => countList(ctx, implemented, input, queryOf(url))));
    return [route(api, action, rows, ...parse), route(api, { ...action, path: `${action.path}/$count` }, count, ...parse)];
  }
  if (!action.repeatable) {
    return [route(api, action, async ({ ctx, input }, reply) => sendResult(reply, await run(ctx, input as never)), ...parse)];
  }
  const once: RouteHandlerMethod = async (request, reply) => {
    const create = readRequest(request, api.origin);
    const answer = await answerOnce(request.ctx, create, async (ctx) => answerOf(await run(ctx, request.input as never)));
    return sendAnswer(reply, create.form, answer);
  };
  return [route(api, action, once, ...parse)];
}

/** Returns the route of a call that reads its own request and writes its own answer. */
export function rawRoute(api: ApiParts, { action, call, waits, answersFile, takesBytes, takesForm }: RawRoute): RouteOptions {
  const options = route(api, action, async (request, reply) => call(request.ctx, request, reply));
  return {
    ...options,
    ...(answersFile ? { compress: false as const } : {}),
    config: { ...options.config, ...(waits ? { waits } : {}), ...(takesBytes ? { takesBytes } : {}), ...(takesForm ? { takesForm } : {}) },
  };
}
