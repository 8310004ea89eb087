/** Operations of a resource in the API description. */
import { permission, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { pascal, typeName } from './names.ts';
import { answerHeaders } from './openapi-answers.ts';
import { access, exampled, json, pageOptions, parameterRefs, type ApiOperation } from './openapi-parts.ts';
import type { Schemas } from './openapi-schemas.ts';

/** Returns the names of many rows and of one in the ids of operations, such as `WorkUnitNotes` and `WorkUnitNote`. */
function operationNames(resource: Resource): { rows: string; row: string } {
  const rows = pascal(resource.name);
  const row = rows.replace(/ies$/, 'y').replace(/(?<=ch|us)es$|(?<!u)s$/, '');
  return { rows, row: row === rows ? typeName(resource) : row };
}

function right(resource: Resource, verb: PermissionVerb): Pick<ApiOperation, 'description' | 'security'> {
  const { area, viewedWith } = resource;
  return access(verb === 'view' && viewedWith ? { anyOf: [permission(area, verb), ...viewedWith] } : { area, verb });
}

/** Returns the operations of a resource by path and method. */
export function resourcePaths(resource: Resource, schemas: Schemas): Record<string, Record<string, ApiOperation | object[]>> {
  const { name, label, plural, verbs, key } = resource;
  const type = typeName(resource);
  const lower = label.toLowerCase();
  const tags = [plural];
  const row = schemas.ref(type);
  const one = { '200': { description: `The ${lower}.`, ...answerHeaders('etag'), ...exampled(row) } };
  const created = {
    '201': {
      description: `The new ${lower}; Location says where it is.`,
      ...answerHeaders('etag', 'location', 'entityId', 'preferenceApplied', 'warnings'),
      ...exampled(row),
    },
    '204': {
      description: 'It was created, and the client prefers no body.',
      ...answerHeaders('etag', 'location', 'entityId', 'preferenceApplied', 'warnings'),
    },
  };
  const changed = {
    '200': {
      description: `The ${lower}.`,
      ...answerHeaders('etag', 'entityId', 'preferenceApplied', 'warnings'),
      ...exampled(row),
    },
    '204': {
      description: 'It was changed, and the client prefers no body.',
      ...answerHeaders('etag', 'entityId', 'preferenceApplied', 'warnings'),
    },
  };
  const names = operationNames(resource);
  const set: Record<string, ApiOperation> = {
    get: {
      operationId: `list${names.rows}`,
      summary: `List ${plural.toLowerCase()}`,
      tags,
      ...right(resource, 'view'),
      parameters: parameterRefs(...pageOptions, 'preferPage', 'ifNoneMatch'),
      responses: {
        '200': {
          description: `A page of ${plural.toLowerCase()}.`,
          ...answerHeaders('etag', 'preferenceApplied', 'link'),
          content: { ...exampled(schemas.ref(`${type}Page`)).content, 'text/csv': { schema: { type: 'string' } } },
        },
      },
    },
  };
  const single: Record<string, ApiOperation | object[]> = {
    parameters: [
      { name: key, in: 'path', required: true, schema: schemas.of(resource.fields[key]?.schema() ?? failed(resource), 'input') },
    ],
    get: {
      operationId: `get${names.row}`,
      summary: `Read one ${lower}`,
      tags,
      description: `${right(resource, 'view').description ?? ''} The form /v1/${name}({${key}}) is the same.`,
      ...pick(right(resource, 'view')),
      parameters: parameterRefs('select', 'expand', 'compute', 'format', 'ifNoneMatch'),
      responses: one,
    },
  };
  if (verbs.includes('create')) {
    const create = {
      tags,
      ...right(resource, 'create'),
      parameters: parameterRefs('idempotencyKey', 'preferReturn'),
      requestBody: { required: true, ...exampled(schemas.ref(`${type}Create`)) },
      responses: created,
    };
    set['put'] = { operationId: `create${names.row}`, summary: `Create a ${lower}`, ...create };
    set['post'] = { operationId: `create${names.row}ByPost`, summary: `Create a ${lower}, as OData clients do`, ...create };
  }
  if (verbs.includes('update')) {
    const change = { tags, ...right(resource, 'edit'), parameters: parameterRefs('ifMatch', 'preferReturn'), responses: changed };
    const update = schemas.ref(`${type}Update`);
    single['post'] = {
      operationId: `update${names.row}`,
      summary: `Change the fields that are named`,
      ...change,
      requestBody: { required: true, ...exampled(update) },
    };
    single['patch'] = {
      operationId: `patch${names.row}`,
      summary: `Change by a patch`,
      ...change,
      requestBody: {
        required: true,
        content: {
          ...exampled(update).content,
          'application/json-patch+json': { schema: schemas.ref('JsonPatch') },
        },
      },
    };
  }
  if (verbs.includes('update'))
    set['patch'] = {
      operationId: `patchMany${names.rows}`,
      summary: `Change many ${plural.toLowerCase()}, all or none`,
      tags,
      ...right(resource, 'edit'),
      parameters: parameterRefs('preferReturn'),
      requestBody: { required: true, ...json(schemas.ref(`${type}BulkUpdate`)) },
      responses: {
        '200': {
          description: 'The changed rows.',
          ...answerHeaders('preferenceApplied', 'warnings'),
          ...exampled(schemas.ref(`${type}Page`)),
        },
        '204': {
          description: 'They were changed, and the client prefers no body.',
          ...answerHeaders('preferenceApplied', 'warnings'),
        },
      },
    };
  if (verbs.includes('delete'))
    single['delete'] = {
      operationId: `delete${names.row}`,
      summary: `Delete a ${lower}`,
      tags,
      ...right(resource, 'delete'),
      parameters: parameterRefs('ifMatch'),
      responses: { '204': { description: 'It was deleted.' } },
    };
  const count: ApiOperation = {
    operationId: `count${names.rows}`,
    summary: `Count ${plural.toLowerCase()}`,
    tags,
    ...right(resource, 'view'),
    parameters: parameterRefs('filter', 'search', 'apply'),
    responses: { '200': { description: 'How many rows match.', content: { 'text/plain': { schema: { type: 'integer' } } } } },
  };
  const exported: ApiOperation = {
    operationId: `export${names.rows}`,
    summary: `All matching ${plural.toLowerCase()} as a CSV file, or as JSON for a client that writes a file itself`,
    tags,
    ...right(resource, 'view'),
    parameters: parameterRefs('filter', 'search', 'orderby', 'select', 'expand', 'top', 'skip', 'skiptoken', 'format'),
    responses: {
      '200': {
        description: 'A file with a header line, or a list with one row on each line.',
        ...answerHeaders('link'),
        content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: schemas.ref(`${type}Page`) } },
      },
    },
  };
  const below = Object.entries(resource.relations).map(([relation, { to, many }]) => [
    `/v1/${name}/{${key}}/${relation}`,
    { parameters: single['parameters'], get: relatedOperation(resource, relation, requireResource(to), many, schemas) },
  ]);
  return {
    [`/v1/${name}`]: set,
    [`/v1/${name}/$count`]: { get: count },
    [`/v1/${name}/Export`]: { get: exported },
    [`/v1/${name}/{${key}}`]: single,
    ...(Object.fromEntries(below) as Record<string, Record<string, ApiOperation | object[]>>),
  };
}

