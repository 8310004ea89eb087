/** A route per action: authenticate, limit, authorise, parse the input, run, answer. */
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod, RouteOptions } from 'fastify';
import { z } from 'zod';
import { isList, type Action } from '@cloudfit/contract/action.ts';
import { addControlEvidence, importControlSet } from '@cloudfit/contract/actions/compliance.ts';
import { convertConfiguration, importConfiguration } from '@cloudfit/contract/actions/configuration.ts';
import { importList } from '@cloudfit/contract/configuration/import-list.ts';
import { acceptPackets } from '@cloudfit/contract/actions/ingest.ts';
import { changeOwnPhoto } from '@cloudfit/contract/actions/session.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import type { ImplementedAction, ImplementedList, ParseInput } from '../resources/action.ts';
import { pathParameters, queryOf, routePattern } from './address.ts';
import { plainIssue } from '@cloudfit/contract/plain-issues.ts';
import { prefersCsv } from './form/negotiate.ts';
import { optionsOf } from './form/query-options.ts';
import { unknownProperties } from '../resources/unknown-properties.ts';
import { readRequest, sendAnswer, sendCount, sendResult, type ApiAnswer } from './answer.ts';
import { measuredAs } from './metrics/observe.ts';
import { answerList, countList } from './pages.ts';
import { countCall } from './rate-limit.ts';
import { answerOnce } from './repeat.ts';
import { requireAccess, requireJson, step, type ApiParts, type RawRoute } from './request-steps.ts';
import { readsStandby } from './standby-reads.ts';

/** Paths whose bodies may be large: a whole batch, a whole configuration, a file. */
const withLargeBody: readonly string[] = [
  acceptPackets.path,
  importConfiguration.path,
  convertConfiguration.path,
  importList.path,
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
  const parameters = isList(action as Action) ? parseOptions(rawQuery).custom : new URLSearchParams(rawQuery);
  const query = Object.fromEntries([...parameters].map(([name, value]) => [declaredName(action, name), value]));
  const fromBody = Array.isArray(body) ? { items: body } : body;
  const fromPath = pathParameters(request);
  const parsed = action.input.safeParse(
    { ...formOf(action, request, rawQuery), ...query, ...fromBody, ...fromPath },
    { error: plainIssue },
  );
  const unknown = isOfAgents(action) ? [] : unknownProperties(action.input, fromBody, Object.keys(fromPath));
  if (parsed.success && unknown.length === 0) return parsed.data;
  if (Array.isArray(body) && unknown.some(({ target }) => target === 'items'))
    throw new ApiError('InvalidBody', 'The body must be a JSON object.');
  const issues = parsed.error?.issues.map(({ path, message }) => ({ target: path.join('.'), message })) ?? [];
  // If a list was expected, errors about properties of another value are useless.
  const isNoList = issues.some(({ target }) => target === 'items');
  throw validationFailed([...issues, ...(isNoList ? [] : unknown)].slice(0, limits.reasons));
}

/** What `Accept` says of the `format` of an answer that the input does not name. */
function formOf({ input }: Pick<Action, 'input'>, { headers }: FastifyRequest, rawQuery: string): { format?: 'csv' } {
  const format: unknown = input instanceof z.ZodObject ? input.shape['format'] : undefined;
  const hasCsv = format instanceof z.ZodType && format.safeParse('csv').success;
  return hasCsv && prefersCsv(headers, rawQuery) ? { format: 'csv' } : {};
}

/** The name of the parameter in the declaration: names in addresses are read without case, as paths are. */
function declaredName({ input }: Pick<Action, 'input'>, name: string): string {
  if (!(input instanceof z.ZodObject) || Object.hasOwn(input.shape, name)) return name;
  return Object.keys(input.shape).find((declared) => declared.toLowerCase() === name.toLowerCase()) ?? name;
}

