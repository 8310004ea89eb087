/** Lets a search use one index: a text in any searched field is also in the combined text of all searched fields. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Tree } from '@cloudfit/contract/query/tree.ts';
import { type RawBuilder, sql } from 'kysely';
import { columnName } from './columns.ts';
import { hasSearchText, isIndexed, searchColumn, searchFunction } from '../db/indexes.ts';
import { sourceOf, type ReadableResource, type ReadableOf } from './source.ts';
import { allOf, constantText, treeToSql, type Source } from './filter.ts';
import { escaped } from './functions.ts';

/** Minimum length of a searched text in characters: nearly every row has shorter texts, and trigrams need three. */
const shortest = 3;

/** Whether the tree is a searched field of the row, plain or in lower case. */
function isSearched(tree: Tree | undefined, resource: Resource): boolean {
  if (tree?.k === 'call' && tree.fn === 'tolower') return isSearched(tree.args[0], resource);
  return tree?.k === 'path' && tree.of === undefined && tree.path.length === 1 && resource.fields[tree.path[0] ?? '']?.search === true;
}

/** Text that the searched fields of every matching row of `tree` contain, ignoring case; undefined when there is no such text. */
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

/** A condition that each row of the filter meets and that indexes answer; empty if there is none. */
export function searchCondition(
  root: ReadableResource,
  readableOf: ReadableOf,
  filter: Tree,
  source: Source,
): readonly RawBuilder<boolean>[] {
  const { resource, table } = root;
  if (!hasSearchText(table)) return [];
  for (const part of filter.k === 'and' ? filter.of : [filter]) {
    if (isLookup(part, root)) continue;
    const texts = new Set<string>();
    const others: (RawBuilder<boolean> | undefined)[] = [];
    for (const one of part.k === 'or' ? part.of : [part]) {
      const text = neededText(one, resource)?.toLowerCase();
      if (text !== undefined) texts.add(text);
      else others.push(isLookup(one, root) ? treeToSql(one, source) : ofRelated(root, readableOf, one));
    }
    const [text = '', ...more] = texts;
    const answered = others.filter((other) => other !== undefined);
    if (more.length > 0 || text.length < shortest || answered.length < others.length) continue;
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
  const words = text.split(/\s+/).filter((word) => word.length >= shortest);
  if (words.length < 2) return `%${escaped(words[0] ?? text)}%`;
  return `%${words.map((word) => escaped(stem.exec(word)?.[0] ?? word)).join('%')}%`;
}

function inText({ resource, table, session }: ReadableResource, text: string): RawBuilder<boolean> {
  const pattern = sql`lower(${patternOf(text)})`;
  // PostgreSQL would check row-level security for each row before it uses the index; the function uses the index first.
  return session === 'all'
    ? sql<boolean>`${sql.ref(`t.${searchColumn}`)} like ${pattern}`
    : sql<boolean>`${sql.ref(`t.${columnName(resource.key)}`)} = any(array(select ${sql.ref(searchFunction(table))}(${pattern}, ${[...session]}::uuid[])))`;
}
