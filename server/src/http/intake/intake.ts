/**
 * The addresses of sources, `/v1/intake/{source}`. Senders of other products call them, so the token may stand in a header, in the address
 * or in the body, any content type is taken, and the answers have the form of the sender's protocol.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { notFound } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { trySource } from '@cloudfit/contract/actions/sources.ts';
import type { Action } from '@cloudfit/contract/action.ts';
import { sourceTokenPrefix, type SourceKind } from '@cloudfit/contract/sources/kinds.ts';
import type { Database } from '../../db/connection.ts';
import { servedSources } from '../../features/sources/sources.served.ts';
import { ctxOf, readSource, requireToken, type OpenSource } from '../../intake/open-sources.ts';
import type { Payload } from '../../intake/readings.ts';
import { triedPayload } from '../../intake/tried.ts';
import { formatOf } from '../../intake/formats/formats.ts';
import { tryPayload, type SourceIntake } from '../../intake/take.ts';
import { get } from '../../resources/get.ts';
import { inputOf } from '../action-routes.ts';
import { sendError } from '../errors.ts';
import { withoutMark } from '../form/json.ts';
import { createBuckets, usualRates } from '../rate-limit.ts';
import type { RawRoute } from '../request-steps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The source of a request to its address. */
    source?: OpenSource;
    /** What it sends, known before its token is checked. */
    sourceKind?: SourceKind | undefined;
  }
}

export interface IntakeOptions {
  database: Database;
  intake: SourceIntake;
}

/** Bytes of a body, unpacked; the same as for packets. */
const bodyLimit = 8 * limits.bodyBytes;
/** The limit of PagerDuty; a body with the token is read before the token is checked. */
const unsignedBytes = 524_288;

interface IntakeParameters {
  source: string;
}

const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;
/** Bearer, and how InfluxDB and Opsgenie name it; clients of InfluxDB 1 put a name before it. */
const named = /^(?:Bearer|Token|GenieKey) +(?:[^\s:]*:)?(\S+)$/i;

/** The token and what follows the address, as it was sent; the token may be the first part of that. */
function addressed({ headers, url }: FastifyRequest): { token: string | undefined; path: string } {
  const [first = '', ...more] = (url.split('?')[0] ?? '').split('/').slice(4);
  const pathOf = (parts: readonly string[]): string => (parts.join('') === '' ? '' : `/${parts.join('/')}`);
  if (first.startsWith(sourceTokenPrefix)) return { token: first, path: pathOf(more) };
  const path = pathOf([first, ...more]);
  const { authorization = '' } = headers;
  const [, encoded] = basic.exec(authorization) ?? [];
  if (encoded !== undefined)
    return {
      token: Buffer.from(encoded, 'base64')
        .toString()
        .replace(/^[^:]*:/s, ''),
      path,
    };
  return { token: named.exec(authorization)?.[1] ?? passwordOf(url), path };
}

/** The password in the query, as clients of InfluxDB 1 send it. */
const passwordOf = (url: string): string | undefined => new URLSearchParams(url.split('?')[1] ?? '').get('p') ?? undefined;

/** Where senders of a kind write the token in the body: PagerDuty, and NRDP of Nagios in its form. */
const tokenInBody: Partial<Record<SourceKind, RegExp>> = {
  PagerDuty: /"routing_key"\s*:\s*"([^"\\]{1,200})"/,
  Nagios: /(?:^|&)token=([\w-]{1,200})(?:&|$)/,
};

function payloadOf(request: FastifyRequest): Payload {
  const { method, headers, body, url } = request;
  const at = url.indexOf('?');
  return {
    method,
    path: addressed(request).path,
    query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)),
    contentType: headers['content-type'] ?? '',
    headers,
    bytes: Buffer.isBuffer(body) ? withoutMark(body) : Buffer.alloc(0),
  };
}

export function mountIntake(app: FastifyInstance, { database, intake }: IntakeOptions): void {
  const takeFromBucket = createBuckets(usualRates);

  /** Finds the source and checks its token before the body is read, unless its token is in the body. */
  async function admit(request: FastifyRequest): Promise<void> {
    const source = await intake.sources.find((request.params as IntakeParameters).source);
    request.sourceKind = source?.kind;
    const { token } = addressed(request);
    try {
      if (
        token === undefined &&
        source !== undefined &&
        tokenInBody[source.kind] !== undefined &&
        Number(request.headers['content-length'] ?? unsignedBytes + 1) <= unsignedBytes
      )
        request.source = source;
      else request.source = requireToken(source, token);
    } catch (error) {
      // Who guesses is slowed down like others who have not signed in.
      takeFromBucket({ actor: { kind: 'system', id: null, name: 'anonymous' }, address: request.ip });
      throw error;
    }
    takeFromBucket({ actor: { kind: 'token', id: request.source.id, name: request.source.name, scopes: [] }, address: request.ip });
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { source } = request;
    if (!source) throw notFound('Source');
    const payload = payloadOf(request);
    if (addressed(request).token === undefined) requireToken(source, tokenInBody[source.kind]?.exec(payload.bytes.toString())?.[1]);
    const ctx = ctxOf(database, source, { log: request.log as Logger, correlationId: request.id, address: request.ip });
    const { status, body, headers = {} } = await intake.take(ctx, source, payload);
    return reply.code(status).headers(headers).header('cache-control', 'no-store').send(body);
  }

  /** Answers who asks before it sends (HTTP 1.1 Web Hooks for CloudEvents): whoever has the token may, as often as the limits let it. */
  function consent({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { 'webhook-request-origin': origin, 'webhook-request-rate': rate } = headers;
    return reply
      .code(204)
      .headers({
        allow: 'POST, PUT, OPTIONS',
        ...(typeof origin === 'string' ? { 'webhook-allowed-origin': origin } : {}),
        ...(typeof rate === 'string' ? { 'webhook-allowed-rate': '*' } : {}),
      })
      .send();
  }

  /** Refusals and faults in the form of the sender's protocol, if it has one. */
  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { fault } = request.sourceKind ? formatOf(request.sourceKind) : {};
    if (!fault) throw error;
    return sendError(error, request, reply, (answered) => fault(answered, request.headers['content-type'] ?? ''));
  }

  void app.register((scope, _options, ready) => {
    scope.removeAllContentTypeParsers();
    scope.setErrorHandler(fail);
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const config = { measuredAs: '/v1/intake' };
    for (const url of ['/v1/intake/:source', '/v1/intake/:source/*']) {
      scope.route({ method: ['POST', 'PUT', 'GET', 'DELETE'], url, config, bodyLimit, onRequest: admit, handler: answer });
      scope.route({ method: 'OPTIONS', url, config, onRequest: admit, handler: consent });
    }
    ready();
  });
}

/** The call that says what a payload would become. */
export const trySourceRoute: RawRoute = {
  action: trySource as Action,
  call: async (ctx, request, reply) => {
    const { id, body } = inputOf(trySource, request);
    await get(ctx, servedSources, id);
    const source = await readSource(ctx.db, id);
    if (!source) throw notFound('Source');
    return reply.send(await tryPayload(ctx, source, await triedPayload(source.kind, body)));
  },
};
