/** Shared parts of operations in the API description: parameters, answers, security. */
import { statusOf } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Access } from '@cloudfit/contract/action.ts';
import { permission, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Schema } from './openapi-schemas.ts';

export interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, object>;
}

const text: Schema = { type: 'string' };

/** The query options, by their name among the components. */
export const queryParameters: Record<string, object> = Object.fromEntries(
  (
    [
      ['filter', text, "Condition on rows: `name eq 'x' and created gt 2026-01-01T00:00:00Z`."],
      ['search', text, 'Words and phrases that a row must have in its searched fields: `pump OR "north gate"`.'],
      ['orderby', text, 'Sort keys: `name asc,created desc`.'],
      ['select', text, 'Properties to answer: `name,created`.'],
      ['expand', text, 'Relations to answer with each row: `tenant($select=name)`.'],
      ['apply', text, 'Groups and sums: `groupby((tenantId),aggregate($count as count))`.'],
      ['compute', text, 'Properties computed from others: `effort mul 2 as double`.'],
      [
        'top',
        { type: 'integer', minimum: 0 },
        `Rows to answer; ${limits.pageDefault} by default, ${limits.pageMax} at most in one answer.`,
      ],
      ['skip', { type: 'integer', minimum: 0, maximum: limits.skipMax }, 'Rows to leave out first.'],
      ['count', { type: 'boolean' }, 'Whether to answer how many rows match.'],
      ['skiptoken', text, 'Where the page before ended. Follow `@odata.nextLink` as it is, which has it.'],
      ['format', { type: 'string', enum: ['json', 'application/json'] }, 'The form of the answer, instead of the header Accept.'],
    ] as const
  ).map(([name, schema, description]) => [name, { name: `$${name}`, in: 'query', schema, description }]),
);

/** The options of a page of rows, by their name among the components. */
export const pageOptions = [
  'filter',
  'search',
  'orderby',
  'select',
  'expand',
  'apply',
  'compute',
  'top',
  'skip',
  'count',
  'countUpTo',
  'skiptoken',
  'format',
];

/** Returns references to parameters of query and header, by their names among the components. */
export function parameterRefs(...names: string[]): object[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Other parameters of several calls, by their name among the components. */
export const otherParameters: Record<string, object> = {
  countUpTo: {
    name: 'countUpTo',
    in: 'query',
    schema: { type: 'integer', minimum: 0 },
    description:
      'With $count=true: a longer list is not counted to its end, and the answer is then one more than this. Of very many work units that a search finds, a page of the first 1,000 ranks the newest 1,000 alone; without this option it ranks all.',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: 'A key such as a GUID: repeated with it within a day, the call runs once and gets the same answer.',
  },
  preferPage: {
    name: 'Prefer',
    in: 'header',
    schema: text,
    description: `\`maxpagesize=50\`: rows of each page, ${limits.pageMax} at most.`,
  },
  preferReturn: {
    name: 'Prefer',
    in: 'header',
    schema: text,
    description: '`return=minimal`: 204 without a body. `return=representation`, the default: the row.',
  },
  preferGoOn: {
    name: 'Prefer',
    in: 'header',
    schema: text,
    description: '`continue-on-error`: calls after one that failed run too.',
  },
  ifMatch: { name: 'If-Match', in: 'header', schema: text, description: 'ETag that the row must still have; 412 otherwise.' },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: text,
    description: 'ETag of the answer that the client has; 304 when it is still the same.',
  },
  range: {
    name: 'Range',
    in: 'header',
    schema: text,
    description: 'One range of bytes to answer: `bytes=1000-1999`, `bytes=1000-`, `bytes=-500`.',
  },
  ifRange: {
    name: 'If-Range',
    in: 'header',
    schema: text,
    description: 'ETag of the file of which the client has a part; when it has changed, the whole file is answered.',
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    schema: text,
    description: 'The id of the last event that the client got: what changed since then comes first.',
  },
};

export const securitySchemes = {
  person: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a person, from the sign-in provider.' },
  tenantToken: { type: 'http', scheme: 'bearer', bearerFormat: 'cfst_...', description: 'Token of a tenant, for agents and integrations.' },
  tokenAsPassword: { type: 'http', scheme: 'basic', description: 'Such a token as the password of any user name; over https only.' },
};

export const errorSchema: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(statusOf) },
        message: { type: 'string', description: 'One sentence that may be shown to people.' },
        target: { type: 'string', description: 'The field or query option that is wrong.' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['code', 'message'],
            properties: { code: { type: 'string' }, message: { type: 'string' }, target: { type: 'string' } },
          } as Schema,
        },
        innererror: { type: 'object', properties: { requestId: { type: 'string' } } },
      },
    },
  },
};

export function json(schema: Schema): { content: Record<string, object> } {
  return { content: { 'application/json': { schema } } };
}

/** Returns the content of a schema that has a name and an example of that name. */
export function exampled({ $ref = '' }: Schema): { content: Record<string, object> } {
  const examples = { example: { $ref: $ref.replace('/schemas/', '/examples/') } };
  return { content: { 'application/json': { schema: { $ref }, examples } } };
}

/** Returns who may call, as text and as security schemes. */
export function access(of: Access): { description: string; security: Record<string, string[]>[] } {
  const signedIn = [{ person: [] }, { tenantToken: [] }, { tokenAsPassword: [] }];
  if (of === 'anonymous') return { description: 'Open to everyone.', security: [] };
  if (of === 'signed-in') return { description: 'For everyone who is signed in.', security: signedIn };
  if ('scope' in of) return { description: `Needs a tenant token with the scope \`${of.scope}\`.`, security: [{ tenantToken: [] }] };
  const permissions = 'anyOf' in of ? of.anyOf : [permission(of.area, of.verb)];
  return { description: `Needs the permission ${permissions.map((permission) => `\`${permission}\``).join(' or ')}.`, security: signedIn };
}

/** Returns who may do this with rows of a resource. */
export function right(resource: Resource, verb: PermissionVerb): Pick<ApiOperation, 'description' | 'security'> {
  const { area, viewedWith } = resource;
  return access(verb === 'view' && viewedWith ? { anyOf: [permission(area, verb), ...viewedWith] } : { area, verb });
}
