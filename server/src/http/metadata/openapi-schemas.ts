/** Schemas of the API description: of rows, of bodies that create and change them, and of the input and output of actions. */
import type { z } from 'zod';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { jsonSchema, type JsonSchema } from './edm-type.ts';
import { typeName } from './names.ts';

export interface Schema extends JsonSchema {
  title?: string;
  readOnly?: boolean;
  [key: string]: unknown;
}

/** Collects named schemas. Nested definitions become named schemas too, because references in the document are absolute. */
export class Schemas {
  readonly named: Record<string, Schema> = {};
  readonly #definitions = new Map<string, string>();

  ref(name: string): Schema {
    return { $ref: `#/components/schemas/${name}` };
  }

  of(type: z.core.$ZodType, io: 'input' | 'output'): Schema {
    const { $defs = {}, ...rest } = withoutLoops(jsonSchema(type, io));
    const names = new Map(Object.entries($defs).map(([key, definition]) => [`#/$defs/${key}`, this.#hoist(definition)]));
    const readdress = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(readdress);
      if (typeof value !== 'object' || value === null) return value;
      if ('rowOf' in value && typeof value.rowOf === 'string') return this.ref(typeName(requireResource(value.rowOf)));
      return Object.fromEntries([
        ...Object.entries(value).map(([key, inner]) => {
          const name = key === '$ref' && typeof inner === 'string' ? names.get(inner) : undefined;
          if (key === 'pattern' && typeof inner === 'string') return [key, portable(inner)];
          return [key, name === undefined ? readdress(inner) : `#/components/schemas/${name}`];
        }),
        // Linters want a schema as `items` of every list, also beside `prefixItems`, where `maxItems` says that there are no more.
        ...('prefixItems' in value && !('items' in value && value.items) ? [['items', {}] as const] : []),
      ]);
    };
    for (const [key, definition] of Object.entries($defs)) this.named[names.get(`#/$defs/${key}`) ?? key] = readdress(definition) as Schema;
    return readdress(rest) as Schema;
  }

  #hoist(definition: JsonSchema): string {
    const text = JSON.stringify(definition);
    const name = this.#definitions.get(text) ?? `Shared${this.#definitions.size + 1}`;
    this.#definitions.set(text, name);
    return name;
  }
}

/**
 * Returns the pattern without the class of half characters. Many validators compile patterns without the flag `u`, for which `\p{Cs}` are letters;
 * JSON in UTF-8 has no half characters.
 */
function portable(pattern: string): string {
  return pattern.replaceAll(String.raw`\p{Cs}`, '');
}

/**
 * If a schema contains itself (as any JSON does), the inner one allows everything: generators of types cannot refer to a
 * type within itself, and a reference to the root would mean the whole document.
 */
function withoutLoops({ $defs = {}, ...rest }: JsonSchema): JsonSchema {
  const opened = (value: unknown, address: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => opened(item, address));
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value && value.$ref === address) return {};
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, opened(inner, address)]));
  };
  const definitions = Object.entries($defs).map(([key, one]) => [key, opened(one, `#/$defs/${key}`) as JsonSchema] as const);
  return { ...(opened(rest, '#') as JsonSchema), $defs: Object.fromEntries(definitions) };
}

function described({ label, help, choices }: Field): Schema {
  const labels = choices?.filter(({ value, label: text }) => text !== String(value)).map(({ value, label: text }) => `${value} ${text}`);
  const description = [help, labels && labels.length > 0 ? labels.join(', ') : undefined].filter((text) => text !== undefined).join('. ');
  return { title: label, ...(description ? { description } : {}) };
}

function fieldSchema(field: Field, schemas: Schemas, io: 'input' | 'output'): Schema {
  const schema = schemas.of(field.schema(), io);
  const numbers = field.kind === 'int' && field.choices ? { enum: field.choices.map((c) => c.value) } : {};
  const plain = 'enum' in numbers && !field.nullable ? { ...schema, ...numbers } : schema;
  return { ...plain, ...described(field) };
}

function related(row: Schema, many: boolean): Schema {
  return many ? { type: 'array', items: row } : { anyOf: [row, { type: 'null' }] };
}

const etag: Schema = { type: 'string', readOnly: true, title: 'ETag', description: 'Version of the row, for If-Match.' };

/** Adds the schemas of a resource: a row, `...Page`, and by its verbs `...Create`, `...Update` and `...BulkUpdate`. */
export function addResource(schemas: Schemas, resource: Resource): void {
  const name = typeName(resource);
  const fields = Object.entries(resource.fields);
  const relations = Object.entries(resource.relations);
  schemas.named[name] = {
    type: 'object',
    title: resource.label,
    properties: {
      '@odata.etag': etag,
      ...Object.fromEntries(
        fields.map(([key, field]) => [
          key,
          { ...fieldSchema(field, schemas, 'output'), ...(field.write === 'never' ? { readOnly: true } : {}) },
        ]),
      ),
      ...Object.fromEntries(
        relations.map(([key, { many, to }]) => [
          key,
          { description: 'When asked for by $expand.', ...related(schemas.ref(typeName(requireResource(to))), many) },
        ]),
      ),
    },
  };
  schemas.named[`${name}Page`] = pageOf(schemas.ref(name));
  const written = (verb: 'create' | 'update'): Schema => {
    const writable = fields.filter(([, field]) => field.write === 'always' || (verb === 'create' && field.write === 'create'));
    const required =
      verb === 'create' ? writable.filter(([, field]) => field.required && field.initial === undefined).map(([key]) => key) : [];
    return {
      type: 'object',
      properties: Object.fromEntries(writable.map(([key, field]) => [key, fieldSchema(field, schemas, 'input')])),
      ...(required.length > 0 ? { required } : {}),
    };
  };
  if (resource.verbs.includes('create')) schemas.named[`${name}Create`] = written('create');
  if (!resource.verbs.includes('update')) return;
  schemas.named[`${name}Update`] = written('update');
  schemas.named[`${name}BulkUpdate`] = bulkOf(resource, schemas);
}

/** Returns the schema of a bulk edit: one change for many rows, or one change per row. */
function bulkOf(resource: Resource, schemas: Schemas): Schema {
  const { key, fields } = resource;
  const id = fields[key];
  const keySchema = id ? schemas.of(id.schema(), 'input') : {};
  const keys: Schema = { type: 'array', maxItems: limits.pageMax, items: keySchema };
  const change = {
    newState: { ...schemas.ref(`${typeName(resource)}Update`), description: 'The fields to set.' },
    previousState: {
      ...schemas.ref(typeName(resource)),
      description: 'The row as the client knew it: a field that has changed since is a conflict.',
    },
    patch: schemas.ref('JsonPatch'),
  };
  const each: Schema = { type: 'object', required: [key], properties: { [key]: keySchema, ...change } };
  return {
    anyOf: [
      { type: 'object', required: ['ids'], properties: { ids: keys, ...change } } as Schema,
      { type: 'array', maxItems: limits.pageMax, items: each } as Schema,
    ],
  };
}

function pageOf(row: Schema): Schema {
  return {
    type: 'object',
    required: ['value'],
    properties: {
      '@odata.context': { type: 'string' },
      '@odata.count': { type: 'integer', description: 'Rows that match, when asked for by $count=true.' },
      value: { type: 'array', items: row },
      '@odata.nextLink': { type: 'string', description: 'Address of the next part, when the server cut the answer short.' },
    },
  };
}
