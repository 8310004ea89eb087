/** Everything under `/v1` and `/api`: who asks, which action or resource, what it answers. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { hopHeader, hopsOf, type Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { isCsvFile } from '../resources/csv.ts';
import { exportRows } from '../resources/export.ts';
import { parseActionInput, requireAccess, type ActionFinder } from './actions.ts';
import { exportTarget, sendCsv } from './exports.ts';
import { countedPath, parsePath, type ApiPath } from './path.ts';
import type { Answer, Asked } from './answer.ts';
import { contentType, negotiateJson, odataVersion, requireVersion, type Form } from './negotiate.ts';
import { answerList, countList } from './pages.ts';
import { countCall, createBuckets, createListSlots, usualRates, type Rates } from './rate-limit.ts';
import { answerOnce } from './repeat.ts';
import { answerResource, countResource, resourceTarget } from './resources.ts';

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
  const hops = hopsOf(request.headers[hopHeader]);
  return hops > 0 ? { ...ctx, hops } : ctx;
}

function strangerOf(options: Api, request: FastifyRequest): Ctx {
  const ctx = anonymousCtx(options.database, request.log as Logger, request.id, request.ip);
  options.take(ctx);
  return ctx;
}

/** Forms and lines of JSON are read for the calls alone that take them. */
function requireJson(request: FastifyRequest): void {
  if (/^(?:multipart\/|application\/x-ndjson)/i.test(request.headers['content-type'] ?? ''))
    throw new ApiError('UnsupportedMediaType', 'This content type is not supported; send application/json.');
}

/** What OData clients may ask for and this version cannot do is said, never passed over. */
function requireSupported(path: ApiPath): void {
  const segment = path.segments.find((s) => s.startsWith('$'));
  if (segment) throw new ApiError('NotImplemented', `${segment} is not supported.`, { target: segment });
}

async function answer(options: Api, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const whole = parsePath(request.url);
  if (!whole || request.url.length > limits.urlLength)
    throw new ApiError(whole ? 'UriTooLong' : 'NotFound', whole ? 'The address is too long.' : 'There is nothing at this address.');
  requireVersion(request.headers);
  const { method } = request;
  // `/$count` behind a list asks how many rows that has.
  const counted = method === 'GET' || method === 'HEAD' ? countedPath(whole) : null;
  const path = counted ?? whole;
  // Asked for late: calls that shape their own answer need not be JSON.
  const asked = (): Asked => ({
    method,
    path,
    body: request.body,
    headers: request.headers,
    origin: options.publicUrl,
    form: negotiateJson(request.headers, path.rawQuery),
  });
  const found = options.findAction(method === 'HEAD' ? 'GET' : method, path);
  if (found && found !== 'other-method') {
    const { action, run } = found.implemented;
    if (method === 'HEAD' && action.effects) throw new ApiError('MethodNotAllowed', 'HEAD is not offered here.');
    const ctx = action.access === 'anonymous' ? strangerOf(options, request) : await callerOf(options, request);
    requireAccess(ctx, action.access);
    const raw = options.rawCalls.get(`${action.method} ${action.path}`.toLowerCase());
    if (counted && !found.implemented.narrow) throw new ApiError('NotImplemented', '$count is not supported here.', { target: '$count' });
    if (raw) return raw(ctx, request, reply, path);
    requireJson(request);
    const input = parseActionInput(found, path, request.body);
    if (action.limit) await countCall(ctx, action.limit);
    if (action.noStore) void reply.header('cache-control', 'no-store');
    if (found.implemented.narrow) {
      if (counted) return sendCount(reply, await options.listSlot(ctx, () => countList(ctx, found.implemented, input, path)));
      const list = asked();
      return send(reply, list.form, await options.listSlot(ctx, () => answerList(ctx, found.implemented, input, list)));
    }
    if (!action.repeatable) return sendResult(reply, await run(ctx, input as never));
    const once = asked();
    return send(reply, once.form, await answerOnce(ctx, once, async (ctx) => answerOf(await run(ctx, input as never))));
  }
  requireSupported(path);
  // Who is not signed in is not told which addresses exist.
  const ctx = await callerOf(options, request);
  requireJson(request);
  const exported = exportTarget(path, method);
  if (exported) return sendCsv(reply, await options.listSlot(ctx, () => exportRows(ctx, exported, path.rawQuery)));
  const target = resourceTarget(path);
  if (!target)
    throw found
      ? new ApiError('MethodNotAllowed', `${method} is not offered here.`)
      : new ApiError('NotFound', 'There is nothing at this address.');
  if (counted) return sendCount(reply, await options.listSlot(ctx, () => countResource(ctx, target, path)));
  const rows = asked();
  if (target.key === null && (method === 'PUT' || method === 'POST'))
    return send(reply, rows.form, await answerOnce(ctx, rows, (ctx) => answerResource(ctx, target, rows)));
  const answering = () => answerResource(ctx, target, rows);
  return send(reply, rows.form, await (target.key === null ? options.listSlot(ctx, answering) : answering()));
}

function answerOf(result: unknown): Answer {
  return result === undefined ? { status: 204 } : { status: 200, body: result };
}

/** What an action answers is its own: a row, a text, a stream. */
function sendResult(reply: FastifyReply, result: unknown): FastifyReply {
  if (isCsvFile(result)) return sendCsv(reply, result);
  return result === undefined ? reply.code(204).send() : reply.send(result);
}

function send(reply: FastifyReply, form: Form, { status, body, json, headers }: Answer): FastifyReply {
  if (headers) void reply.headers(headers);
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
  return text === undefined ? reply.code(status).send() : reply.code(status).type(contentType(form)).send(text);
}

function sendCount(reply: FastifyReply, count: number): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(String(count));
}

/** Mounts the API. The ingest route alone takes large bodies. */
export function mountApi(app: FastifyInstance, options: ApiOptions): void {
  const api: Api = { ...options, take: createBuckets(options.rates ?? usualRates), listSlot: createListSlots() };
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    void reply.header('cache-control', 'private, no-cache').header('vary', 'authorization, accept').header('odata-version', odataVersion);
    return answer(api, request, reply);
  };
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const large = ['/v1/packets', '/api/v1/packets', '/v1/configuration', '/api/v1/configuration'];
  for (const url of large) app.route({ method: 'POST', url, bodyLimit: 8 * limits.bodyBytes, handler });
  for (const url of ['/v1', '/v1/*', '/api', '/api/*']) app.route({ method, url, handler });
}
