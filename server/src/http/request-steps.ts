/** The steps of a request to the API before its handler. Each route lists its steps in the order in which they run. */
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import type { Logger } from 'pino';
import type { Access, Action } from '@cloudfit/contract/action.ts';
import { acceptedLanguage } from '@cloudfit/contract/messages/language.ts';
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { isRead, seenAs } from '../auth/see-as.ts';
import { hopHeader, type HopCounts } from '../context/hop-count.ts';
import { hasScope, may, requireScope, type Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { readOnly } from '../db/read-only.ts';
import { callerOfBatch } from './batch/caller.ts';
import type { StandbyReads } from './standby-reads.ts';
import { odataVersion, requireVersion } from './form/negotiate.ts';
import { currentDate } from '../platform/clock.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; a route of the API sets it in its first steps. */
    ctx: Ctx;
  }
}

/** Returns a synchronous step, which runs `run`; `run` throws to refuse the request. */
export function step(run: (request: FastifyRequest, reply: FastifyReply) => void): onRequestHookHandler {
  return (request, reply, done) => {
    run(request, reply);
    done();
  };
}

/** Sets the headers of every answer. Throws 414 for an address that is too long, and 400 for another OData version. */
export const startAnswer = step((request, reply) => {
  void reply
    .header('cache-control', 'private, no-cache')
    .header('vary', 'authorization, accept, accept-language')
    .header('odata-version', odataVersion);
  // The id of audit and log, so that a caller can name a call that succeeded too.
  void reply.header('x-request-id', request.id);
  if (request.originalUrl.length > limits.urlLength)
    throw new ApiError('UriTooLong', `The address is longer than ${limits.urlLength} characters.`);
  requireVersion(request.headers);
});

/** What `authenticate` needs in addition to the request. */
export interface CallerParts {
  authenticator: Authenticator;
  hopCounts: HopCounts;
  refusedCall?: Ctx['refusedCall'];
}

/** Sets the ctx of the caller; throws 401 unless the caller is authenticated. */
export function authenticate({ authenticator, hopCounts, refusedCall }: CallerParts): onRequestAsyncHookHandler {
  return async (request) => {
    const caller = callerOfBatch();
    if (caller) {
      request.ctx = { ...caller, correlationId: request.id };
      return;
    }
    const ctx = await authenticator.authenticate({
      authorization: request.headers.authorization,
      address: request.ip,
      isPrivate: isPrivate(request),
      correlationId: request.id,
      log: request.log as Logger,
    });
    const hops = hopCounts.read(request.headers[hopHeader], ctx);
    const language = acceptedLanguage(request.headers['accept-language']);
    request.ctx = { ...ctx, ...(language ? { language } : {}), ...(hops > 0 ? { hops } : {}), ...(refusedCall ? { refusedCall } : {}) };
  };
}

/**
 * Returns whether the connection from the caller is private, so that nobody on the way can read a token that is sent as
 * a password.
 */
export function isPrivate(request: FastifyRequest): boolean {
  return request.protocol === 'https' || isFromThisMachine(request);
}

/**
 * Returns whether the caller is on this machine. False for requests through a proxy on this machine, whose callers may
 * be anywhere.
 */
function isFromThisMachine({ ip, headers }: FastifyRequest): boolean {
  return /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(ip) && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a POST to this route changes nothing. */
    reads?: boolean;
  }
}

/** Answers an administrator as the person of the impersonation in the header. Runs after the rate limit, which counts the caller. */
export function seeAs(database: Database): onRequestAsyncHookHandler {
  return async (request) => {
    const seeAsId = request.headers[seeAsHeader];
    if (typeof seeAsId !== 'string' || callerOfBatch()) return;
    const { method, routeOptions } = request;
    const reads = isRead(method, routeOptions.config.reads === true);
    request.ctx = await seenAs(request.ctx, database, { reads, seeAsId });
  };
}

const fromElsewhere = 'This call changes something, so a page of another site cannot make it.';

/**
 * Makes the database read-only for HEAD, whatever the GET does, and for a GET that a page of another site makes: a browser sends
 * stored credentials with an image too. Other methods of such pages need a permission, which only origins in CORS_ORIGINS get. Runs for every
 * route, after authentication.
 */
export const readsChangeNothing = step((request) => {
  const { method, headers } = request;
  if (method === 'HEAD') request.ctx = { ...request.ctx, db: readOnly(request.ctx.db) };
  const site = headers['sec-fetch-site'];
  if (method === 'GET' && (site === 'cross-site' || site === 'same-site'))
    request.ctx = { ...request.ctx, db: readOnly(request.ctx.db, fromElsewhere) };
});

/** Sets the ctx of a caller who need not sign in. */
export function admitAnonymous(database: Database): onRequestHookHandler {
  return step((request) => {
    request.ctx = {
      actor: { kind: 'system', id: null, name: 'anonymous' },
      tenants: [],
      permissions: new Map(),
      db: database.scoped([]),
      now: currentDate,
      log: request.log as Logger,
      correlationId: request.id,
      address: request.ip,
    };
  });
}

/** Throws 403 unless the caller may call this in at least one tenant; the action itself checks the row's tenant. */
export function requireAccess(access: Access): onRequestHookHandler {
  return step(({ ctx }) => {
    if (access === 'anonymous' || access === 'signed-in') return;
    if ('area' in access) requireScope(ctx, access.area, access.verb);
    else if ('anyOf' in access) {
      if (!access.anyOf.some((permission) => may(ctx, permission)))
        throw forbidden(`You do not have the permission ${access.anyOf.join(' or ')}.`);
    } else if (!hasScope(ctx, access.scope)) throw forbidden(`This call needs a token with the scope ${access.scope}.`);
  });
}

/** Refuses multipart and NDJSON bodies, which only some calls accept. */
export const requireJson = step((request) => {
  if (/^(?:multipart\/|application\/x-ndjson)/i.test(request.headers['content-type'] ?? ''))
    throw new ApiError('UnsupportedMediaType', 'This content type is not supported; send application/json.');
});

/** Throws 501 for OData features that this version does not support, such as `$ref`. */
export function requireSupported(path: string): void {
  const segment = path.split('/').find((segment) => segment.startsWith('$'));
  if (segment) throw new ApiError('NotImplemented', `${segment} is not supported here.`, { target: segment });
}

/** What all routes share. */
export interface ApiParts {
  /** The first steps of a call, such as authentication and rate limit. */
  signedIn: readonly onRequestHookHandler[];
  anonymous: readonly onRequestHookHandler[];
  origin: string;
  listSlot: <T>(ctx: Ctx, work: () => Promise<T>) => Promise<T>;
  standby: StandbyReads;
}

/** A call that needs the request itself, for example for a stream, an ETag or another form of body. */
export type RawCall = (ctx: Ctx, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface RawRoute {
  action: Action;
  call: RawCall;
  /** The call waits for an event before it answers, so metrics leave it out. */
  waits?: true;
  /** The call answers a file whose length and digest describe its bytes, or a kept document, so the answer is not compressed. */
  answersFile?: true;
  /** The call gets the bytes of a JSON body that is large or that parsing would change. */
  takesBytes?: true;
  /** The call gets the text of a form. */
  takesForm?: true;
  /** A call of a batch may make it; the others count and identify their callers themselves, or answer files and streams. */
  inBatch?: true;
}
