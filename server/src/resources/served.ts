/** The server's part of a resource: its table and hooks. Validated at the start. */
import type { RawBuilder } from '../db/sql.ts';
import type { Resource, Row, RowInput, WriteVerb } from '@cloudfit/contract/resource.ts';
import { requireResource, resources } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { columnName } from '../db/column-name.ts';
import { rememberIndexes } from '../db/indexes.ts';
import { rememberTables } from './read-tables.ts';

/** The change of a row, which hooks receive. */
export interface RowChange<T = AnyRow, Name extends string = keyof T & string> {
  verb: WriteVerb;
  /** Null on create. */
  before: T | null;
  /** The row after the write; for a deletion, the deleted row. */
  after: T;
  /** Fields that differ; for a create, fields with a value. */
  changed: readonly Name[];
}

/** An error in a field: one detail of a 400 answer. */
export interface FieldError {
  target: string;
  message: string;
}

/**
 * A resource with its table and hooks. Hooks are methods, so that each `Served<R>` is an `AnyServed`: the engine gives
 * hooks rows of their own resource only.
 */
export interface Served<R extends Resource> {
  resource: R;
  table: string;
  /** Further condition on rows besides the tenant scope; `t` is the alias of the table. */
  rowsFor?(ctx: Ctx, t: string): RawBuilder<boolean> | undefined;
  /** Sets values that clients omit or may not set. Runs before `check`. */
  fill?(ctx: Ctx, change: RowChange<Row<R>>): RowInput<R> | Promise<RowInput<R>>;
  /** Checks that need more than one field, or the database. */
  check?(ctx: Ctx, change: RowChange<Row<R>>): readonly FieldError[] | Promise<readonly FieldError[]>;
  /**
   * Further inserts in the statement that writes the row. They read the row from `wire`: `tenant_id`, `entity_id` (the row's
   * key) and `after` (the values that are not null).
   */
  along?(ctx: Ctx, change: RowChange<Row<R>>): readonly RawBuilder<unknown>[] | Promise<readonly RawBuilder<unknown>[]>;
  /**
   * Whether `after` must run for this change; by default it must. If not, the transaction ends with the statement that writes
   * the row.
   */
  needsAfter?(change: RowChange<Row<R>>): boolean;
  /** Runs in the same transaction, after the write: history, jobs, notifications. Makes no outbound calls. */
  after?(ctx: Ctx, change: RowChange<Row<R>>): void | Promise<void>;
}

/** Whether the transaction of a change ends with the statement that writes the row. */
export function endsWithRow(served: AnyServed, change: RowChange): boolean {
  return !served.after || served.needsAfter?.(change) === false;
}

/** A served entity whose fields are not known at compile time, for code that loops over all of them. */
export type AnyServed = Served<Resource>;

export type AnyRow = Row<Resource>;

/** Binds a resource to its table. Hooks are typed by the resource's own fields. */
export function serve<R extends Resource>(resource: R, table: string, hooks: Omit<Served<R>, 'resource' | 'table'> = {}): Served<R> {
  return { resource, table, ...hooks };
}

const registered = new Map<string, AnyServed>();

/** The served resource with this declared name. */
export function servedNamed(name: string): AnyServed {
  const served = registered.get(name);
  if (!served) throw new Error(`Resource ${name} is not served.`);
  return served;
}

/** The served resource of a declaration, for a feature that does not import the feature that serves it. */
export function servedOf<R extends Resource>(resource: R): Served<R> {
  const served = servedNamed(resource.name);
  if (served.resource !== resource) throw new Error(`Resource ${resource.name} is declared twice.`);
  // The registry has no field types. The comparison above has shown that the types of `resource` apply.
  return served as Served<R>;
}

function checkDeclaration(served: AnyServed, columns: ReadonlySet<string> | undefined): string[] {
  const { resource, table } = served;
  const faults: string[] = [];
  const say = (text: string) => faults.push(`${resource.name}: ${text}`);
  if (!columns) return [`${resource.name}: table ${table} does not exist`];
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!columns.has(columnName(name))) say(`table ${table} has no column ${columnName(name)} for field ${name}`);
    if (field.ref && !resources.some((r) => r.name === field.ref)) say(`field ${name} names the unknown resource ${field.ref}`);
  }
  if (resource.scope.kind !== 'installation' && !columns.has(columnName(resource.scope.field)))
    say(`table ${table} has no column for the tenant`);
  for (const [name, relation] of Object.entries(resource.relations)) {
    const target = resources.find((r) => r.name === relation.to);
    if (!target) say(`relation ${name} names the unknown resource ${relation.to}`);
    else if (!(relation.on in target.fields)) say(`relation ${name}: ${relation.to} has no field ${relation.on}`);
    if (!(relation.from in resource.fields)) say(`relation ${name}: no field ${relation.from}`);
    if (name in resource.fields) say(`relation ${name} has the name of a field`);
  }
  return faults;
}

/** Registers all declarations; throws a list of all errors if any declaration is invalid, which stops the start. */
export async function registerServed(database: Database, all: readonly AnyServed[]): Promise<void> {
  const rows = await database.scoped('all').query<{ table_name: string; columns: string[] }>({
    text: "select c.relname table_name, array_agg(a.attname::text) columns from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') group by 1",
  });
  const columns = new Map(rows.map((r) => [r.table_name, new Set(r.columns)]));
  await rememberTables(database, all);
  await rememberIndexes(database);
  registered.clear();
  for (const served of all) registered.set(requireResource(served.resource.name).name, served);
  const faults = all.flatMap((served) => checkDeclaration(served, columns.get(served.table)));
  for (const r of resources) if (!registered.has(r.name)) faults.push(`${r.name}: declared but not served`);
  if (registered.size !== all.length) faults.push('a resource is served twice');
  if (faults.length > 0) throw new Error(`Wrong declarations:\n${faults.join('\n')}`);
}
