/** The tree as canonical query text: what it parses to is the same tree again. */
import type { CompareOp, MathOp, Tree } from './tree.ts';
import { literalText } from './values.ts';

/** Tightness of the standard's table; a part that is looser than its place wants stands in brackets. */
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

/** Canonical text of a filter; URL encoding is the caller's. */
export function print(tree: Tree): string {
  switch (tree.k) {
    case 'literal':
      return literalText(tree.type, tree.value);
    case 'path':
      return tree.path.join('/');
    case 'and':
    case 'or':
      return tree.of.map((part) => within(part, level[tree.k] + 1)).join(` ${tree.k} `);
    case 'not':
      return `not ${within(tree.of, level.primary)}`;
    // Without its brackets a number would take the sign as its own.
    case 'negate':
      return tree.of.k === 'literal' ? `-(${print(tree.of)})` : `-${within(tree.of, level.primary)}`;
    case 'compare':
    case 'math': {
      const own = operatorLevel[tree.op];
      return `${within(tree.left, own)} ${tree.op} ${within(tree.right, own + 1)}`;
    }
    case 'in':
      return `${within(tree.left, level.primary)} in (${tree.values.map(print).join(',')})`;
    case 'call':
      return `${tree.fn}(${tree.args.map(print).join(',')})`;
  }
}

function within(tree: Tree, least: number): string {
  // `in` is as tight as a call but cannot stand left of another `in`.
  const bare = levelOf(tree) >= least && !(tree.k === 'in' && least === level.primary);
  return bare ? print(tree) : `(${print(tree)})`;
}
