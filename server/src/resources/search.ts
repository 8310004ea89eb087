/** Lets a search use one index: what a filter asks of any of the searched fields must stand in the text of all of them. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Tree } from '@cloudfit/contract/query/tree.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../ctx.ts';
import { columnName } from './column-name.ts';
import { isIndexed } from './indexes.ts';
import type { Served } from './served.ts';
import { constantText } from './to-sql.ts';
import { escaped } from './to-sql-functions.ts';

/** Below this length nearly every row has it, and a trigram index knows nothing. */
const shortest = 3;

/** A searched field of the row itself, as it is or folded. */
function isSearched(tree: Tree | undefined, resource: Resource): boolean {
  if (tree?.k === 'call' && tree.fn === 'tolower') return isSearched(tree.args[0], resource);
  return tree?.k === 'path' && tree.of === undefined && tree.path.length === 1 && resource.fields[tree.path[0] ?? '']?.search === true;
}

/** Text that stands in the searched fields of every row for which `tree` holds, whatever its case; undefined when it does not say. */
export function neededText(tree: Tree, resource: Resource): string | undefined {
  switch (tree.k) {
    case 'call': {
      const [field, text] = tree.args;
      if (!/^(contains|startswith|endswith)$/.test(tree.fn) || !text || !isSearched(field, resource)) return undefined;
      return constantText(text);
    }
    case 'compare':
      return tree.op === 'eq' && isSearched(tree.left, resource) ? constantText(tree.right) : undefined;
    case 'or': {
      const [first, ...others] = tree.of.map((part) => neededText(part, resource)?.toLowerCase());
      return others.every((other) => other === first) ? first : undefined;
    }
    case 'and':
      return tree.of.map((part) => neededText(part, resource)).find((text) => text !== undefined && text.length >= shortest);
    default:
      return undefined;
  }
}

/** One value of a column that has an index of its own, which finds it sooner. */
function isLookup(tree: Tree, { resource, table }: Served): boolean {
  const path = tree.k === 'compare' && tree.op === 'eq' && tree.left.k === 'path' ? tree.left : undefined;
  const [name] = path?.path ?? [];
  return name !== undefined && isSearched(path, resource) && isIndexed(table, [columnName(name)], resource.softDelete);
}

/** A condition that every row of the filter meets and that the index of `search.column` answers; `t` is the row. */
export function searchCondition(ctx: Ctx, served: Served, filter: Tree): readonly RawBuilder<boolean>[] {
  const { search, resource } = served;
  const others: Tree = { k: 'and', of: (filter.k === 'and' ? filter.of : [filter]).filter((part) => !isLookup(part, served)) };
  const text = search && neededText(others, resource);
  if (!search || text === undefined || text.length < shortest) return [];
  const pattern = sql`('%' || lower(${escaped(text)}) || '%')`;
  // Under a policy the index is not asked before the policy of each row; the function asks it first.
  if (ctx.tenants !== 'all')
    return [sql<boolean>`${sql.ref(`t.${columnName(resource.key)}`)} = any(array(select ${sql.ref(search.inScope)}(${pattern})))`];
  return [sql<boolean>`${sql.ref(`t.${search.column}`)} like ${pattern}`];
}
