/** Evaluates a bound tree over a row in memory, with the answers that the database would give. */
import { ApiError } from '../errors.ts';
import { call, reckon } from './reckon.ts';
import { compareText } from './text.ts';
import { type CompareOp, type Literal, type Tree, type Type, typeOf, type Value } from './tree.ts';
import { duration, timestamp } from './values.ts';

/** A row as it travels; single relations that the tree walks through are nested rows or null. */
export type MatchRow = Readonly<Record<string, unknown>>;

/** Is the condition true of the row? Null is not. */
export function matches(tree: Tree, row: MatchRow, now: Date = new Date()): boolean {
  return evaluate(tree, row, now) === true;
}

/** The canonical value of the tree. */
export function evaluate(tree: Tree, row: MatchRow, now: Date): Value {
  switch (tree.k) {
    case 'literal':
      return tree.value;
    case 'path':
      return readPath(tree.path, tree.type, row);
    case 'and':
      return chain(tree.of, row, now, false);
    case 'or':
      return chain(tree.of, row, now, true);
    case 'not': {
      const of = evaluate(tree.of, row, now);
      return of === null ? null : !of;
    }
    case 'compare':
      return compare(tree.op, evaluate(tree.left, row, now), evaluate(tree.right, row, now), typeOf(tree.left));
    case 'in':
      return isIn(evaluate(tree.left, row, now), tree.values, typeOf(tree.left));
    case 'negate':
      return reckon('sub', tree.type, tree.type, tree.type === 'decimal' ? -0 : 0, evaluate(tree.of, row, now));
    case 'math':
      return reckon(tree.op, tree.type, typeOf(tree.left), evaluate(tree.left, row, now), evaluate(tree.right, row, now));
    case 'call':
      return call(
        tree.fn,
        tree.args.map((arg) => evaluate(arg, row, now)),
        now,
      );
  }
}

/** `and` ends at the first false, `or` at the first true; a null on the way leaves the answer null. */
function chain(of: readonly Tree[], row: MatchRow, now: Date, end: boolean): Value {
  let answer: Value = !end;
  for (const part of of) {
    const value = evaluate(part, row, now);
    if (value === end) return end;
    if (value === null) answer = null;
  }
  return answer;
}

function compare(op: CompareOp, left: Value, right: Value, type: Type): boolean {
  if (left === null || right === null) return op === 'eq' ? left === right : op === 'ne' && left !== right;
  const order = orderOf(left, right, type);
  switch (op) {
    case 'eq':
      return order === 0;
    case 'ne':
      return order !== 0;
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
  }
}

function orderOf(left: NonNullable<Value>, right: NonNullable<Value>, type: Type): number {
  if (type === 'text') return compareText(String(left), String(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

function isIn(value: Value, list: readonly Literal[], type: Type): boolean {
  return list.some((item) => compare('eq', value, item.value, type));
}

function readPath(path: readonly string[], type: Type, row: MatchRow): Value {
  let at: unknown = row;
  for (const name of path) {
    if (at === null || typeof at !== 'object') return null;
    at = (at as MatchRow)[name];
  }
  return at === null || at === undefined ? null : canonical(at as NonNullable<Value>, type);
}

function canonical(value: NonNullable<Value>, type: Type): Value {
  switch (type) {
    case 'timestamp':
      return timestamp(String(value)) ?? unreadable(value, type);
    case 'duration':
      return duration(String(value)) ?? unreadable(value, type);
    case 'guid':
      return String(value).toLowerCase();
    default:
      return value;
  }
}

function unreadable(value: NonNullable<Value>, type: Type): never {
  throw new ApiError('InternalError', `'${value}' is not a ${type}.`);
}