/**
 * Returns whether agents and integrations make this call, by the scope of a tenant token. Agents may be older or newer
 * than this server, so unknown properties are ignored.
 */
function isOfAgents({ access }: Pick<Action, 'access'>): boolean {
  return typeof access === 'object' && 'scope' in access;
}

/** Returns a handler that parses the input before the call counts, so that a wrong one counts nothing, and then answers. */
function handler<Call>(
  { limit, noStore }: Action,
  bind: (parse: ParseInput) => Call,
  answer: (call: Call, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): RouteHandlerMethod {
  return async (request, reply) => {
    const call = bind((action) => inputOf(action, request));
    if (limit) await countCall(request.ctx, limit);
    if (noStore) void reply.header('cache-control', 'no-store');
    return answer(call, request, reply);
  };
}

function route(api: ApiParts, action: Action, handler: RouteHandlerMethod, ...beforeBody: onRequestHookHandler[]): RouteOptions {
  const caller: readonly onRequestHookHandler[] = action.access === 'anonymous' ? api.anonymous : api.signedIn;
  const requireDeclared = optionsOf(action);
  const elsewhere = readsStandby(action) ? [api.standby.elsewhere] : [];
  return {
    method: action.method === 'GET' ? ['GET', 'HEAD'] : [action.method],
    url: routePattern(action.path),
    config: { measuredAs: measuredAs(action.path), inBatch: action.access !== 'anonymous', ...(action.reads ? { reads: true } : {}) },
    exposeHeadRoute: false,
    ...(withLargeBody.includes(action.path) ? { bodyLimit: 8 * limits.bodyBytes } : {}),
    onRequest: [...caller, requireAccess(action.access), step(({ url }) => requireDeclared(queryOf(url))), ...beforeBody, ...elsewhere],
    handler,
  };
}

function answerOf(result: unknown): ApiAnswer {
  return result === undefined ? { status: 204 } : { status: 200, body: result };
}

function listRoutes(api: ApiParts, list: ImplementedList): RouteOptions[] {
  const { action, bindRows } = list;
  const page = handler(action, bindRows, async (rows, request, reply) => {
    const read = readRequest(request, api.origin);
    return sendAnswer(reply, read.form, await api.listSlot(request.ctx, () => answerList(request.ctx, list, rows, read)));
  });
  const count = handler(action, bindRows, async (rows, { ctx, url }, reply) =>
    sendCount(reply, await api.listSlot(ctx, () => countList(ctx, list, rows, queryOf(url)))),
  );
  return [route(api, action, page, requireJson), route(api, { ...action, path: `${action.path}/$count` }, count, requireJson)];
}

/** Returns the routes of an action: one, and for a list a second one for `/$count`. */
export function actionRoutes(api: ApiParts, implemented: ImplementedAction): RouteOptions[] {
  if ('bindRows' in implemented) return listRoutes(api, implemented);
  const { action, bind } = implemented;
  const answer = action.repeatable
    ? handler(action, bind, async (run, request, reply) => {
        const create = readRequest(request, api.origin);
        return sendAnswer(reply, create.form, await answerOnce(request.ctx, create, async (ctx) => answerOf(await run(ctx))));
      })
    : handler(action, bind, async (run, { ctx }, reply) => sendResult(reply, await run(ctx)));
  return [route(api, action, answer, requireJson)];
}

/** Returns the route of a call that reads its own request and writes its own answer. */
export function rawRoute(api: ApiParts, { action, call, waits, answersFile, takesBytes, takesForm, inBatch }: RawRoute): RouteOptions {
  const options = route(api, action, async (request, reply) => call(request.ctx, request, reply));
  return {
    ...options,
    ...(answersFile ? { compress: false as const } : {}),
    config: {
      ...options.config,
      inBatch: inBatch === true,
      ...(waits ? { waits } : {}),
      ...(takesBytes ? { takesBytes } : {}),
      ...(takesForm ? { takesForm } : {}),
    },
  };
}
