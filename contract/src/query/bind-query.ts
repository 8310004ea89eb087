/** All options of a request bound to a resource: the one shape that the server's engine reads. */
import type { Resource } from '../resource.ts';
import { limits } from '../limits.ts';
import type { ExpandNode, ExpandOption, OrderNode, SelectNode } from './ast.ts';
import { bindCondition } from './bind-filter.ts';
import { type Binding, fieldsOf, type Find, newBinding, relationOf, resolve, targetOf, unknownProperty } from './binding.ts';
import { type Options, wholeNumber } from './options.ts';
import { complaint, type OptionName, parseText } from './parse.ts';
import type { Expand, OrderKey, Query } from './tree.ts';

/** Parses and binds every option; throws an `ApiError` that names option and offset. */
export function bindQuery(resource: Resource, options: Options, find: Find): Query {
  const b = newBinding(resource, find, options.aliases);
  const under = (option: OptionName): Binding => ({ ...b, option });
  const query: Query = { orderBy: [], expand: [], joins: [], count: options.count ?? false };
  if (options.filter !== undefined) query.filter = bindCondition(b, parseText('Filter', options.filter, '$filter'));
  if (options.orderby !== undefined) query.orderBy = bindOrderBy(under('$orderby'), parseText('OrderBy', options.orderby, '$orderby'));
  if (options.select !== undefined) setSelect(query, bindSelect(under('$select'), parseText('Select', options.select, '$select')));
  if (options.expand !== undefined) query.expand = bindExpand(under('$expand'), parseText('Expand', options.expand, '$expand'), 1);
  if (options.top !== undefined) query.top = options.top;
  if (options.skip !== undefined) query.skip = options.skip;
  query.joins = [...b.joins.values()];
  return query;
}

function bindOrderBy(b: Binding, nodes: readonly OrderNode[]): OrderKey[] {
  if (nodes.length > limits.orderByKeys)
    throw complaint(b.option, 'TooComplex', `More than ${limits.orderByKeys} sort keys are given.`, nodes[limits.orderByKeys]?.pos);
  return nodes.map(({ of, descending, pos }) => {
    if (of.k !== 'path') throw complaint(b.option, 'NotImplemented', 'Sorting by an expression is not supported; name a property.', pos);
    const { field, nullable } = resolve(b, of);
    if (!field.sort) throw complaint(b.option, 'invalid', `The property '${of.path.join('/')}' cannot be sorted by.`, pos);
    return { path: of.path, field, nullable, descending };
  });
}

/** Undefined stands for all fields. A relation may be named: it adds nothing, $expand is what brings its rows. */
function bindSelect(b: Binding, nodes: readonly SelectNode[]): string[] | undefined {
  const names = new Set<string>();
  let all = false;
  for (const { path, pos } of nodes) {
    const [name = '', ...rest] = path;
    if (name === '*') all = true;
    else if (name.includes('.')) throw complaint(b.option, 'NotImplemented', `The qualified name '${name}' is not supported.`, pos);
    else if (rest.length > 0)
      throw complaint(b.option, 'NotImplemented', `A path in $select is not supported; use $expand=${name}($select=...).`, pos);
    else if (fieldsOf(b.resource).has(name)) names.add(name);
    else if (!relationOf(b.resource, name)) throw unknownProperty(b, b.resource, name, pos);
  }
  return all ? undefined : [...names];
}

function setSelect(query: Query, select: string[] | undefined): void {
  if (select) query.select = select;
}

function bindExpand(b: Binding, nodes: readonly ExpandNode[], depth: number): Expand[] {
  const seen = new Set<string>();
  return nodes.map((node) => {
    const { name, pos } = node;
    const relation = relationOf(b.resource, name);
    if (!relation) {
      if (!fieldsOf(b.resource).has(name)) throw unknownProperty(b, b.resource, name, pos);
      throw complaint(b.option, 'invalid', `'${name}' is a property and cannot be expanded.`, pos);
    }
    if (seen.has(name)) throw complaint(b.option, 'invalid', `'${name}' is expanded twice.`, pos);
    seen.add(name);
    if (depth > limits.expandDepth) throw complaint(b.option, 'TooComplex', `$expand is nested deeper than ${limits.expandDepth}.`, pos);
    if (++b.budget.expands > limits.expandItems)
      throw complaint(b.option, 'TooComplex', `$expand names more than ${limits.expandItems} relations.`, pos);
    const target = targetOf(b, relation.to);
    const inner: Binding = { ...b, resource: target, joins: new Map() };
    return { name, relation, target, query: bindNested(inner, node.options, relation.many, depth) };
  });
}

function bindNested(b: Binding, options: readonly ExpandOption[], many: boolean, depth: number): Query {
  const query: Query = { orderBy: [], expand: [], joins: [], count: false };
  const seen = new Set<string>();
  for (const option of options) {
    const { name, pos } = option;
    if (seen.has(name)) throw complaint(b.option, 'invalid', `$${name} is given twice.`, pos);
    seen.add(name);
    if (!many && name !== 'select' && name !== 'expand')
      throw complaint(b.option, 'invalid', `$${name} needs a relation to many rows.`, pos);
    if (name === 'filter') query.filter = bindCondition(b, option.value);
    else if (name === 'orderby') query.orderBy = bindOrderBy(b, option.value);
    else if (name === 'select') setSelect(query, bindSelect(b, option.value));
    else if (name === 'expand') query.expand = bindExpand(b, option.value, depth + 1);
    else if (name === 'count') query.count = flag(b, option.value, pos);
    else query[name] = size(b, name, option.value, pos);
  }
  query.joins = [...b.joins.values()];
  return query;
}

function flag(b: Binding, text: string, pos: number): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw complaint(b.option, 'invalid', '$count is true or false.', pos);
}

function size(b: Binding, name: 'top' | 'skip', text: string, pos: number): number {
  const value = wholeNumber(text);
  if (value === undefined) throw complaint(b.option, 'invalid', `$${name} is a whole number, 0 or more.`, pos);
  if (name === 'skip' && value > limits.skipMax) throw complaint(b.option, 'TooComplex', `$skip is at most ${limits.skipMax}.`, pos);
  return value;
}
