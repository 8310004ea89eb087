/** SQL of the functions of $filter. Times are evaluated in UTC; text positions count from 0. */
import { blanks } from '@cloudfit/contract/query/text.ts';
import type { Type } from '@cloudfit/contract/query/tree.ts';
import { sql } from '../db/sql.ts';
import type { Sql } from '../db/compile.ts';

/** Escapes a text so that `like` takes it literally. */
export function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function like(left: Sql, pattern: string): Sql {
  return sql`(${left} like ${pattern}::text)`;
}

const none = sql`null`;

/** Returns the SQL of a call. `pattern`: the text of the second argument if it is constant, so that `like` can use an index. */
export function callSql(fn: string, args: readonly Sql[], types: readonly Type[], pattern: string | undefined): Sql {
  const [a = none, b = none, c] = args;
  // Parts of a timestamp are extracted in UTC; dates and times of day have no zone.
  const utc = types[0] === 'timestamp' ? sql`(${a} at time zone 'UTC')` : a;
  switch (fn) {
    case 'contains':
      return pattern === undefined ? sql`(strpos(${a}, ${b}) > 0)` : like(a, `%${escaped(pattern)}%`);
    case 'startswith':
      return pattern === undefined ? sql`starts_with(${a}, ${b})` : like(a, `${escaped(pattern)}%`);
    case 'endswith':
      return pattern === undefined ? sql`starts_with(reverse(${a}), reverse(${b}))` : like(a, `%${escaped(pattern)}`);
    case 'length':
      return sql`length(${a})`;
    case 'indexof':
      return sql`(strpos(${a}, ${b}) - 1)`;
    case 'substring':
      return c ? sql`substr(${a}, ${bounded(b)} + 1, ${bounded(c)})` : sql`substr(${a}, ${bounded(b)} + 1)`;
    case 'tolower':
      return sql`lower(${a})`;
    case 'toupper':
      return sql`upper(${a})`;
    case 'folded':
      return sql`folded(${a})`;
    case 'trim':
      return sql`btrim(${a}, ${blanks}::text)`;
    case 'concat':
      return sql`(${a} || ${b})`;
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
    case 'minute':
      return sql`extract(${sql.raw(fn)} from ${utc})::int4`;
    case 'second':
      return sql`floor(extract(second from ${utc}))::int4`;
    case 'fractionalseconds':
      return sql`((extract(microseconds from ${utc})::int4 % 1000000)::float8 / 1000000)`;
    case 'date':
      return sql`${utc}::date`;
    case 'time':
      return sql`${utc}::time`;
    case 'totaloffsetminutes':
      return sql`(case when ${a} is null then null else 0 end)`;
    case 'totalseconds':
      return sql`(${a})::float8`;
    case 'now':
      return sql`now()`;
    case 'mindatetime':
      return sql`'0001-01-01T00:00:00Z'::timestamptz`;
    case 'maxdatetime':
      return sql`'9999-12-31T23:59:59.999999Z'::timestamptz`;
    case 'floor':
      return rounded(types[0], a, sql`floor(${a})`);
    case 'ceiling':
      return rounded(types[0], a, sql`ceil(${a})`);
    // PostgreSQL rounds double precision half to even; the standard rounds half away from zero.
    case 'round':
      return rounded(types[0], a, once(sql`sign(x) * floor(abs(x) + 0.5::float8)`, a));
    default:
      throw new Error(`No function is called ${fn}.`);
  }
}

function rounded(type: Type | undefined, whole: Sql, decimal: Sql): Sql {
  return type === 'decimal' ? decimal : whole;
}

/** Limits a position to 0 to 10^9, which int4 can represent. Null stays null, which `least()` and `greatest()` would ignore. */
function bounded(position: Sql): Sql {
  return once(sql`case when x < 0 then 0 when x > 1000000000 then 1000000000 else x end::int4`, position);
}

/** Computes the operands once, as `x` and `y` of a sub-query, for an expression that uses them several times. */
export function once(expression: Sql, x: Sql, y: Sql = none): Sql {
  return sql`(select ${expression} from (select ${x} as x, ${y} as y offset 0) operands)`;
}
