/** Operations of a resource in the API description. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import { operationNames, typeName } from './names.ts';
import { answerHeaders, createdAnswers } from './openapi-answers.ts';
import { exampled, json, pageOptions, parameterRefs, right, type ApiOperation } from './openapi-parts.ts';
import { relatedOperations } from './openapi-related.ts';
import type { Schemas } from './openapi-schemas.ts';

/** Returns the operations of a resource by path and method. */
export function resourcePaths(resource: Resource, schemas: Schemas): Record<string, Record<string, ApiOperation | object[]>> {
  const { name, label, plural, verbs, key } = resource;
  const type = typeName(resource);
  const lower = label.toLowerCase();
  const tags = [plural];
  const row = schemas.ref(type);
  const one = { '200': { description: `The ${lower}.`, ...answerHeaders('etag'), ...exampled(row) } };
  const created = createdAnswers(lower, row);
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
        ...answerHeaders('link', 'disposition'),
        content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: schemas.ref(`${type}Page`) } },
      },
    },
  };
  const below = Object.keys(resource.relations).map((relation) => [
    `/v1/${name}/{${key}}/${relation}`,
    { parameters: single['parameters'], ...relatedOperations(resource, relation, schemas) },
  ]);
  return {
    [`/v1/${name}`]: set,
    [`/v1/${name}/$count`]: { get: count },
    [`/v1/${name}/Export`]: { get: exported },
    [`/v1/${name}/{${key}}`]: single,
    ...(Object.fromEntries(below) as Record<string, Record<string, ApiOperation | object[]>>),
  };
}

function pick({ security }: Pick<ApiOperation, 'security'>): Pick<ApiOperation, 'security'> {
  return security ? { security } : {};
}

function failed(resource: Resource): never {
  throw new Error(`${resource.name} has no key.`);
}
