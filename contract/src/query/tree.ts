/** The bound filter tree: every name looked up, every literal of its type. Read by match, print and the server's to-sql. */
import type { Relation, Resource } from '../resource.ts';

export type Type = 'guid' | 'text' | 'boolean' | 'int' | 'bigint' | 'decimal' | 'timestamp' | 'date' | 'timeOfDay' | 'duration' | 'null';

/**
 * Canonical value of a literal or of an evaluated part: guids in lower case, timestamps as
 * `2026-01-01T00:00:00.000000Z`, times of day as `12:00:00.000000`, durations in seconds, and
 * whole numbers beyond 2^53 as bigint. So all but texts and numbers compare as plain strings.
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
  /** Names of single relations, then the field. */
  path: readonly string[];
  /** Variable of the lambda whose row the path starts at; the row that is asked about without. */
  of?: string;
}

/** Rows of a relation to many, reached as a `Path` is. */
interface Rows {
  path: readonly string[];
  of?: string;
}

/** Does a condition hold for some or for all of the rows? Without a condition: is there one? */
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

/** A relation that is walked through. `path` names it from its root (a lambda's variable included), shorter paths come first. */
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
  /** Only the number of rows is wanted. */
  countOnly: boolean;
}

export type Method = 'sum' | 'min' | 'max' | 'average' | 'countdistinct' | 'count';

/** One property of an answer: its name, or the path to it through nested objects. */
export interface Column {
  path: readonly string[];
  of: Tree;
}

export interface Aggregate {
  name: string;
  method: Method;
  /** Of `count` there is none. */
  of?: Tree;
  type: Type;
}

/** One step of `$apply`. Trees of the steps behind a grouping name its columns as paths. */
export type ApplyStep =
  | { k: 'filter'; where: Tree }
  | { k: 'orderby'; by: readonly OrderKey[] }
  | { k: 'page'; top?: number; skip?: number }
  | { k: 'group'; keys: readonly Column[]; aggregates: readonly Aggregate[] };

export interface Apply {
  steps: readonly ApplyStep[];
  /** Rows are groups then, and no longer those of the resource. */
  grouped: boolean;
  /** Properties beyond the resource's own; all of them when grouped. */
  columns: readonly Column[];
}

/** What is asked of a resource, every name known to exist and to be allowed. */
export interface Query {
  /** Comes before everything else: filter, orderBy, top, skip and count are about what it answers. */
  apply?: Apply;
  filter?: Tree;
  orderBy: OrderKey[];
  /** Fields to answer with; all when absent. */
  select?: string[];
  expand: Expand[];
  /** Every relation that apply, filter and orderBy walk through. */
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

/** May the value be null? Comparisons never are: by the standard they are false instead. */
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
