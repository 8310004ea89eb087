/** The description of the API as OpenAPI 3.1, made from the declarations of resources and actions. */
import type { Action } from '@cloudfit/contract/action.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { actionOperation } from './openapi-actions.ts';
import { headerComponents, refusalComponents, withRefusals } from './openapi-answers.ts';
import { exampleComponents } from './openapi-examples.ts';
import {
  access,
  errorSchema,
  json,
  otherParameters,
  parameterRefs,
  queryParameters,
  securitySchemes,
  type ApiOperation,
} from './openapi-parts.ts';
import { resourcePaths } from './openapi-resources.ts';
import { addResource, Schemas, type Schema } from './openapi-schemas.ts';

const about = `Every entity is read and written by the same few calls, with the query options of OData 4.0; the model for OData clients is
at \`/v1/$metadata\`. From a row a path goes on through its relations and ends with a field, as in
\`/v1/workUnits/5/tenant/name\`; only the first step is listed. Paths are matched without case, and \`/v1\` answers under \`/api/v1\` too. A row outside the caller's tenants
answers 404, a missing permission 403. Everything that is not a success has one form, \`Error\`.`;

const jsonPatch = {
  type: 'array',
  items: {
    type: 'object',
    required: ['op', 'path'],
    properties: { op: { type: 'string', enum: ['test', 'add', 'replace', 'remove'] }, path: { type: 'string' }, value: {} },
  },
} as const;

const batchRequests: Schema = {
  type: 'array',
  maxItems: limits.batchParts,
  items: {
    type: 'object',
    required: ['id', 'method', 'url'],
    properties: {
      id: { type: 'string' },
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      url: { type: 'string', description: 'From the root of the service, as `workUnits(5)`; `$1` is the row that call 1 created.' },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: {},
      atomicityGroup: { type: 'string', description: 'Calls of one group take effect together or not at all.' },
      dependsOn: { type: 'array', items: { type: 'string' }, description: 'Calls and groups that must have succeeded.' },
    },
  },
};

const batchCalls: Schema = { type: 'object', required: ['requests'], properties: { requests: batchRequests } };

const batchAnswers: Schema = {
  type: 'object',
  required: ['responses'],
  properties: {
    responses: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'status'],
        properties: {
          id: { type: 'string' },
          status: { type: 'integer' },
          headers: { type: 'object', additionalProperties: { type: 'string' } },
          body: {},
        },
      },
    },
  },
};

const batchOperation = {
  operationId: 'batch',
  summary: 'Several calls in one',
  tags: ['General'],
  description: `For everyone who is signed in. At most ${limits.batchParts} calls of entity sets, each with its own permission; multipart/mixed too.`,
  security: access('signed-in').security,
  parameters: parameterRefs('preferGoOn'),
  requestBody: { required: true, content: { ...json(batchCalls).content, 'multipart/mixed': { schema: { type: 'string' } } } },
  responses: { '200': { description: 'The answers, in the form of the request.', ...json(batchAnswers) } },
};

function tagOf(name: string, resources: readonly Resource[]): OpenApi['tags'][number] {
  const description = resources.find(({ plural }) => plural === name)?.about;
  return { name, ...(description ? { description } : {}) };
}

/**
 * Returns the path without the names of its parameters and without a slash at its end: OpenAPI treats `{id}` and `{deviceId}` at one place of a path
 * as one parameter.
 */
function shape(path: string): string {
  return path
    .toLowerCase()
    .replace(/(?<=.)\/$/, '')
    .replaceAll(/\{\w+\}/g, '{}');
}

export interface OpenApi {
  openapi: string;
  info: object;
  servers: object[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: object;
}

export function openApi(
  resources: readonly Resource[],
  actions: readonly Action[],
  options: { version: string; publicUrl: string },
): OpenApi {
  const schemas = new Schemas();
  const paths: OpenApi['paths'] = {};
  for (const resource of resources) addResource(schemas, resource);
  for (const resource of resources) Object.assign(paths, resourcePaths(resource, schemas));
  const pathsByShape = new Map(Object.keys(paths).map((path) => [shape(path), path]));
  for (const action of actions) {
    const path = action.path.replace(/(?<=.)\/$/, '');
    const same = pathsByShape.get(shape(path)) ?? path;
    pathsByShape.set(shape(path), same);
    // An action at a path of a resource takes precedence.
    paths[same] = { ...paths[same], [action.method.toLowerCase()]: actionOperation(action, same, schemas) };
  }
  paths['/v1/$batch'] = { post: batchOperation };
  const actionsByName = new Map(actions.map((action) => [action.name, action]));
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item) as [string, ApiOperation][]) {
      if (method === 'parameters') continue;
      const { operationId } = operation;
      const action = actionsByName.get(operationId);
      // The name of an action is fixed; the call of a resource with the same name gets another one.
      const isOther = action && (shape(action.path) !== shape(path) || action.method.toLowerCase() !== method);
      const named = isOther ? { ...operation, operationId: `${operationId}Rows` } : operation;
      paths[path] = { ...paths[path], [method]: withRefusals(path, method, named) };
    }
  Object.assign(schemas.named, { Error: errorSchema, JsonPatch: jsonPatch });
  const used = new Set(
    Object.values(paths).flatMap((path) => Object.values(path).flatMap((item) => (item as { tags?: string[] }).tags ?? [])),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'CloudFit', version: options.version, description: about },
    servers: [{ url: options.publicUrl }],
    tags: [...used].map((name) => tagOf(name, resources)),
    paths,
    components: {
      schemas: schemas.named,
      parameters: { ...queryParameters, ...otherParameters },
      headers: headerComponents,
      examples: exampleComponents(resources, schemas.named),
      responses: refusalComponents(schemas.ref('Error')),
      securitySchemes,
    },
  };
}
