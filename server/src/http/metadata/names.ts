/** Names of the schema that `$metadata` describes. */
import type { Resource } from '@cloudfit/contract/resource.ts';

export const namespace = 'CloudFit';
export const containerName = 'Container';

/** Returns the name of the type of one row: the label without spaces, such as `WorkUnit`. */
export function typeName(resource: Resource): string {
  return pascal(resource.label);
}

export function qualified(name: string): string {
  return `${namespace}.${name}`;
}

/** Converts `matchActions` and `match-actions` to `MatchActions`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}

/** Returns the names of many rows and of one in the ids of operations, such as `WorkUnitNotes` and `WorkUnitNote`. */
export function operationNames(resource: Resource): { rows: string; row: string } {
  const rows = pascal(resource.name);
  const row = rows.replace(/ies$/, 'y').replace(/(?<=ch|us)es$|(?<!u)s$/, '');
  return { rows, row: row === rows ? typeName(resource) : row };
}
