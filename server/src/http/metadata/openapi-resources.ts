/** Operations of a resource in the API description. */
import { permission, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { pascal, typeName } from './names.ts';
import { access, json, queryRefs, responses, type ApiOperation } from './openapi-parts.ts';
import type { Schema, Schemas } from './openapi-schemas.ts';

const headerRef = (name: string): object => ({ $ref: `#/components/parameters/${name}` });

function right(resource: Resource, verb: PermissionVerb): Pick<ApiOperation, 'description' | 'security'> {
  const { area, viewedWith } = resource;
  return access(verb === 'view' && viewedWith ? { anyOf: [permission(area, verb), ...viewedWith] } : { area, verb });
}

function body(schema: Schema, description?: string): object {
  return { required: true, ...(description ? { description } : {}), ...json(schema) };
}

/** Returns the operations of a resource by path and method. */
export function resourcePaths(resource: Resource, schemas: Schemas): Record<string, Record<string, ApiOperation | object[]>> {
  const { name, label, plural, verbs, key } = resource;
  const type = typeName(resource);
  const lower = label.toLowerCase();
  const tags = [plural];
  const row = schemas.ref(type);
  const one = responses({ '200': { description: `The ${lower}.`, ...json(row) } });
  const created = responses({ '201': { description: `The new ${lower}; Location says where it is.`, ...json(row) } });
  const set: Record<string, ApiOperation> = {
    get: {
      operationId: `list${type}`,
      summary: `List ${plural.toLowerCase()}`,
      tags,
      ...right(resource, 'view'),
      parameters: [
        ...queryRefs('filter', 'search', 'orderby', 'select', 'expand', 'apply', 'top', 'skip', 'count'),
        headerRef('ifNoneMatch'),
      ],
      responses: responses({ '200': { description: `A page of ${plural.toLowerCase()}.`, ...json(schemas.ref(`${type}Page`)) } }),
    },
  };
  const single: Record<string, ApiOperation | object[]> = {
    parameters: [
      { name: key, in: 'path', required: true, schema: schemas.of(resource.fields[key]?.schema() ?? failed(resource), 'input') },
    ],
    get: {
      operationId: `get${type}`,
      summary: `Read one ${lower}`,
      tags,
      description: `${right(resource, 'view').description ?? ''} The form /v1/${name}({${key}}) is the same.`,
      ...pick(right(resource, 'view')),
      parameters: [...queryRefs('select', 'expand'), headerRef('ifNoneMatch')],
      responses: one,
    },
  };
  if (verbs.includes('create')) {
    const create = { tags, ...right(resource, 'create'), requestBody: body(schemas.ref(`${type}Create`)), responses: created };
    set['put'] = { operationId: `create${type}`, summary: `Create a ${lower}`, ...create };
    set['post'] = { operationId: `create${type}ByPost`, summary: `Create a ${lower}, as OData clients do`, ...create };
  }
  if (verbs.includes('update')) {
    const change = { tags, ...right(resource, 'edit'), parameters: [headerRef('ifMatch')], responses: one };
    const update = schemas.ref(`${type}Update`);
    single['post'] = { operationId: `update${type}`, summary: `Change the fields that are named`, ...change, requestBody: body(update) };
    single['patch'] = {
      operationId: `patch${type}`,
      summary: `Change by a patch`,
      ...change,
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: update },
          'application/json-patch+json': { schema: schemas.ref('JsonPatch') },
        },
      },
    };
  }
  if (verbs.includes('update'))
    set['patch'] = {
      operationId: `patchMany${type}`,
      summary: `Change many ${plural.toLowerCase()}, all or none`,
      tags,
      ...right(resource, 'edit'),
      requestBody: body(schemas.ref(`${type}BulkUpdate`)),
      responses: responses({ '200': { description: 'The changed rows.', ...json(schemas.ref(`${type}Page`)) } }),
    };
  if (verbs.includes('delete'))
    single['delete'] = {
      operationId: `delete${type}`,
      summary: `Delete a ${lower}`,
      tags,
      ...right(resource, 'delete'),
      parameters: [headerRef('ifMatch')],
      responses: responses({ '204': { description: 'It was deleted.' } }),
    };
  const count: ApiOperation = {
    operationId: `count${type}`,
    summary: `Count ${plural.toLowerCase()}`,
    tags,
    ...right(resource, 'view'),
    parameters: queryRefs('filter', 'search', 'apply'),
    responses: responses({ '200': { description: 'How many rows match.', content: { 'text/plain': { schema: { type: 'integer' } } } } }),
  };
  const exported: ApiOperation = {
    operationId: `export${type}`,
    summary: `All matching ${plural.toLowerCase()} as a CSV file, or as JSON for a client that writes a file itself`,
    tags,
    ...right(resource, 'view'),
    parameters: queryRefs('filter', 'search', 'orderby', 'select', 'expand', 'top', 'skip'),
    responses: responses({
      '200': {
        description: 'A file with a header line, or a list with one row on each line.',
        content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: schemas.ref(`${type}Page`) } },
      },
    }),
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
    operationId: `get${typeName(resource)}${pascal(relation)}`,
    summary: many
      ? `The ${rows} of a ${resource.label.toLowerCase()}: ${relation}`
      : `The ${row} of a ${resource.label.toLowerCase()}: ${relation}`,
    tags: [resource.plural],
    description: `${description} And that of the ${resource.label.toLowerCase()} itself.`,
    ...(security ? { security } : {}),
    parameters: many
      ? queryRefs('filter', 'search', 'orderby', 'select', 'expand', 'apply', 'top', 'skip', 'count')
      : queryRefs('select', 'expand'),
    responses: responses(
      many
        ? { '200': { description: `A page of ${rows}.`, ...json(schemas.ref(`${type}Page`)) } }
        : { '200': { description: `The ${row}.`, ...json(schemas.ref(type)) }, '204': { description: 'There is none.' } },
    ),
  };
}

function pick({ security }: Pick<ApiOperation, 'security'>): Pick<ApiOperation, 'security'> {
  return security ? { security } : {};
}

function failed(resource: Resource): never {
  throw new Error(`${resource.name} has no key.`);
}
