/** The bound filter tree with looked-up names and typed literals. match.ts, print.ts and server/src/query/filter.ts read it. */
import type { Relation, Resource } from '../resource.ts';

export type Type = 'guid' | 'text' | 'boolean' | 'int' | 'bigint' | 'decimal' | 'timestamp' | 'date' | 'timeOfDay' | 'duration' | 'null';

/**
 * Canonical value of a literal or of an evaluated part: GUIDs in lower case, timestamps as `2026-01-01T00:00:00.000000Z`, times
 * of day as `12:00:00.000000`, durations in seconds, whole numbers beyond 2^53 as bigint. So GUIDs, timestamps,
 * dates and times of day compare as plain strings.
 */
export type Value = string | number | bigint | boolean | null;

export type CompareOp = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type MathOp = 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod';

export interface Literal {
  k: 'literal';
  type: Type;
  value: Value;
}

export interface Path {
  k: 'path';
  type: Type;
  nullable: boolean;
  /** Names of relations to one row, then the field. */
  path: readonly string[];
  /** Variable of the lambda at whose row the path starts. Default: the row of the query. */
  of?: string;
}

/** The rows of a relation to many at the end of a path. */
interface Rows {
  path: readonly string[];
  of?: string;
}

/** Whether a condition holds for some or for all rows; without a condition, whether there is a row. */
export interface Lambda extends Rows {
  k: 'any' | 'all';
  variable?: string;
  where?: Tree;
}

export type Tree =
  | Literal
  | Path
  | { k: 'and' | 'or'; of: readonly Tree[] }
  | { k: 'not'; of: Tree }
  | { k: 'compare'; op: CompareOp; left: Tree; right: Tree }
  | { k: 'in'; left: Tree; values: readonly Literal[] }
  | { k: 'math'; op: MathOp; type: Type; left: Tree; right: Tree }
  | { k: 'negate'; type: Type; of: Tree }
  | { k: 'call'; fn: string; type: Type; args: readonly Tree[] }
  | Lambda
  | ({ k: 'count' } & Rows);

/** A relation that a path uses. `path` starts at the query's row, or with a lambda's variable. Shorter paths come first. */
export interface Join {
  path: readonly string[];
  relation: Relation;
  target: Resource;
}

export interface OrderKey {
  of: Tree;
  descending: boolean;
}

export interface Expand {
  name: string;
  relation: Relation;
  target: Resource;
  query: Query;
  /** Whether the answer is the number of rows only. */
  countOnly: boolean;
  /**
   * Set for a relation that the request names only by `*`: a caller who may not view its rows gets none of them, instead of
   * an error.
   */
  ifAllowed?: boolean;
}

export type Method = 'sum' | 'min' | 'max' | 'average' | 'countdistinct' | 'count';

/** One property of an answer, by its path through nested objects. */
export interface Column {
  path: readonly string[];
  of: Tree;
}

export interface Aggregate {
  name: string;
  method: Method;
  /** Absent for `count`. */
  of?: Tree;
  type: Type;
}

/** One step of `$apply`. Steps after a grouping refer to the columns of the groups as paths. */
export type ApplyStep =
  | { k: 'filter'; where: Tree }
  | { k: 'orderby'; by: readonly OrderKey[] }
  | { k: 'page'; top?: number; skip?: number }
  | { k: 'group'; keys: readonly Column[]; aggregates: readonly Aggregate[] }
  /** The groups of several results, one after another; `columns` has each column of any result. */
  | { k: 'concat'; of: readonly Apply[]; columns: readonly Column[] };

export interface Apply {
  steps: readonly ApplyStep[];
  /** Whether the result consists of groups instead of rows of the resource. */
  grouped: boolean;
  /** Computed columns; when grouped, all columns. */
  columns: readonly Column[];
}

/** A query on a resource whose names exist and are allowed. */
export interface Query {
  /** Runs first: filter, orderBy, top, skip and count apply to its result. */
  apply?: Apply;
  filter?: Tree;
  orderBy: OrderKey[];
  /** Fields of the answer. Default: all. */
  select?: string[];
  expand: Expand[];
  /** Every relation that apply, filter and orderBy use. */
  joins: Join[];
  top?: number;
  skip?: number;
  count: boolean;
}

export function typeOf(tree: Tree): Type {
  switch (tree.k) {
    case 'literal':
    case 'path':
    case 'math':
    case 'negate':
    case 'call':
      return tree.type;
    case 'count':
      return 'int';
    default:
      return 'boolean';
  }
}

/** Whether the value may be null. Comparisons are never null: by the standard, a comparison with null is true or false. */
export function isNullable(tree: Tree): boolean {
  switch (tree.k) {
    case 'literal':
      return tree.value === null;
    case 'path':
      return tree.nullable;
    case 'compare':
    case 'in':
    case 'any':
    case 'all':
    case 'count':
      return false;
    case 'not':
    case 'negate':
      return isNullable(tree.of);
    case 'math':
      return isNullable(tree.left) || isNullable(tree.right);
    case 'and':
    case 'or':
      return tree.of.some(isNullable);
    case 'call':
      return tree.args.some(isNullable);
  }
}
