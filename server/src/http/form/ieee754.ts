/** Converts numbers that other languages round in JSON to text and back, for clients with `IEEE754Compatible=true`. */
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';

type JsonRow = Record<string, unknown>;

function isRow(value: unknown): value is JsonRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLong(resource: Resource, name: string): boolean {
  const kind = Object.hasOwn(resource.fields, name) ? resource.fields[name]?.kind : undefined;
  return kind === 'bigint' || kind === 'decimal' || name.endsWith('@odata.count');
}

/** Returns a row of this resource, and the rows expanded in it, with 64-bit and decimal numbers as text. */
export function longsAsText(resource: Resource, row: JsonRow): JsonRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'number') return [name, isLong(resource, name) ? String(value) : value];
      const relation = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined;
      if (!relation) return [name, value];
      const target = requireResource(relation.to);
      if (Array.isArray(value)) return [name, value.map((inner) => (isRow(inner) ? longsAsText(target, inner) : inner))];
      return [name, isRow(value) ? longsAsText(target, value) : value];
    }),
  );
}

/**
 * Returns the input of a client with `IEEE754Compatible=true` with numbers parsed from text. Text that is no number is
 * left unchanged, so that its field refuses it.
 */
export function textAsLongs(resource: Resource, body: unknown): unknown {
  if (!isRow(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && isLong(resource, name) && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
    ]),
  );
}
