/** Converts a bound tree to SQL. Every value is a parameter, cast to its type; columns and rows come from the source. */
import { isSearch } from '@cloudfit/contract/query/functions.ts';
import { constantText } from '@cloudfit/contract/query/needed-text.ts';
import { isNullable, type Lambda, type Literal, type Tree, type Type, typeOf, type Value } from '@cloudfit/contract/query/tree.ts';
import { type RawBuilder, sql } from '../db/sql.ts';
import { callSql, once } from './functions.ts';
import type { AskedSearch } from './search-of-units.ts';
import type { Sql } from '../db/compile.ts';

export interface Source {
  /** SQL of a field, reached through relations to one row: `['tenant', 'name']`; `of` is the variable of a lambda's row. */
  column: (path: readonly string[], of?: string) => Sql;
  /** The declared values of a field that is a choice. */
  choices?: (path: readonly string[], of?: string) => readonly unknown[] | undefined;
  /** The expression to sort by, where it differs from the field. */
  sortColumn?: (path: readonly string[], of?: string) => Sql;
  /** The rows of a relation to many; `variable` is the lambda's name for such a row. */
  rows: (path: readonly string[], of: string | undefined, variable: string | undefined) => RowSource;
  /**
   * What the search of the resource says of the row: whether it finds the row by the text (`found`), how well (`relevance`), or whether it found
   * more than it returned (`cut`). Groups have none.
   */
  search?: (fn: string, text: string, ask?: AskedSearch) => Sql;
  /** The tables and joins. Must be called last, because `column` and the other functions add joins. */
  from: () => Sql;
}

export interface RowSource {
  source: Source;
  /** `(select {what} from rows where they belong to their parent, are visible and {also})`. */
  select: (what: Sql, also?: RawBuilder<boolean>) => Sql;
}

/** Joins conditions by `and`; `true` when there are none. */
export function allOf(conditions: readonly (Sql | undefined)[]): RawBuilder<boolean> {
  const present = conditions.filter((c) => c !== undefined);
  return present.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(present, sql` and `)}`;
}

/** SQL that is true for exactly the rows that match; both null and false mean no match. */
export function treeToSql(tree: Tree, source: Source): RawBuilder<boolean> {
  return compile(tree, source, false) as RawBuilder<boolean>;
}

/** SQL of a value, for sorting, grouping and answers. */
export function valueToSql(tree: Tree, source: Source): Sql {
  return compile(tree, source, true);
}

export const casts: Record<Type, Sql> = {
  guid: sql`uuid`,
  text: sql`text`,
  boolean: sql`boolean`,
  int: sql`int4`,
  bigint: sql`int8`,
  decimal: sql`float8`,
  timestamp: sql`timestamptz`,
  date: sql`date`,
  timeOfDay: sql`time`,
  duration: sql`float8`,
  null: sql`text`,
};

/** Passes a bigint as text, as the driver would do: unlike a bigint, text can be written as JSON. */
function parameter(value: Value): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function literal(type: Type, value: Value): Sql {
  return sql`${parameter(value)}::${casts[type]}`;
}

/**
 * `exact`: a comparison with null must be false, not null, because an outer operator distinguishes the two. At the top level
 * and within `and` and `or` it need not be exact, so that plain comparisons can use indexes.
 */
function compile(tree: Tree, source: Source, exact: boolean): Sql {
  switch (tree.k) {
    case 'literal':
      return literal(tree.type, tree.value);
    case 'path':
      return source.column(tree.path, tree.of);
    case 'and':
      return sql`(${sql.join(
        tree.of.map((part) => compile(part, source, exact)),
        sql` and `,
      )})`;
    case 'or':
      return sql`(${sql.join(
        tree.of.map((part) => compile(part, source, exact)),
        sql` or `,
      )})`;
    case 'not':
      return sql`(not ${compile(tree.of, source, true)})`;
    case 'compare':
      return compareSql(tree, source, exact);
    case 'in':
      return inSql(tree, source, exact);
    case 'negate':
      return sql`(- ${widened(tree.of, tree.type, source)})`;
    case 'math':
      return mathSql(tree, source);
    case 'call': {
      const [first, pattern] = tree.args;
      if (isSearch(tree.fn) && source.search) return source.search(tree.fn, first?.k === 'literal' ? String(first.value) : '');
      const args = tree.args.map((arg) => compile(arg, source, true));
      return callSql(tree.fn, args, tree.args.map(typeOf), pattern && constantText(pattern));
    }
    case 'any':
    case 'all':
      return lambdaSql(tree, source);
    case 'count':
      return source.rows(tree.path, tree.of, undefined).select(sql`count(*)::int4`);
  }
}

/** Converts `any` and `all`. `all` is false if its condition is false or null for any row. */
function lambdaSql({ k, path, of, variable, where }: Lambda, source: Source): Sql {
  const rows = source.rows(path, of, variable);
  if (!where) return sql`(exists ${rows.select(sql``)})`;
  const holds = treeToSql(where, rows.source);
  return k === 'any'
    ? sql`(exists ${rows.select(sql``, holds)})`
    : sql`(not exists ${rows.select(sql``, sql<boolean>`not coalesce(${holds}, false)`)})`;
}

function compareSql(tree: Tree & { k: 'compare' }, source: Source, exact: boolean): Sql {
  const { op } = tree;
  // Moves null to the right, so that `null eq x` becomes `x eq null`.
  const swap = isNull(tree.left) && (op === 'eq' || op === 'ne');
  const [l, r] = swap ? [tree.right, tree.left] : [tree.left, tree.right];
  const left = compile(l, source, true);
  if (isNull(r) && op === 'eq') return sql`(${left} is null)`;
  if (isNull(r) && op === 'ne') return sql`(${left} is not null)`;
  const right = r.k === 'literal' && isChoice(l, r.value, source) ? sql.lit(r.value) : compile(r, source, true);
  const [nullLeft, nullRight] = [isNullable(l), isNullable(r)];
  if (op === 'ne') return nullLeft || nullRight ? sql`(${left} is distinct from ${right})` : sql`(${left} <> ${right})`;
  if (op === 'eq') {
    const safe = (nullLeft && nullRight) || (exact && (nullLeft || nullRight));
    return safe ? sql`(${left} is not distinct from ${right})` : sql`(${left} = ${right})`;
  }
  const plain = sql`(${left} ${signs[op]} ${right})`;
  return exact && (nullLeft || nullRight) ? sql`coalesce(${plain}, false)` : plain;
}

/**
 * Whether a value is a declared one of a choice. Such values are no parameters: nearly all work units are closed, and a plan
 * for any state would read all of them to find the open ones.
 */
function isChoice(of: Tree, value: Value, source: Source): value is string | number {
  return of.k === 'path' && typeof value !== 'boolean' && value !== null && (source.choices?.(of.path, of.of)?.includes(value) ?? false);
}

const signs = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` };