/**
 * Returns the operation that reads the rows of one relation of a row. Longer paths below a row, and paths to
 * properties, are not listed, because there are too many.
 */
function relatedOperation(resource: Resource, relation: string, target: Resource, many: boolean, schemas: Schemas): ApiOperation {
  const type = typeName(target);
  const [rows, row] = [target.plural.toLowerCase(), target.label.toLowerCase()];
  const { description = '', security } = right(target, 'view');
  return {
    operationId: `get${operationNames(resource).row}${pascal(relation)}`,
    summary: many
      ? `The ${rows} of a ${resource.label.toLowerCase()}: ${relation}`
      : `The ${row} of a ${resource.label.toLowerCase()}: ${relation}`,
    tags: [resource.plural],
    description: `${description} And that of the ${resource.label.toLowerCase()} itself.`,
    ...(security ? { security } : {}),
    parameters: many
      ? parameterRefs(...pageOptions, 'preferPage', 'ifNoneMatch')
      : parameterRefs('select', 'expand', 'compute', 'format', 'ifNoneMatch'),
    responses: many
      ? {
          '200': {
            description: `A page of ${rows}.`,
            ...answerHeaders('etag', 'preferenceApplied'),
            ...exampled(schemas.ref(`${type}Page`)),
          },
        }
      : {
          '200': { description: `The ${row}.`, ...answerHeaders('etag'), ...exampled(schemas.ref(type)) },
          '204': { description: 'There is none.' },
        },
  };
}

function pick({ security }: Pick<ApiOperation, 'security'>): Pick<ApiOperation, 'security'> {
  return security ? { security } : {};
}

function failed(resource: Resource): never {
  throw new Error(`${resource.name} has no key.`);
}
