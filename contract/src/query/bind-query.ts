/** Binds all options of a request to a resource, in the shape that the server's engine reads. */
import type { Resource } from '../resource.ts';
import { limits } from '../limits.ts';
import type { ExpandNode, ExpandOption, SearchNode, SelectNode } from './ast.ts';
import { notSearchFilter, searchFilter } from './build.ts';
import { bindApply, bindCompute } from './bind-apply.ts';
import { bindCondition } from './bind-filter.ts';
import { bindOrderBy, bindSize } from './bind-order.ts';
import { type Binding, fieldsOf, type ResourceLookup, newBinding, relationOf, targetOf, unknownProperty } from './binding.ts';
import { searchedByText } from './functions.ts';
import type { QueryOptions } from './options.ts';
import { complaint, type OptionName, parseText } from './parse.ts';
import type { Expand, Query, Tree } from './tree.ts';

/** Parses and binds every option; throws an `ApiError` that names option and offset. */
export function bindQuery(resource: Resource, options: QueryOptions, find: ResourceLookup): Query {
  const root = newBinding(resource, find, options.aliases);
  const query: Query = { orderBy: [], expand: [], joins: root.joins, count: options.count ?? false };
  let b = root;
  if (options.apply !== undefined) {
    const { apply, after } = bindApply({ ...root, option: '$apply' }, parseText('Apply', options.apply, '$apply'));
    query.apply = apply;
    b = after;
  }
  if (options.compute !== undefined) {
    b = bindCompute({ ...b, option: '$compute' }, parseText('Compute', options.compute, '$compute'));
    const columns = [...b.computed.values()].map(({ path, of }) => ({ path, of }));
    query.apply = { steps: query.apply?.steps ?? [], grouped: b.grouped, columns };
  }
  const under = (option: OptionName): Binding => ({ ...b, option });
  const filter = filterOf(b, options);
  if (filter !== undefined) query.filter = filter;
  if (options.orderby !== undefined) query.orderBy = bindOrderBy(under('$orderby'), parseText('OrderBy', options.orderby, '$orderby'));
  if (options.select !== undefined) setSelect(query, bindSelect(under('$select'), parseText('Select', options.select, '$select')));
  if (options.expand !== undefined) query.expand = bindExpand(under('$expand'), parseText('Expand', options.expand, '$expand'), 1);
  if (options.top !== undefined) query.top = options.top;
  if (options.skip !== undefined) query.skip = options.skip;
  return query;
}

/** The conditions of `$filter` and of `$search`, joined by `and`; undefined without both. */
function filterOf(b: Binding, { filter, search }: QueryOptions): Tree | undefined {
  const parts: Tree[] = [];
  if (filter !== undefined) parts.push(bindCondition({ ...b, option: '$filter' }, parseText('Filter', filter, '$filter')));
  if (search !== undefined) parts.push(searchOf({ ...b, option: '$search' }, search));
  const [first, ...others] = parts.flatMap((part) => (part.k === 'and' ? part.of : [part]));
  return first && others.length > 0 ? { k: 'and', of: [first, ...others] } : first;
}

function searchOf(b: Binding, search: string): Tree {
  const node = parseText('Search', search, '$search');
  if (textsIn(node) > limits.searchTexts)
    throw complaint(b.option, 'TooComplex', `A search has at most ${limits.searchTexts} words and phrases.`);
  return searched(b, node);
}

function textsIn(node: SearchNode): number {
  if (node.k === 'text') return 1;
  return node.k === 'not' ? textsIn(node.of) : node.of.reduce((sum, part) => sum + textsIn(part), 0);
}

/** The condition of a `$search`, for the same fields that a search box searches. */
function searched(b: Binding, node: SearchNode, isNegated = false): Tree {
  const { resource } = b;
  if (b.grouped) throw complaint(b.option, 'NotImplemented', '$search cannot look at groups.');
  if (!Object.values(resource.fields).some((field) => field.search))
    throw complaint(b.option, 'NotImplemented', `${resource.plural} have no fields that $search looks at.`);
  switch (node.k) {
    case 'text': {
      // Each text by itself, because the condition of many texts would be longer, and have more parts, than a filter may.
      const one: Binding = { ...b, budget: { nodes: 0, expands: 0 }, joins: [] };
      // Only a phrase has blanks.
      const typed = /\s/.test(node.text) && searchedByText.has(resource.name) ? `"${node.text}"` : node.text;
      const text = isNegated ? notSearchFilter(resource, typed) : (searchFilter(resource, typed) ?? 'true');
      const condition = bindCondition(one, parseText('Filter', text, b.option));
      b.joins.push(...one.joins.filter(({ relation }) => !b.joins.some((join) => join.relation === relation)));
      return condition;
    }
    case 'not':
      return searched(b, node.of, !isNegated);
    default: {
      // Negates each part instead of the whole, because `not` of a condition on a field without a value is not true.
      const word = isNegated === (node.k === 'and') ? 'or' : 'and';
      const parts = node.of.map((part) => searched(b, part, isNegated));
      return { k: word, of: parts.flatMap((part) => (part.k === word ? part.of : [part])) };
    }
  }
}

