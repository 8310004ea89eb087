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
