/** Lets a search use one index: a text in any searched field is also in the combined text of all searched fields. */
import { isFolding, neededText } from '@cloudfit/contract/query/needed-text.ts';
import { shortestNeeded } from '@cloudfit/contract/query/text.ts';
import type { Tree } from '@cloudfit/contract/query/tree.ts';
import { type RawBuilder, sql } from '../db/sql.ts';
import { columnName } from '../db/column-name.ts';
import { hasSearchIndex, isIndexed, searchFunction } from '../db/indexes.ts';
import { sourceOf, type ReadableResource, type ReadableOf } from './source.ts';
import { allOf, treeToSql, type Source } from './filter.ts';
import { escaped } from './functions.ts';

const pathOf = (tree: Tree | undefined): readonly string[] =>
  tree?.k === 'call' && isFolding(tree.fn) ? pathOf(tree.args[0]) : tree?.k === 'path' && tree.of === undefined ? tree.path : [];

/** Whether the tree is an equality on a column with an index, which is faster than any search. */
function isLookup(tree: Tree, { resource, table }: ReadableResource): boolean {
  if (tree.k !== 'compare' || tree.op !== 'eq' || tree.left.k !== 'path') return false;
  const [name = '', ...further] = pathOf(tree.left);
  return further.length === 0 && name in resource.fields && isIndexed(table, [columnName(name)]);
}

/** Turns a condition on a related row (`tenant/name`) into a condition on its key; undefined if no index has the key. */
function ofRelated({ resource, table }: ReadableResource, readableOf: ReadableOf, tree: Tree): RawBuilder<boolean> | undefined {
  const [subject, ...values] = tree.k === 'call' ? tree.args : tree.k === 'compare' ? [tree.left, tree.right] : [];
  const [name = '', field, ...further] = pathOf(subject);
  const relation = resource.relations[name];
  if (!field || further.length > 0 || !relation || relation.many || values.some((value) => value.k !== 'literal')) return undefined;
  if (!isIndexed(table, [columnName(relation.from)])) return undefined;
  const target = readableOf(relation.to);
  const source = sourceOf(readableOf, target.resource, 'o', sql`${sql.table(target.table)} as o`);
  const ownText = (part: Tree): Tree =>
    part.k === 'path' ? { ...part, path: [field] } : part.k === 'call' ? { ...part, args: part.args.map(ownText) } : part;
  const condition = tree.k === 'compare' ? { ...tree, left: ownText(tree.left) } : ownText(tree);
  const rows = sql`select ${sql.ref(`o.${columnName(relation.on)}`)} from ${source.from()} where ${allOf([...target.visible('o'), treeToSql(condition, source)])}`;
  return sql<boolean>`${sql.ref(`t.${columnName(relation.from)}`)} = any(array(${rows}))`;
}

/** The columns that a condition on rows, or on those of a variable, requires to be null. */
function emptyColumns(tree: Tree, of?: string): string[] {
  return (tree.k === 'and' ? tree.of : [tree]).flatMap((part) => {
    const isNull = part.k === 'compare' && part.op === 'eq' && part.right.k === 'literal' && part.right.value === null;
    return isNull && part.left.k === 'path' && part.left.of === of ? part.left.path.slice(0, 1).map((name) => columnName(name)) : [];
  });
}

/** Turns a condition on the rows of a relation to many (`notes/any(...)`) into one on the key; undefined if no index has the text. */
function ofMany({ resource }: ReadableResource, readableOf: ReadableOf, tree: Tree): RawBuilder<boolean> | undefined {
  if (tree.k !== 'any' || !tree.where || tree.of !== undefined || tree.path.length !== 1) return undefined;
  const relation = resource.relations[tree.path[0] ?? ''];
  if (!relation) return undefined;
  const target = readableOf(relation.to);
  const text = neededText(tree.where, target.resource, tree.variable) ?? '';
  if (text.length < shortestNeeded || !hasSearchIndex(target.table, emptyColumns(tree.where, tree.variable))) return undefined;
  const rows = sql`select ${sql.ref(`o.${columnName(relation.on)}`)} from ${sql.table(target.table)} as o where ${allOf([...target.visible('o'), inText(target, text, 'o')])}`;
  return sql<boolean>`${sql.ref(`t.${columnName(relation.from)}`)} = any(array(${rows}))`;
}

/** A condition that each row of the filter meets and that indexes answer; empty if there is none. */
export function searchCondition(
  root: ReadableResource,
  readableOf: ReadableOf,
  filter: Tree,
  source: Source,
): readonly RawBuilder<boolean>[] {
  const { resource, table } = root;
  if (!hasSearchIndex(table, emptyColumns(filter))) return [];
  for (const part of filter.k === 'and' ? filter.of : [filter]) {
    if (isLookup(part, root)) continue;
    const texts = new Set<string>();
    const others: (RawBuilder<boolean> | undefined)[] = [];
    for (const one of part.k === 'or' ? part.of : [part]) {
      const text = neededText(one, resource);
      if (text !== undefined) texts.add(text);
      else others.push(isLookup(one, root) ? treeToSql(one, source) : (ofMany(root, readableOf, one) ?? ofRelated(root, readableOf, one)));
    }
    const [text = '', ...more] = texts;
    const answered = others.filter((other) => other !== undefined);
    if (more.length > 0 || text.length < shortestNeeded || answered.length < others.length) continue;
    return [sql<boolean>`(${sql.join([inText(root, text), ...answered], sql` or `)})`];
  }
  return [];
}

/** Matches the first five letters of a longer word: they are nearly as selective as the whole word. */
const stem = /^\p{L}{5}(?=\p{L}+$)/u;

/**
 * A `like` pattern that matches at least all rows with the text: its words in their order. It omits short words and ends of
 * words: nearly every row with the other words has them, and looking them up takes as long as all the rest.
 */
function patternOf(text: string): string {
  const words = text.split(/\s+/).filter((word) => word.length >= shortestNeeded);
  if (words.length < 2) return `%${escaped(words[0] ?? text)}%`;
  return `%${words.map((word) => escaped(stem.exec(word)?.[0] ?? word)).join('%')}%`;
}

function inText({ resource, table, session }: ReadableResource, text: string, t = 't'): RawBuilder<boolean> {
  const key = sql.ref(`${t}.${columnName(resource.key)}`);
  const search = sql.ref(searchFunction(table));
  const pattern = patternOf(text);
  // PostgreSQL would check row-level security for each row before it uses the index; the function with tenants uses the index first.
  return session === 'all'
    ? sql<boolean>`${key} = any(array(select ${search}(${pattern})))`
    : sql<boolean>`${key} = any(array(select ${search}(${pattern}, ${[...session]}::uuid[])))`;
}
