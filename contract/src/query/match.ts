/** Evaluates a bound filter tree for one row in memory, with the same result as the database. */
import { ApiError } from '../errors.ts';
import { call, evaluateArithmetic } from './arithmetic.ts';
import { compareText } from './text.ts';
import { type CompareOp, type Lambda, type Literal, type Path, type Tree, type Type, typeOf, type Value } from './tree.ts';
import { duration, timestamp } from './values.ts';

/** A row of the API. Relations of the tree are nested: a row or null, or an array of rows. */
export type MatchRow = Readonly<Record<string, unknown>>;

/** Whether the condition is true for the row; null counts as false. */
export function matches(tree: Tree, row: MatchRow, now: Date = new Date()): boolean {
  return evaluate(tree, row, now) === true;
}

/** Returns the canonical value of the tree for the row. */
export function evaluate(tree: Tree, row: MatchRow, now: Date): Value {
  return valueOf(tree, { row, now, rows: new Map() });
}

/** Where paths start: at `row`, or in a lambda at the row of its variable in `rows`. */
interface RowScope {
  row: MatchRow;
  now: Date;
  rows: ReadonlyMap<string, MatchRow>;
}

function valueOf(tree: Tree, a: RowScope): Value {
  switch (tree.k) {
    case 'literal':
      return tree.value;
    case 'path':
      return readPath(tree, a);
    case 'and':
      return chain(tree.of, a, false);
    case 'or':
      return chain(tree.of, a, true);
    case 'not': {
      const of = valueOf(tree.of, a);
      return of === null ? null : !of;
    }
    case 'compare':
      return compare(tree.op, valueOf(tree.left, a), valueOf(tree.right, a), typeOf(tree.left));
    case 'in':
      return isIn(valueOf(tree.left, a), tree.values, typeOf(tree.left));
    case 'negate':
      return evaluateArithmetic('sub', tree.type, tree.type, tree.type === 'decimal' ? -0 : 0, valueOf(tree.of, a));
    case 'math':
      return evaluateArithmetic(tree.op, tree.type, typeOf(tree.left), valueOf(tree.left, a), valueOf(tree.right, a));
    case 'call':
      return call(
        tree.fn,
        tree.args.map((arg) => valueOf(arg, a)),
        a.now,
      );
    case 'any':
      return manyRows(tree, a).some((row) => holds(tree, row, a));
    case 'all':
      return manyRows(tree, a).every((row) => holds(tree, row, a));
    case 'count':
      return manyRows(tree, a).length;
  }
}

/** `and` ends at the first false, `or` at the first true; otherwise a null makes the result null. */
function chain(of: readonly Tree[], a: RowScope, end: boolean): Value {
  let answer: Value = !end;
  for (const part of of) {
    const value = valueOf(part, a);
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

/** Whether the lambda's condition is true for one row. */
function holds({ variable, where }: Lambda, row: MatchRow, a: RowScope): boolean {
  return !where || valueOf(where, { ...a, rows: new Map([...a.rows, [variable ?? '', row]]) }) === true;
}

/** Returns the value at a path; undefined if a relation of the path has no row. */
function valueAt({ path, of }: { path: readonly string[]; of?: string }, a: RowScope): unknown {
  let at: unknown = of === undefined ? a.row : a.rows.get(of);
  for (const name of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as MatchRow)[name];
  }
  return at;
}

function manyRows(tree: { path: readonly string[]; of?: string }, a: RowScope): readonly MatchRow[] {
  const rows = valueAt(tree, a);
  return Array.isArray(rows) ? (rows as MatchRow[]) : [];
}

function readPath(tree: Path, a: RowScope): Value {
  const value = valueAt(tree, a);
  return value === null || value === undefined ? null : canonical(value as NonNullable<Value>, tree.type);
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
