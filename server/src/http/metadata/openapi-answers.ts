/** What each call may answer beside its success, and the headers of answers, in the API description. */
import { limits } from '@cloudfit/contract/limits.ts';
import { exampled, json, type ApiOperation } from './openapi-parts.ts';
import type { Schema } from './openapi-schemas.ts';

const text: Schema = { type: 'string' };

/** Headers of answers, by their name among the components. */
const headers: Record<string, { name: string; schema: Schema; description: string }> = {
  requestId: { name: 'X-Request-Id', schema: { type: 'string', format: 'uuid' }, description: 'The id of the request in the log.' },
  version: { name: 'CloudFit-Version', schema: text, description: 'The version of the server, as in `info.version`.' },
  odataVersion: { name: 'OData-Version', schema: text, description: 'The version of OData of the answer.' },
  etag: { name: 'ETag', schema: text, description: 'Version of the answer: for If-None-Match, and that of a row for If-Match too.' },
  location: { name: 'Location', schema: text, description: 'The address of the new row.' },
  entityId: { name: 'OData-EntityId', schema: text, description: 'The address of the row.' },
  preferenceApplied: { name: 'Preference-Applied', schema: text, description: 'What the server did of Prefer.' },
  warnings: { name: 'CloudFit-Warnings', schema: text, description: 'A JSON array of sentences about a write that succeeded.' },
  packets: {
    name: 'CloudFit-Packets',
    schema: text,
    description: 'How many packets had each outcome: `stored=2, duplicate=0, refused=1`.',
  },
  disposition: { name: 'Content-Disposition', schema: text, description: 'The name of the file.' },
  acceptRanges: { name: 'Accept-Ranges', schema: text, description: '`bytes`: a part of the file can be asked for by Range.' },
  contentRange: { name: 'Content-Range', schema: text, description: 'Which bytes these are, and how many there are.' },
  digest: { name: 'Repr-Digest', schema: text, description: 'The SHA-256 of the whole file (RFC 9530).' },
  sha256: { name: 'X-Content-SHA256', schema: text, description: 'The same in hexadecimal.' },
  link: { name: 'Link', schema: text, description: 'Where a CSV file that was cut goes on, with rel="next".' },
  wwwAuthenticate: { name: 'WWW-Authenticate', schema: text, description: 'How to sign in.' },
  retryAfter: { name: 'Retry-After', schema: { type: 'integer' }, description: 'Seconds after which to try again.' },
  rateLimit: { name: 'RateLimit', schema: text, description: 'The limit that is used up, calls left (r) and seconds until the next (t).' },
  rateLimitPolicy: { name: 'RateLimit-Policy', schema: text, description: 'The limit: calls (q) in so many seconds (w).' },
};

/** Returns the headers of an answer: those of every answer, and these. */
export function answerHeaders(...names: string[]): { headers: Record<string, object> } {
  return {
    headers: Object.fromEntries(
      ['requestId', 'version', 'odataVersion', ...names].map((name) => [
        headers[name]?.name ?? name,
        { $ref: `#/components/headers/${name}` },
      ]),
    ),
  };
}

/** Returns the answers of a call that creates a row, of which `lower` is the name. */
export function createdAnswers(lower: string, row: Schema): Record<string, object> {
  const headers = answerHeaders('etag', 'location', 'entityId', 'preferenceApplied', 'warnings');
  return {
    '201': { description: `The new ${lower}; Location says where it is.`, ...headers, ...exampled(row) },
    '204': { description: 'It was created, and the client prefers no body.', ...headers },
  };
}

/** Components for the headers of answers. */
export const headerComponents = Object.fromEntries(
  Object.entries(headers).map(([key, { schema, description }]) => [key, { schema, description }]),
);

/** Answers that are no success, by status: the name among the components, what happened, and further headers. */
const refusals: Record<string, [name: string, description: string, ...headers: string[]]> = {
  '304': ['NotModified', 'The client has this answer already.', 'etag'],
  '400': ['BadRequest', 'The query, the address or the body is wrong; `target` and `details` say where.'],
  '401': ['Unauthorized', 'The caller is not signed in.', 'wwwAuthenticate'],
  '403': ['Forbidden', 'The caller may not do this.'],
  '404': ['NotFound', 'There is no such row, or it is outside the caller’s tenants.'],
  '409': ['Conflict', 'The state of a row does not allow it, or the key of a repeat was used for another request.'],
  '412': ['PreconditionFailed', 'The row has changed since the version in If-Match.'],
  '413': ['PayloadTooLarge', `The body is too large; most calls take ${limits.bodyBytes / 1_048_576} MiB.`],
  '415': ['UnsupportedMediaType', 'The call does not take this content type.'],
  '416': ['RangeNotSatisfiable', 'The file has no byte of the range.', 'contentRange'],
  '429': ['TooManyRequests', 'Too many calls of this caller at once.', 'retryAfter', 'rateLimit', 'rateLimitPolicy'],
  '503': ['Unavailable', 'The server cannot answer now, or the call took too long.', 'retryAfter'],
};

/** Components for the answers that are no success. */
export function refusalComponents(error: Schema): Record<string, object> {
  return Object.fromEntries([
    ...Object.entries(refusals).map(([status, [name, description, ...more]]) => [
      name,
      { description, ...answerHeaders(...more), ...(status === '304' ? {} : json(error)) },
    ]),
    ['Error', { description: 'What is wrong, in one form for all calls.', ...answerHeaders(), ...json(error) }],
  ]) as Record<string, object>;
}

/** Returns the operation with the answers of every call of its kind: what is refused follows from what it takes. */
export function withRefusals(path: string, method: string, operation: ApiOperation): ApiOperation {
  const refers = (name: string): boolean => JSON.stringify(operation.parameters ?? []).includes(`/${name}"`);
  const isSignedIn = (operation.security ?? []).length > 0;
  const writes = method !== 'get';
  const hasBody = operation.requestBody !== undefined;
  const statuses = [
    ...(refers('ifNoneMatch') ? ['304'] : []),
    '400',
    ...(isSignedIn ? ['401', '403'] : []),
    ...(path.includes('{') ? ['404'] : []),
    ...(writes ? ['409'] : []),
    ...(refers('ifMatch') ? ['412'] : []),
    ...(hasBody ? ['413', '415'] : []),
    ...(refers('range') ? ['416'] : []),
    '429',
    '503',
  ];
  const refused = statuses.map((status) => [status, { $ref: `#/components/responses/${refusals[status]?.[0] ?? 'Error'}` }]);
  const success = Object.entries(operation.responses).map(([status, answer]) => [status, { ...answerHeaders(), ...answer }]);
  return {
    ...operation,
    responses: { ...Object.fromEntries([...refused, ...success]), default: { $ref: '#/components/responses/Error' } } as Record<
      string,
      object
    >,
  };
}
