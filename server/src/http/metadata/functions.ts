/** Bound functions of the model: the GET calls whose path is `set/Name(a={a})`. */
import { z } from 'zod';
import { isList, type Action } from '@cloudfit/contract/action.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { jsonSchema, type ComplexTypes, type JsonSchema, type Property } from './edm-type.ts';
import { pascal, qualified, typeName } from './names.ts';

export interface BoundFunction {
  name: string;
  /** The set that the function is bound to. */
  resource: Resource;
  parameters: [string, Property][];
  returns: Property;
  about: string | undefined;
}

const form = /^\/v1\/(\w+)\/(\w+)\(([^)]*)\)$/;

/**
 * Returns the schema of the list in `value`, the place of a collection in an answer of OData; otherwise the schema
 * itself.
 */
function answered(schema: JsonSchema): JsonSchema {
  return schema.properties?.['value']?.type === 'array' ? schema.properties['value'] : schema;
}

function returnType(action: Action, name: string, resources: readonly Resource[], complex: ComplexTypes): Property {
  const rows = isList(action) ? resources.find((r) => r.name === action.of) : undefined;
  if (rows) return { $Type: qualified(typeName(rows)), $Collection: true };
  return complex.property(answered(jsonSchema(action.output ?? z.record(z.string(), z.unknown()), 'output')), `${pascal(name)}Result`);
}

export function boundFunctions(resources: readonly Resource[], actions: readonly Action[], complex: ComplexTypes): BoundFunction[] {
  return actions.flatMap((action) => {
    const [, set = '', name = '', list = ''] = form.exec(action.path) ?? [];
    const resource = resources.find((r) => r.name.toLowerCase() === set.toLowerCase());
    if (action.method !== 'GET' || !name || !resource) return [];
    const input = jsonSchema(action.input, 'input').properties ?? {};
    const names = [...list.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
    const parameters = names.map((parameter): [string, Property] => [
      parameter,
      complex.property(input[parameter] ?? {}, pascal(name) + pascal(parameter)),
    ]);
    return [{ name, resource, parameters, returns: returnType(action, name, resources, complex), about: action.about }];
  });
}
