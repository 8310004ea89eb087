/** Examples in the API description: one of each row and body, made from its schema, and those written by hand. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import { typeName } from './names.ts';
import type { Schema } from './openapi-schemas.ts';

const guid = '0198c0de-0000-7000-8000-000000000001';

/** Texts for fields with a pattern; the first that fits is the example. */
const texts = [
  guid,
  '5f0c24e5-2d4b-4a3e-9c1d-000000000001',
  '2026-01-31T12:00:00.000Z',
  '2026-01-31',
  '00:00:10',
  '08:00',
  '1.2.3',
  'https://example.com',
  'desk@example.com',
  '#3366cc',
  'example',
  'ldaps://dc1.example.com',
];

const formats: Record<string, string> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  time: '08:00:00',
  uuid: guid,
  email: 'desk@example.com',
  uri: 'https://example.com',
};

function exampleText({ format, pattern, allOf = [], title, minLength, maxLength }: Schema): string {
  const patterns = [pattern, ...allOf.map((item) => item.pattern)].filter((item) => item !== undefined);
  const fits = (text: string): boolean =>
    patterns.every((pattern) => new RegExp(pattern, 'u').test(text)) &&
    text.length >= Number(minLength ?? 0) &&
    text.length <= Number(maxLength ?? Infinity);
  const candidates = [formats[format ?? ''] ?? title ?? 'example', ...texts];
  return candidates.find(fits) ?? 'example'.padEnd(Number(minLength ?? 0), 'e').slice(0, Number(maxLength ?? 100));
}

/** Returns an example of a value of this schema; the schema itself must not contain itself. */
function exampleOf(schema: Schema, named: Record<string, Schema>): unknown {
  const { $ref, type, anyOf, oneOf } = schema;
  if ($ref !== undefined) return exampleOf(named[$ref.replace('#/components/schemas/', '')] ?? {}, named);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = (anyOf ?? oneOf ?? []) as Schema[];
  if (choice) return exampleOf({ title: schema.title ?? '', ...choice }, named);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return exampleText(schema);
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 0) }, () => exampleOf((schema.items ?? {}) as Schema, named));
    case 'object':
      return exampleObject(schema, named, schema.required ?? []);
    default:
      return null;
  }
}

function exampleObject(schema: Schema, named: Record<string, Schema>, names: readonly string[]): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, named)]));
}

/** Bodies for which a generated example would say too little. */
const written: Record<string, { summary: string; value: unknown }> = {
  WorkUnitCreate: {
    summary: 'An incident',
    value: { title: 'The till does not print', description: 'Paper is in.', severityId: 'Sev3', workUnitTypeId: 1, tenantId: guid },
  },
  WorkUnitUpdate: { summary: 'Somebody takes it', value: { stateId: 'Acknowledged', assignedTo: 'desk@example.com' } },
};

const packet = {
  entityId: guid,
  messageId: 'till-1-4711',
  message: { Metrics: { Cpu: 12.5 }, States: { Health: 'Healthy' }, Properties: { Version: '2.1' } },
};

/** Examples of the body of `POST /v1/packets`, by its content type. */
export const packetExamples = {
  'application/json': {
    one: { summary: 'One packet', value: packet },
    several: { summary: 'Several packets', value: [packet, { ...packet, messageId: 'till-1-4712' }] },
  },
  'application/x-ndjson': {
    lines: {
      summary: 'A packet on each line',
      value: `${JSON.stringify(packet)}\n${JSON.stringify({ ...packet, messageId: 'till-1-4712' })}\n`,
    },
  },
};

/** Returns examples by the names of their schemas: rows, pages, and what creates and changes rows. */
export function exampleComponents(
  resources: readonly Resource[],
  named: Record<string, Schema>,
): Record<string, { summary: string; value: unknown }> {
  const examples: Record<string, { summary: string; value: unknown }> = {};
  const add = (name: string, summary: string, value: (schema: Schema) => unknown): void => {
    const schema = named[name];
    if (schema) examples[name] = written[name] ?? { summary, value: value(schema) };
  };
  for (const resource of resources) {
    const type = typeName(resource);
    const fields = Object.keys(resource.fields);
    const row = exampleObject(named[type] ?? {}, named, ['@odata.etag', ...fields]);
    const value = { ...row, '@odata.etag': 'W/"7"' };
    add(type, resource.label, () => value);
    add(`${type}Page`, `A page of ${resource.plural}`, () => ({ value: [value] }));
    for (const name of Object.keys(named).filter((key) => key === `${type}Create` || key.startsWith(`${type}CreateWithout`)))
      add(name, `A new ${resource.label}`, (schema) => exampleOf(schema, named));
    const titled = resource.fields[resource.title]?.write === 'always' ? resource.title : undefined;
    add(`${type}Update`, 'A change', (schema) => {
      const first = titled ?? Object.keys(schema.properties ?? {})[0];
      return first === undefined ? {} : exampleObject(schema, named, [first]);
    });
  }
  return examples;
}
