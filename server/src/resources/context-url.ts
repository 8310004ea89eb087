/** The fragment of `@odata.context` that says what rows are: `devices(name,tenant(name))`. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Query } from '@cloudfit/contract/query/tree.ts';

function parts(query: Query): string[] {
  const expanded = query.expand.flatMap(({ name, query: inner }) => {
    const own = parts(inner);
    // Whole rows without further relations are not named, unless the properties beside them are.
    return own.length > 0 || query.select ? [`${name}(${own.join(',')})`] : [];
  });
  return [...(query.select ?? []), ...expanded];
}

/** Columns of groups, nested where a path leads through a relation: `tenant(name),count`. */
function grouped(paths: readonly (readonly string[])[]): string[] {
  const names = [...new Set(paths.map(([name = '']) => name))];
  return names.map((name) => {
    const inner = paths.filter((path) => path[0] === name && path.length > 1).map((path) => path.slice(1));
    return inner.length > 0 ? `${name}(${grouped(inner).join(',')})` : name;
  });
}

export function contextOf(resource: Resource, query: Query): string {
  const named = query.apply?.grouped && !query.select ? grouped(query.apply.columns.map(({ path }) => path)) : parts(query);
  return named.length > 0 ? `${resource.name}(${named.join(',')})` : resource.name;
}
