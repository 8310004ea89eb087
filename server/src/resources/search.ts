/** Lets a search use one index: what a filter asks of any of the searched fields must stand in the text of all of them. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Tree } from '@cloudfit/contract/query/tree.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context/ctx.ts';
import { columnName } from './column-name.ts';
import { isIndexed } from './indexes.ts';
import type { AnyServed } from './served.ts';
import { allOf } from './scope.ts';
import { reachFor } from './reach.ts';
import { sourceOf, type Source } from './source.ts';
import { constantText, treeToSql } from './to-sql.ts';
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

const pathOf = (tree: Tree | undefined): readonly string[] =>
  tree?.k === 'call' && tree.fn === 'tolower' ? pathOf(tree.args[0]) : tree?.k === 'path' && tree.of === undefined ? tree.path : [];

/** One value of a column that has an index of its own, which finds it sooner than any search. */
function isLookup(tree: Tree, { resource, table }: AnyServed): boolean {
  if (tree.k !== 'compare' || tree.op !== 'eq' || tree.left.k !== 'path') return false;
  const [name = '', ...further] = pathOf(tree.left);
  return further.length === 0 && name in resource.fields && isIndexed(table, [columnName(name)], resource.softDelete);
}

/** What is asked of one field of a related row (`tenant/name`): the rows of these tenants, where an index leads to them. */
function ofRelated(ctx: Ctx, { resource, table }: AnyServed, tree: Tree): RawBuilder<boolean> | undefined {
  const [asked, ...values] = tree.k === 'call' ? tree.args : tree.k === 'compare' ? [tree.left, tree.right] : [];
  const [name = '', field, ...further] = pathOf(asked);
  const relation = resource.relations[name];
  if (!field || further.length > 0 || !relation || relation.many || values.some((value) => value.k !== 'literal')) return undefined;
  if (!isIndexed(table, [columnName(relation.from)], resource.softDelete)) return undefined;
  const target = reachFor(ctx)(relation.to);
  const source = sourceOf(reachFor(ctx), target.resource, 'o', sql`${sql.table(target.table)} as o`);
  const own = (part: Tree): Tree =>
    part.k === 'path' ? { ...part, path: [field] } : part.k === 'call' ? { ...part, args: part.args.map(own) } : part;
  const condition = tree.k === 'compare' ? { ...tree, left: own(tree.left) } : own(tree);
  const rows = sql`select ${sql.ref(`o.${columnName(relation.on)}`)} from ${source.from()} where ${allOf([...target.visible('o'), treeToSql(condition, source)])}`;
  return sql<boolean>`${sql.ref(`t.${columnName(relation.from)}`)} = any(array(${rows}))`;
}

/** A condition that every row of the filter meets, made of parts that indexes answer; `t` is the row, as `source` reads it. */
export function searchCondition(ctx: Ctx, served: AnyServed, filter: Tree, source: Source): readonly RawBuilder<boolean>[] {
  const { search, resource } = served;
  if (!search) return [];
  for (const part of filter.k === 'and' ? filter.of : [filter]) {
    if (isLookup(part, served)) continue;
    const texts = new Set<string>();
    const others: (RawBuilder<boolean> | undefined)[] = [];
    for (const one of part.k === 'or' ? part.of : [part]) {
      const text = neededText(one, resource)?.toLowerCase();
      if (text !== undefined) texts.add(text);
      else others.push(isLookup(one, served) ? treeToSql(one, source) : ofRelated(ctx, served, one));
    }
    const [text = '', ...more] = texts;
    const answered = others.filter((other) => other !== undefined);
    if (more.length > 0 || text.length < shortest || answered.length < others.length) continue;
    return [sql<boolean>`(${sql.join([inText(ctx, search, resource, text), ...answered], sql` or `)})`];
  }
  return [];
}

/** As much of a word of letters says nearly as much as all of it. */
const stem = /^\p{L}{5}(?=\p{L}+$)/u;

/**
 * Finds at least the rows with the text, by its words in their order: short words and the ends of words are in nearly every row
 * that has the others, and looking them up takes as long as all the rest.
 */
function patternOf(text: string): string {
  const words = text.split(/\s+/).filter((word) => word.length >= shortest);
  if (words.length < 2) return `%${escaped(words[0] ?? text)}%`;
  return `%${words.map((word) => escaped(stem.exec(word)?.[0] ?? word)).join('%')}%`;
}

function inText(ctx: Ctx, search: NonNullable<AnyServed['search']>, resource: Resource, text: string): RawBuilder<boolean> {
  const pattern = sql`lower(${patternOf(text)})`;
  // Under a policy the index is not asked before the policy of each row; the function asks it first.
  return ctx.tenants === 'all'
    ? sql<boolean>`${sql.ref(`t.${search.column}`)} like ${pattern}`
    : sql<boolean>`${sql.ref(`t.${columnName(resource.key)}`)} = any(array(select ${sql.ref(search.inScope)}(${pattern}, ${[...ctx.tenants]}::uuid[])))`;
}
