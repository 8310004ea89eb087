/** Lets pages of other addresses call the API (CORS), as far as the setting CORS_ORIGINS names them. */
import type { FastifyReply, onRequestHookHandler } from 'fastify';

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Accept',
  'If-Match',
  'If-None-Match',
  'Prefer',
  'Idempotency-Key',
  'Repeatability-Request-ID',
  'OData-Version',
  'OData-MaxVersion',
].join(', ');

const exposedHeaders = [
  'ETag',
  'Location',
  'Link',
  'OData-EntityId',
  'OData-Version',
  'Preference-Applied',
  'CloudFit-Warnings',
  'CloudFit-Version',
  'Content-Disposition',
  'Allow',
  'WWW-Authenticate',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
].join(', ');

/** Browsers keep the answer to a preflight for at most this long. */
const preflightSeconds = 7_200;

function allow(reply: FastifyReply, origin: string): void {
  void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
}

/**
 * Returns the step that lets these origins read answers, and answers their preflights; `*` lets every origin. Never allows
 * credentials: a caller signs in by a token in a header, which a page sends itself. Runs before the authentication, because a
 * preflight has none, and after the step that sets `Vary`.
 */
export function allowOrigins(origins: readonly string[]): onRequestHookHandler {
  const any = origins.includes('*');
  const listed = new Set(origins);
  return (request, reply, done) => {
    const { origin } = request.headers;
    if (!any) void reply.header('vary', `${String(reply.getHeader('vary'))}, origin`);
    if (origin === undefined || !(any || listed.has(origin))) return done();
    allow(reply, any ? '*' : origin);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return done();
    void reply
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': preflightSeconds,
      })
      .code(204)
      .send();
  };
}