/** Returns the selected names; undefined means all fields. A relation has no effect: only $expand adds related rows. */
function bindSelect(b: Binding, nodes: readonly SelectNode[]): string[] | undefined {
  const names = new Set<string>();
  let all = false;
  for (const { path, pos } of nodes) {
    const [name = '', ...rest] = path;
    if (name === '*') all = true;
    else if (madeNames(b).has(name) && rest.length === 0) names.add(name);
    else if (b.grouped) throw complaint(b.option, 'UnknownProperty', `'${path.join('/')}' is not a property of what $apply answers.`, pos);
    else if (name.includes('.')) throw complaint(b.option, 'NotImplemented', `The qualified name '${name}' is not supported.`, pos);
    else if (rest.length > 0)
      throw complaint(b.option, 'NotImplemented', `A path in $select is not supported; use $expand=${name}($select=...).`, pos);
    else if (fieldsOf(b.resource).has(name)) names.add(name);
    else if (!relationOf(b.resource, name)) throw unknownProperty(b, b.resource, name, pos);
  }
  return all ? undefined : [...names];
}

/** The first path segments of the computed columns. */
function madeNames(b: Binding): ReadonlySet<string> {
  return new Set([...b.computed.values()].map(({ path }) => path[0] ?? ''));
}

function setSelect(query: Query, select: string[] | undefined): void {
  if (select) query.select = select;
}

function bindExpand(b: Binding, nodes: readonly ExpandNode[], depth: number): Expand[] {
  const names = new Set<string>();
  if (b.grouped) throw complaint(b.option, 'invalid', 'Groups have no relations to expand.', nodes[0]?.pos);
  const starred = nodes.some(({ name }) => name === '*');
  const named = nodes.filter(({ name }) => name !== '*');
  return [...bindNamed(b, named, depth, names), ...(starred ? everyRelation(b, depth, names) : [])];
}

/** The relations that `*` in $expand adds to the relations that are named explicitly. */
function everyRelation(b: Binding, depth: number, names: ReadonlySet<string>): Expand[] {
  if (depth > 1) throw complaint(b.option, 'NotImplemented', "'*' within $expand is not supported.");
  return Object.entries(b.resource.relations)
    .filter(([name]) => !names.has(name))
    .map(([name, relation]) => {
      const query: Query = { orderBy: [], expand: [], joins: [], count: false };
      return { name, relation, target: targetOf(b, relation.to), query, countOnly: false, ifAllowed: true };
    });
}

function bindNamed(b: Binding, nodes: readonly ExpandNode[], depth: number, names: Set<string>): Expand[] {
  return nodes.map((node) => {
    const { name, pos, countOnly = false } = node;
    const relation = relationOf(b.resource, name);
    if (!relation) {
      if (!fieldsOf(b.resource).has(name)) throw unknownProperty(b, b.resource, name, pos);
      throw complaint(b.option, 'invalid', `'${name}' is a property and cannot be expanded.`, pos);
    }
    if (names.has(name)) throw complaint(b.option, 'invalid', `'${name}' is expanded twice.`, pos);
    names.add(name);
    if (depth > limits.expandDepth) throw complaint(b.option, 'TooComplex', `$expand is nested deeper than ${limits.expandDepth}.`, pos);
    if (++b.budget.expands > limits.expandItems)
      throw complaint(b.option, 'TooComplex', `$expand names more than ${limits.expandItems} relations.`, pos);
    const target = targetOf(b, relation.to);
    if (countOnly && !relation.many) throw complaint(b.option, 'invalid', `'${name}' does not hold many rows.`, pos);
    const inner: Binding = { ...b, resource: target, walked: new Map(), joins: [], computed: new Map() };
    const query = bindNested(inner, node.options, relation.many, depth);
    return { name, relation, target, query: countOnly ? { ...query, count: true } : query, countOnly };
  });
}

function bindNested(b: Binding, options: readonly ExpandOption[], many: boolean, depth: number): Query {
  const query: Query = { orderBy: [], expand: [], joins: b.joins, count: false };
  const names = new Set<string>();
  for (const option of options) {
    const { name, pos } = option;
    if (names.has(name)) throw complaint(b.option, 'invalid', `$${name} is given twice.`, pos);
    names.add(name);
    if (!many && name !== 'select' && name !== 'expand')
      throw complaint(b.option, 'invalid', `$${name} needs a relation to many rows.`, pos);
    if (name === 'filter') query.filter = bindCondition(b, option.value);
    else if (name === 'orderby') query.orderBy = bindOrderBy(b, option.value);
    else if (name === 'select') setSelect(query, bindSelect(b, option.value));
    else if (name === 'expand') query.expand = bindExpand(b, option.value, depth + 1);
    else if (name === 'count') query.count = flag(b, option.value, pos);
    else query[name] = bindSize(b, name, option.value, pos);
  }
  return query;
}

function flag(b: Binding, text: string, pos: number): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw complaint(b.option, 'invalid', '$count is true or false.', pos);
}
