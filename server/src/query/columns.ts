/** Columns of fields: their names, the SQL that reads them as they are sent, and the values that they store. */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Type } from '@cloudfit/contract/query/tree.ts';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { columnName } from '../db/column-name.ts';
import { compileText } from '../db/compile.ts';

function timestamp(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Converts seconds to hh:mm:ss, with more than two digits from 100 hours on. */
function duration(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(case when ${column} < 36000 then '0' else '' end || (${column} / 3600) || to_char(make_interval(secs => ${column} % 3600), ':MI:SS'))`;
}

/** Expression that reads one field of table alias `t`. */
export function fieldExpression(field: Field, name: string, t: string, json: boolean): RawBuilder<unknown> {
  const column = sql.ref(`${t}.${columnName(name)}`);
  if (field.kind === 'time') return duration(column);
  if (field.masked) return sql`mask_credentials(${column})`;
  return json && field.kind === 'timestamp' ? timestamp(column) : column;
}

/** A computed value as it is sent: whole seconds from 0 on as hh:mm:ss like a field's, other durations in ISO 8601. */
export function jsonValue(type: Type, value: RawBuilder<unknown>): RawBuilder<unknown> {
  if (type === 'timestamp') return timestamp(value);
  if (type !== 'duration') return value;
  const iso = sql`case when x < 0 then '-' else '' end || 'PT' || trim_scale(abs(x)) || 'S'`;
  return sql`(select case when x >= 0 and x = floor(x) then ${duration(sql`x::int8`)} else ${iso} end from (select (${value})::numeric as x offset 0) seconds)`;
}

const lists = new Map<string, RawBuilder<unknown>>();

/** `a as "a", b as "b"`: the given fields of a resource, by default all. The list of all fields is cached per alias. */
export function selectList(resource: Resource, t: string, fields?: readonly string[]): RawBuilder<unknown> {
  const names = fields ?? Object.keys(resource.fields);
  const key = `${resource.name} ${t}`;
  const cached = fields ? undefined : lists.get(key);
  if (cached) return cached;
  const list = sql.join(
    names.map((name) => {
      const field = resource.fields[name];
      if (!field) throw new Error(`${resource.name} has no field ${name}.`);
      return sql`${fieldExpression(field, name, t, true)} as ${sql.ref(name)}`;
    }),
  );
  // Lists of given fields vary from query to query, so they are not cached.
  if (fields) return list;
  const text = sql.raw(compileText(list));
  lists.set(key, text);
  return text;
}

/** Converts a wire value to the value that its column stores. */
export function toColumn(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (field.kind === 'json') return JSON.stringify(value);
  if (field.kind === 'time') {
    const [h = 0, m = 0, s = 0] = String(value).split(':').map(Number);
    return h * 3600 + m * 60 + s;
  }
  return value;
}
