/** Everything under `/v1` and `/api`: who asks, which action or resource, what it answers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import type { Ctx } from '../ctx.ts';
import type { Database } from '../db/connection.ts';
import { parseActionInput, requireAccess, type ActionFinder } from './actions.ts';
import { parsePath, type ApiPath } from './path.ts';
import type { Answer, Asked } from './answer.ts';
import { answerList } from './pages.ts';
import { countCall, createBuckets, createListSlots, usualRates, type Rates } from './rate-limit.ts';
import { answerOnce } from './repeat.ts';
import { answerResource, resourceTarget } from './resources.ts';

/** A call that needs the request itself: a stream, an ETag, a body of its own form. */
export type RawCall = (ctx: Ctx, request: FastifyRequest, reply: FastifyReply, path: ApiPath) => Promise<unknown>;

export interface ApiOptions {
  authenticator: Authenticator;
  database: Database;
  findAction: ActionFinder;
  /** By `METHOD path` in lower case, the path as in the action's declaration. */
  rawCalls: ReadonlyMap<string, RawCall>;
  publicUrl: string;
  /** The usual ones when left out. */
  rates?: Rates;
}

/** The options, and what is counted per caller. */
interface Api extends ApiOptions {
  take: (ctx: Ctx) => void;
  listSlot: ReturnType<typeof createListSlots>;
}

export function anonymousCtx(database: Database, log: Logger, correlationId: string, address: string): Ctx {
  return {
    actor: { kind: 'system', id: null, name: 'anonymous' },
    tenants: [],
    permissions: new Map(),
    db: database.scoped([]),
    now: () => new Date(),
    log,
    correlationId,
    address,
  };
}

async function callerOf(options: Api, request: FastifyRequest): Promise<Ctx> {
  const ctx = await options.authenticator.authenticate({
    authorization: request.headers.authorization,
    address: request.ip,
    correlationId: request.id,
    log: request.log as Logger,
  });
  options.take(ctx);
  return ctx;
}

function strangerOf(options: Api, request: FastifyRequest): Ctx {
  const ctx = anonymousCtx(options.database, request.log as Logger, request.id, request.ip);
  options.take(ctx);
  return ctx;
}

/** What OData clients may ask for and this version cannot do is said, never passed over. */
function requireSupported(path: ApiPath): void {
  const segment = path.segments.find((s) => s.startsWith('$'));
  if (segment) throw new ApiError('NotImplemented', `${segment} is not supported.`, { target: segment });
}

async function answer(options: Api, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const path = parsePath(request.url);
  if (!path || request.url.length > limits.urlLength)
    throw new ApiError(path ? 'UriTooLong' : 'NotFound', path ? 'The address is too long.' : 'There is nothing at this address.');
  const { method } = request;
  const asked: Asked = { method, path, body: request.body, headers: request.headers, origin: options.publicUrl };
  const found = options.findAction(method === 'HEAD' ? 'GET' : method, path);
  if (found && found !== 'other-method') {
    const { action, run } = found.implemented;
    const ctx = action.access === 'anonymous' ? strangerOf(options, request) : await callerOf(options, request);
    requireAccess(ctx, action.access);
    const raw = options.rawCalls.get(`${action.method} ${action.path}`.toLowerCase());
    if (raw) return raw(ctx, request, reply, path);
    const input = parseActionInput(found, path, request.body);
    if (action.limit) await countCall(ctx, action.limit);
    if (action.noStore) void reply.header('cache-control', 'no-store');
    if (found.implemented.narrow) return send(reply, await options.listSlot(ctx, () => answerList(ctx, found.implemented, input, asked)));
    if (action.repeatable) return send(reply, await answerOnce(ctx, asked, async (ctx) => answerOf(await run(ctx, input as never))));
    return send(reply, answerOf(await run(ctx, input as never)));
  }
  requireSupported(path);
  // Who is not signed in is not told which addresses exist.
  const ctx = await callerOf(options, request);
  const target = resourceTarget(path);
  if (!target)
    throw found
      ? new ApiError('MethodNotAllowed', `${method} is not offered here.`)
      : new ApiError('NotFound', 'There is nothing at this address.');
  if (target.key === null && method === 'PUT')
    return send(reply, await answerOnce(ctx, asked, (ctx) => answerResource(ctx, target, asked)));
  const answering = () => answerResource(ctx, target, asked);
  return send(reply, await (target.key === null ? options.listSlot(ctx, answering) : answering()));
}

function answerOf(result: unknown): Answer {
  return result === undefined ? { status: 204 } : { status: 200, body: result };
}

function send(reply: FastifyReply, { status, body, json, headers }: Answer): FastifyReply {
  if (headers) void reply.headers(headers);
  if (json !== undefined) return reply.code(status).type('application/json; charset=utf-8').send(json);
  return body === undefined ? reply.code(status).send() : reply.code(status).send(body);
}

/** Mounts the API. The ingest route alone takes large bodies. */
export function mountApi(app: FastifyInstance, options: ApiOptions): void {
  const api: Api = { ...options, take: createBuckets(options.rates ?? usualRates), listSlot: createListSlots() };
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    void reply.header('cache-control', 'private, no-cache').header('vary', 'authorization, accept');
    return answer(api, request, reply);
  };
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const url of ['/v1/packets', '/api/v1/packets']) app.route({ method: 'POST', url, bodyLimit: 8 * limits.bodyBytes, handler });
  for (const url of ['/v1', '/v1/*', '/api', '/api/*']) app.route({ method, url, handler });
}
