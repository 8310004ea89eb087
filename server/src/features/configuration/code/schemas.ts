/** JSON schemas of the files, by which an editor completes and checks them. */
import { z } from 'zod';
import type { Field } from '@cloudfit/contract/resource.ts';
import { isExported, portableFields, portableResources } from '../portable.ts';

type CodeSchema = Record<string, unknown>;

function schemaOf({ ref, kind, schema, label, help, nullable }: Field): CodeSchema {
  const about = { title: label, ...(help ? { description: help } : {}) };
  if (ref && kind === 'guid')
    return {
      ...about,
      description: `The names that identify it, such as Northwind / Hot (${ref}).`,
      type: ['string', ...(nullable ? ['null'] : [])],
    };
  // Ids within are written as references, so only the shape counts.
  if (kind === 'json') return about;
  const { $schema: _, ...rest } = z.toJSONSchema(schema(), { io: 'input', unrepresentable: 'any' });
  return { ...about, ...rest };
}

/** The schema of each kind, by its name. */
export function codeSchemas(): Record<string, CodeSchema> {
  return Object.fromEntries(
    portableResources()
      .filter(isExported)
      .map((resource) => {
        const fields = portableFields(resource).filter(([name, { write }]) => name !== resource.key || write !== 'never');
        return [
          resource.name,
          {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            title: resource.label,
            type: 'object',
            properties: { kind: { const: resource.name }, ...Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])) },
            required: ['kind', ...fields.filter(([, { required }]) => required).map(([name]) => name)],
            additionalProperties: false,
          },
        ];
      }),
  );
}
