/** A row of any resource, and its display name. */
import type { FieldName, Resource } from '@cloudfit/contract/resource.ts';

/** A row whose resource is known only at run time. */
export type UntypedRow = Readonly<Record<string, unknown>>;

/** Values that are to be written to a row: they may still be invalid. */
export type FormValues<R extends Resource = Resource> = { [K in FieldName<R>]?: unknown };

/** The value of a field by its name. */
export function fieldValue(row: object, name: string): unknown {
  return (row as UntypedRow)[name];
}

/** The label of a field; the key when it has none. */
export function labelOf(resource: Resource, name = resource.key): string {
  return resource.fields[name]?.label ?? name;
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/** Compares wire values of a field: empty values are equal, times compare as instants, lists and objects as JSON. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a === 'object' && typeof b === 'object') return JSON.stringify(a) === JSON.stringify(b);
  return typeof a === 'string' && typeof b === 'string' && /^\d{4}-\d\d-\d\dT/.test(a) && Date.parse(a) === Date.parse(b);
}

export function keyOf(resource: Pick<Resource, 'key'>, row: object): string {
  return String(fieldValue(row, resource.key));
}

export function titleOf(resource: Pick<Resource, 'key' | 'title'>, row: object): string {
  const value = fieldValue(row, resource.title);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : keyOf(resource, row);
}

/** The relation that begins at a reference field, such as `tenant` for `tenantId`. */
export function relationOf(resource: Resource, name: string): string | undefined {
  return Object.entries(resource.relations).find(([, relation]) => !relation.many && relation.from === name)?.[0];
}