function isNull(tree: Tree): boolean {
  return tree.k === 'literal' && tree.value === null;
}

/** The widest numeric type of the values; `left` if no value is a number. */
function listType(values: readonly Literal[], left: Type): Type {
  const types = new Set(values.map((v) => v.type));
  if (types.has('decimal')) return 'decimal';
  if (types.has('bigint')) return 'bigint';
  return types.has('int') ? 'int' : left;
}

function inSql(tree: Tree & { k: 'in' }, source: Source, exact: boolean): Sql {
  const left = compile(tree.left, source, true);
  const present = tree.values.filter((v) => v.value !== null);
  if (present.length === 0 && tree.values.length > 0) return sql`(${left} is null)`;
  if (
    present.length > 0 &&
    present.length === tree.values.length &&
    !(exact && isNullable(tree.left)) &&
    present.every((v) => isChoice(tree.left, v.value, source))
  )
    return sql`(${left} in (${sql.join(present.map((v) => sql.lit(v.value)))}))`;
  const any = sql`(${left} = any(${present.map((v) => parameter(v.value))}::${casts[listType(present, typeOf(tree.left))]}[]))`;
  // The list contains null, so a row without a value matches.
  if (present.length < tree.values.length) return sql`coalesce(${any}, true)`;
  return exact && isNullable(tree.left) ? sql`coalesce(${any}, false)` : any;
}

/** An operand converted to the type of the arithmetic: 64-bit integer or double precision. */
function widened(tree: Tree, type: Type, source: Source): Sql {
  return sql`(${compile(tree, source, true)})::${casts[type]}`;
}

function mathSql(tree: Tree & { k: 'math' }, source: Source): Sql {
  const { op, type } = tree;
  if (typeOf(tree.left) === 'timestamp') {
    const left = compile(tree.left, source, true);
    const right = compile(tree.right, source, true);
    if (type === 'duration') return sql`(extract(epoch from (${left} - ${right}))::float8)`;
    return op === 'add' ? sql`(${left} + make_interval(secs => ${right}))` : sql`(${left} - make_interval(secs => ${right}))`;
  }
  const left = widened(tree.left, type, source);
  const right = widened(tree.right, type, source);
  switch (op) {
    case 'add':
      return sql`(${left} + ${right})`;
    case 'sub':
      return sql`(${left} - ${right})`;
    case 'mul':
      return sql`(${left} * ${right})`;
    case 'div':
    case 'divby':
      return sql`(${left} / ${right})`;
    // PostgreSQL has no % for double precision.
    case 'mod':
      return type === 'bigint' ? sql`(${left} % ${right})` : once(sql`x - trunc(x / y) * y`, left, right);
  }
}
