/** Prints a tree as canonical query text, which parses to the same tree. */
import type { CompareOp, MathOp, OrderKey, Query, Tree } from './tree.ts';
import { literalText } from './values.ts';

/** Operator precedence of the standard. An operand of lower precedence than its operator gets brackets. */
const level = { or: 1, and: 2, equality: 3, relation: 4, sum: 5, product: 6, unary: 7, primary: 8 } as const;

const operatorLevel: Record<CompareOp | MathOp, number> = {
  eq: level.equality,
  ne: level.equality,
  gt: level.relation,
  ge: level.relation,
  lt: level.relation,
  le: level.relation,
  add: level.sum,
  sub: level.sum,
  mul: level.product,
  div: level.product,
  divby: level.product,
  mod: level.product,
};

function levelOf(tree: Tree): number {
  switch (tree.k) {
    case 'or':
    case 'and':
      return level[tree.k];
    case 'compare':
    case 'math':
      return operatorLevel[tree.op];
    case 'not':
    case 'negate':
      return level.unary;
    default:
      return level.primary;
  }
}

/** Canonical text of a filter. The caller URL-encodes it. */
export function print(tree: Tree): string {
  switch (tree.k) {
    case 'literal':
      return literalText(tree.type, tree.value);
    case 'path':
      return pathText(tree);
    case 'and':
    case 'or':
      return tree.of.map((part) => within(part, level[tree.k] + 1)).join(` ${tree.k} `);
    case 'not':
      return `not ${within(tree.of, level.primary)}`;
    // Without brackets the sign would become part of the number.
    case 'negate':
      return tree.of.k === 'literal' ? `-(${print(tree.of)})` : `-${within(tree.of, level.primary)}`;
    case 'compare':
    case 'math': {
      const rank = operatorLevel[tree.op];
      return `${within(tree.left, rank)} ${tree.op} ${within(tree.right, rank + 1)}`;
    }
    case 'in':
      return `${within(tree.left, level.primary)} in (${tree.values.map(print).join(',')})`;
    case 'call':
      return `${tree.fn}(${tree.args.map(print).join(',')})`;
    case 'any':
    case 'all':
      return `${pathText(tree)}/${tree.k}(${tree.where ? `${tree.variable}:${print(tree.where)}` : ''})`;
    case 'count':
      return `${pathText(tree)}/$count`;
  }
}

function pathText({ of, path }: { of?: string; path: readonly string[] }): string {
  return (of === undefined ? path : [of, ...path]).join('/');
}

function within(tree: Tree, minLevel: number): string {
  // `in` has the precedence of a call but cannot be the left side of another `in`.
  const bare = levelOf(tree) >= minLevel && !(tree.k === 'in' && minLevel === level.primary);
  return bare ? print(tree) : `(${print(tree)})`;
}

function orderText(keys: readonly OrderKey[]): string {
  return keys.map(({ of, descending }) => `${print(of)}${descending ? ' desc' : ''}`).join(',');
}

/** The options for filter, order, fields and expansions, as text. `also` is the text of a further condition. */
function optionTexts(query: Query, also?: string): [name: string, value: string][] {
  const filter = query.filter && (also === undefined ? print(query.filter) : within(query.filter, level.and + 1));
  const options: [string, string][] = [];
  if (filter !== undefined || also !== undefined)
    options.push(['filter', [also, filter].filter((part) => part !== undefined).join(' and ')]);
  if (query.orderBy.length > 0) options.push(['orderby', orderText(query.orderBy)]);
  if (query.select) options.push(['select', query.select.join(',')]);
  if (query.expand.length > 0) options.push(['expand', query.expand.map(expandText).join(',')]);
  return options;
}

function expandText({ name, query, countOnly }: Query['expand'][number]): string {
  if (countOnly) return `${name}/$count`;
  const options = optionTexts(query);
  for (const size of ['top', 'skip'] as const) if (query[size] !== undefined) options.push([size, String(query[size])]);
  if (query.count) options.push(['count', 'true']);
  return options.length === 0 ? name : `${name}(${options.map(([option, value]) => `$${option}=${value}`).join(';')})`;
}

/** Prints filter, order, fields and expansions as an URL-encoded query string, without page sizes and count. */
export function printOptions(query: Query, also?: string): string {
  return optionTexts(query, also)
    .map(([name, value]) => `$${name}=${encodeURIComponent(value)}`)
    .join('&');
}
