/** Types of the OData model, from the kinds of fields and from JSON Schemas of JSON values. */
import { z } from 'zod';
import type { Field } from '@cloudfit/contract/resource.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { pascal, qualified, typeName } from './names.ts';

/** A property in CSDL JSON; without `$Type` its type is Edm.String, without `$Nullable` it cannot be null. */
export interface Property {
  $Type?: string;
  $Collection?: true;
  $Nullable?: true;
  $MaxLength?: number;
  $Precision?: number;
  $Scale?: 'variable';
  [annotation: `@${string}`]: unknown;
}

export interface ComplexType {
  $Kind: 'ComplexType';
  $OpenType?: true;
  [property: string]: unknown;
}

/** The parts of JSON Schema that zod produces and this file reads. */
export interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  pattern?: string;
  format?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  description?: string;
  default?: unknown;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  /** The value is a row of this resource. */
  rowOf?: string;
}

/**
 * Returns the JSON Schema of a declaration. A transform has no schema; it only changes the spelling of a value, such as
 * the case of a GUID, so the schema of its input is used.
 */
export function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io,
    override: ({ zodSchema, jsonSchema: written }) => {
      const { def } = zodSchema._zod;
      if (io === 'output' && def.type === 'pipe' && def.out._zod.def.type === 'transform')
        Object.assign(written, jsonSchema(def.in, 'output'));
    },
  }) as JsonSchema & { $schema?: string };
  return rest;
}

/** Name of the type of any JSON object, for values whose shape the model cannot describe. */
const anyObject = 'Json';
const int32 = 2_147_483_648;
const guidPattern = /^\^\[0-9a-f\]\{8\}-/;

/** Collects the complex types of properties; equal shapes share a type. */
export class ComplexTypes {
  readonly types: Record<string, ComplexType> = {};
  readonly #shapes = new Map<string, string>();

  /** The property of a field whose value is JSON of this schema. */
  property(schema: JsonSchema, name: string): Property {
    const plain = withoutNull(schema);
    const property = this.#of(plain.schema, name.replace(/\d+$/, '')) ?? { $Type: this.#any() };
    return withNull(property, plain.nullable);
  }

  #any(): string {
    this.types[anyObject] ??= { $Kind: 'ComplexType', $OpenType: true };
    return qualified(anyObject);
  }

  /** Returns the property of a value; undefined for a value with several possible types. */
  #of(schema: JsonSchema, name: string): Property | undefined {
    if (schema.rowOf) return { $Type: qualified(typeName(requireResource(schema.rowOf))) };
    if (schema.enum || schema.const !== undefined) {
      const types = new Set((schema.enum ?? [schema.const]).map((value) => typeof value));
      return types.size === 1 && types.has('string') ? {} : undefined;
    }
    switch (schema.type) {
      case 'string':
        return textType(schema);
      case 'boolean':
        return { $Type: 'Edm.Boolean' };
      case 'integer':
        return { $Type: (schema.maximum ?? int32) < int32 && (schema.minimum ?? -int32 - 1) >= -int32 ? 'Edm.Int32' : 'Edm.Int64' };
      case 'number':
        return { $Type: 'Edm.Double' };
      case 'array':
        return this.#list(schema.items ?? {}, name);
      case 'object':
        return { $Type: this.#object(schema, name) };
      default:
        return schema.anyOf?.some((candidate) => candidate.type === 'object') || schema.oneOf ? { $Type: this.#any() } : undefined;
    }
  }

  #list(items: JsonSchema, name: string): Property {
    const { schema, nullable } = withoutNull(items);
    const item = this.#of(schema, `${name}Item`);
    if (!item || item.$Collection) return { $Type: this.#any(), $Collection: true };
    return { ...item, $Collection: true, ...(nullable ? { $Nullable: true } : {}) };
  }

  #object(schema: JsonSchema, name: string): string {
    const properties = Object.entries(schema.properties ?? {});
    if (properties.length === 0) return this.#any();
    const type: ComplexType = { $Kind: 'ComplexType' };
    let open = typeof schema.additionalProperties === 'object';
    for (const [key, value] of properties) {
      const plain = withoutNull(value);
      const property = this.#of(plain.schema, name + pascal(key));
      // A property with several types or an unusual name is left out; the object's type is open, so it may still occur.
      if (!property || !/^[A-Za-z_]\w*$/.test(key)) open = true;
      else type[key] = withNull(property, plain.nullable || !schema.required?.includes(key));
    }
    if (open) type.$OpenType = true;
    const shape = JSON.stringify(type);
    const cached = this.#shapes.get(shape);
    if (cached) return qualified(cached);
    const freeName = this.#free(name);
    this.#shapes.set(shape, freeName);
    this.types[freeName] = type;
    return qualified(freeName);
  }

  #free(name: string): string {
    let free = name;
    for (let n = 2; free in this.types; n++) free = `${name}${n}`;
    return free;
  }
}

function textType({ pattern, format, maxLength }: JsonSchema): Property {
  if (pattern && guidPattern.test(pattern)) return { $Type: 'Edm.Guid' };
  if (format === 'date-time') return { $Type: 'Edm.DateTimeOffset', $Precision: 3 };
  return maxLength === undefined ? {} : { $MaxLength: maxLength };
}

/** For a collection, `$Nullable` is about its items; the collection itself is never null. */
function withNull(property: Property, nullable: boolean): Property {
  return nullable && !property.$Collection ? { ...property, $Nullable: true } : property;
}

function withoutNull(schema: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    const type = types.length === 1 ? types[0] : types;
    return { schema: { ...schema, ...(type === undefined ? {} : { type }) }, nullable: types.length < schema.type.length };
  }
  const choices = schema.anyOf ?? [];
  const others = choices.filter((choice) => choice.type !== 'null');
  if (choices.length === 0 || others.length === choices.length) return { schema, nullable: false };
  const [only] = others;
  return { schema: others.length === 1 && only ? only : { anyOf: others }, nullable: true };
}

/** The property of a field. Durations are hh:mm:ss in the API, so they are text and not Edm.Duration. */
export function fieldProperty(field: Field, owner: string, name: string, complex: ComplexTypes): Property {
  const nullable = field.nullable ? { $Nullable: true as const } : {};
  switch (field.kind) {
    case 'guid':
      return { $Type: 'Edm.Guid', ...nullable };
    case 'bigint':
      return { $Type: 'Edm.Int64', ...nullable };
    case 'int':
      return { $Type: 'Edm.Int32', ...nullable };
    case 'decimal':
      return { $Type: 'Edm.Decimal', $Scale: 'variable', ...nullable };
    case 'boolean':
      return { $Type: 'Edm.Boolean', ...nullable };
    case 'timestamp':
      return { $Type: 'Edm.DateTimeOffset', $Precision: 3, ...nullable };
    case 'time':
      return { ...nullable, $MaxLength: 10 };
    case 'text':
      return { ...nullable, ...(field.max === undefined ? {} : { $MaxLength: field.max }) };
    case 'json':
      return withNull(complex.property(jsonSchema(field.schema(), 'output'), owner + pascal(name)), field.nullable);
    default:
      throw new Error(`The kind ${String(field.kind)} has no type in the model.`);
  }
}
