/** Converts any error to the one error form. Faults of the server are logged with their cause and answered in one sentence. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type CallLimit, type ErrorBody } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { toApiError } from '../db/errors.ts';
import { isPrivate } from './request-steps.ts';

interface HttpError extends Error {
  statusCode: number;
  code?: string;
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
}

function fromFastify(error: HttpError, bodyLimit: number): ApiError {
  if (error.statusCode === 413)
    return new ApiError('PayloadTooLarge', `The body is too large: it may have ${bodyLimit / 1_048_576} MiB here.`);
  if (error.statusCode === 415) return new ApiError('UnsupportedMediaType', 'This content type is not supported; send application/json.');
  if (error.statusCode === 414) return new ApiError('UriTooLong', 'The address is too long.');
  if (error.code === 'FST_ERR_BAD_URL')
    return new ApiError(
      'InvalidQueryOption',
      'The address has a percent sign without two hexadecimal digits. Write a percent sign as %25.',
    );
  if (error.statusCode < 500) return new ApiError('InvalidBody', error.message);
  return new ApiError('InternalError', 'Something went wrong on the server.');
}

/** Returns the error to answer; `bodyLimit` is the bytes that the route takes. */
export function asApiError(error: unknown, bodyLimit: number = limits.bodyBytes): ApiError {
  const apiError = toApiError(error);
  if (apiError instanceof ApiError) return apiError;
  if (isHttpError(apiError)) return fromFastify(apiError, bodyLimit);
  return new ApiError('InternalError', 'Something went wrong on the server.');
}

export function errorBody(error: ApiError, requestId: string): ErrorBody {
  const { code, message, target, details } = error;
  return {
    error: {
      code,
      message,
      ...(target ? { target } : {}),
      ...(details.length > 0 ? { details: [...details] } : {}),
      innererror: { requestId },
    },
  };
}

/**
 * Returns the schemes of `www-authenticate`. A browser is not offered Basic: it would ask people for their password,
 * which is not accepted here.
 */
function signInsOf(request: FastifyRequest): string[] {
  const isBrowser = request.headers['sec-fetch-site'] !== undefined;
  return isPrivate(request) && !isBrowser ? ['Bearer', 'Basic realm="CloudFit", charset="UTF-8"'] : ['Bearer'];
}

/** Headers of a file whose reading failed before its first byte; with them, the client would wait for bytes that never come. */
const fileHeaders = ['content-length', 'content-disposition', 'accept-ranges', 'etag', 'repr-digest', 'x-content-sha256'];

/** Returns the headers of a limit that is used up, in the form of the IETF's draft on rate limit headers. */
function rateLimitHeaders({ name, calls, seconds }: CallLimit, afterSeconds: number): Record<string, string> {
  return { 'ratelimit-policy': `"${name}";q=${calls};w=${seconds}`, ratelimit: `"${name}";r=0;t=${afterSeconds}` };
}

/** Answers an error in the usual form, or in that of the protocol of the caller, which `form` writes. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  form?: (error: ApiError) => { body?: unknown; headers?: Record<string, string> },
): FastifyReply {
  const answer = asApiError(error, request.routeOptions.bodyLimit);
  // An outage is logged once where it is detected, not for each refused caller. A 501 is caused by the request.
  if (answer.status >= 500 && answer.status !== 501 && answer.status !== 503)
    request.log.error({ err: error, cause: error instanceof Error ? error.cause : undefined }, answer.message);
  if (answer.status === 401) void reply.header('www-authenticate', signInsOf(request));
  // A random delay, so that callers who were refused together do not all retry together.
  if (answer.status === 503 || answer.status === 429)
    void reply.header('retry-after', String(answer.retryAfterSeconds ?? 1 + Math.floor(Math.random() * 5)));
  if (answer.limit) void reply.headers(rateLimitHeaders(answer.limit, answer.retryAfterSeconds ?? 1));
  for (const name of fileHeaders) void reply.removeHeader(name);
  if (form) {
    const { body, headers = {} } = form(answer);
    return reply.code(answer.status).headers(headers).header('cache-control', 'no-store').send(body);
  }
  return reply
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(errorBody(answer, request.id));
}

const brokenRequests: Record<string, [status: string, error: ApiError]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    new ApiError('HeadersTooLarge', 'The headers have more than 16 KiB together.'),
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    new ApiError('Timeout', 'The request was not complete within 30 seconds. Please send it again.'),
  ],
};

/** Answers requests that cannot be read as HTTP or arrive too slowly, in the form of all errors. */
export function clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, answer] = brokenRequests[error.code ?? ''] ?? [
    '400 Bad Request',
    new ApiError('InvalidBody', 'This is not a valid HTTP request.'),
  ];
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(answer, requestId));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    // Does not wait for the rest of the client's request.
    () => socket.destroy(),
  );
}
