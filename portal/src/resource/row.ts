/** A row of any resource, and how it is named to people. */
import type { Resource } from '@cloudfit/contract/resource.ts';

export type AnyRow = Record<string, unknown>;

export function keyOf(resource: Resource, row: object): string {
  return String((row as AnyRow)[resource.key]);
}

export function titleOf(resource: Resource, row: object): string {
  const value = (row as AnyRow)[resource.title];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : keyOf(resource, row);
}
