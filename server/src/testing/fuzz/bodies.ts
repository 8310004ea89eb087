/** Bodies for writes and calls: samples with changes, patches, and inputs generated from the schemas of actions. */
import type { Action } from '@cloudfit/contract/action.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { jsonSchema, type JsonSchema } from '../../http/metadata/edm-type.ts';
import type { Chance } from './chance.ts';
import { anyJson, anyText, fieldJson, type Ids } from './values.ts';

type FuzzBody = Record<string, unknown>;

/** Returns the sample's fields, often with one or two fields changed or removed, and rarely with one field more. */
export function changedSample(c: Chance, r: Resource, sample: FuzzBody, ids: Ids): FuzzBody {
  const body: FuzzBody = { ...sample };
  // Names are unique, and a second row with the sample's name would be refused only for that.
  if (r.fields[r.title]?.kind === 'text' && r.title in body) body[r.title] = `Fuzz ${c.below(1_000_000_000)}`;
  if (c.once(3)) return body;
  for (const entry of c.times(2, () => c.some(Object.entries(r.fields)))) {
    if (!entry) continue;
    const [name, field] = entry;
    if (c.once(6)) delete body[name];
    else body[name] = fieldJson(c, field, ids);
  }
  if (c.once(15)) body[c.pick(['nothing', '@odata.etag', 'constructor', '', 'tenant'])] = anyJson(c, ids);
  return body;
}

export function partOf(c: Chance, r: Resource, ids: Ids): FuzzBody {
  const names = c.times(4, () => c.some(Object.entries(r.fields)));
  return Object.fromEntries(names.flatMap((entry) => (entry ? [[entry[0], fieldJson(c, entry[1], ids)]] : [])));
}

export function patch(c: Chance, r: Resource, ids: Ids): unknown {
  if (c.once(8)) return { newState: partOf(c, r, ids), previousState: partOf(c, r, ids) };
  if (c.once(3)) return partOf(c, r, ids);
  return c.times(c.once(30) ? 120 : 4, () => {
    const [name = '', field] = c.some(Object.entries(r.fields)) ?? [];
    return {
      op: c.pick(['test', 'replace', 'replace', 'add', 'remove', 'copy', 'move', 'x']),
      path: c.pick([`/${name}`, `/${name}`, `/${name}`, name, `/${name}/0`, `/${name}/-`, '/__proto__/tenantId', '', '/', `/${name}/a~1b`]),
      ...(field && !c.once(10) ? { value: fieldJson(c, field, ids) } : {}),
      ...(c.once(10) ? { from: `/${name}` } : {}),
    };
  });
}

/** Generates random input from a schema, often valid. */
export function fromSchema(c: Chance, schema: JsonSchema, ids: Ids, depth = 0): unknown {
  if (c.once(8)) return anyJson(c, ids);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return c.some(schema.enum);
  const choice = c.some(schema.anyOf ?? schema.oneOf ?? []);
  if (choice) return fromSchema(c, choice, ids, depth + 1);
  const type = Array.isArray(schema.type) ? c.some(schema.type) : schema.type;
  switch (type) {
    case 'string':
      if (schema.pattern?.includes('[0-9a-f]{8}')) return c.some(ids.filter((id) => id.length === 36));
      return schema.format === 'date-time' ? '2026-11-21T10:00:00Z' : anyText(c);
    case 'integer':
    case 'number':
      return c.once(2) ? Number(c.some(ids.filter((id) => /^\d+$/.test(id))) ?? 1) : c.pick([0, 1, 5, -1, 1e12]);
    case 'boolean':
      return c.once(2);
    case 'array':
      return depth > 4 ? [] : c.times(3, () => fromSchema(c, schema.items ?? {}, ids, depth + 1));
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
          c.once(6) ? [] : [[name, fromSchema(c, inner, ids, depth + 1)]],
        ),
      );
    default:
      return anyJson(c, ids);
  }
}

const schemas = new Map<Action, JsonSchema>();

/** Generates input of an action: its path with the parameters filled in, and the fields that are not in the path. */
export function actionInput(c: Chance, action: Action, ids: Ids): { path: string; rest: FuzzBody } {
  let schema = schemas.get(action);
  if (!schema) schemas.set(action, (schema = jsonSchema(action.input, 'input')));
  const generated = fromSchema(c, { type: 'object', ...schema }, ids);
  const input: FuzzBody = typeof generated === 'object' && generated !== null && !Array.isArray(generated) ? { ...generated } : {};
  const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 200).toWellFormed();
  const path = action.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = input[name] ?? c.some(ids);
    delete input[name];
    return encodeURIComponent(text(value)) || 'x';
  });
  return { path, rest: input };
}
