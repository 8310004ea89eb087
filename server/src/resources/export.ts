/** Exports a list of a resource as a file: same query options, permissions and scope, at most a thousand rows, audited. */
import { sql } from '../db/sql.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import type { Query } from '@cloudfit/contract/query/tree.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { actorName, type Ctx } from '../context/ctx.ts';
import { compile } from '../db/compile.ts';
import { csvFile, type CsvColumn, type CsvFile } from './csv.ts';
import { isObject } from './input.ts';
import { list, type ListPage, type ListReadOptions } from './list.ts';
import { mayView, viewScope } from './scope.ts';
import type { AnyServed } from './served.ts';

/** Returns the label of a choice instead of its code; other values are unchanged. */
function shown(field: Field, value: unknown): unknown {
  return field.choices?.find((choice) => choice.value === value)?.label ?? value;
}

function fieldColumns(resource: Resource, names: readonly string[]): CsvColumn[] {
  return names.flatMap((name) => {
    const field = resource.fields[name];
    return field ? [{ label: field.label, value: (row) => shown(field, row[name]) }] : [];
  });
}

/** The relation from a key to the row with its name; undefined without one, or if the file has the name or must not have it. */
function nameOf(ctx: Ctx, resource: Resource, name: string): { relation: string; target: Resource } | undefined {
  const match = Object.entries(resource.relations).find(([, { many, from }]) => !many && from === name);
  if (!match) return undefined;
  const [relation, { to }] = match;
  const target = requireResource(to);
  if (target.title === target.key || hasName(resource, resource.fields[name]?.label ?? '')) return undefined;
  return mayView(ctx, target) ? { relation, target } : undefined;
}

/** Returns the heading of a column that has names in place of keys. */
function headingOfName(label: string): string {
  return label.replace(/ ID$/, '');
}

/** Whether the resource has a field with the name of the row to which the key with this label refers. */
function hasName(resource: Resource, label: string): boolean {
  const plain = headingOfName(label);
  return Object.values(resource.fields).some((field) => field.label !== label && [plain, `${plain} Name`].includes(field.label));
}

/** For a query without `$expand` and `$apply`: columns with names in place of keys, and the `$expand` of these names. */
function withNames(ctx: Ctx, resource: Resource, fields: readonly string[]): { query: string; columns: CsvColumn[] } {
  const names = fields.map((field) => [field, nameOf(ctx, resource, field)] as const);
  const expanded = names.flatMap(([, named]) => (named ? [named] : [])).slice(0, limits.expandItems);
  const columns = names.flatMap(([field, named]): CsvColumn[] => {
    const fieldColumn = fieldColumns(resource, [field]);
    if (!named || !expanded.includes(named)) return fieldColumn;
    const value = (row: Record<string, unknown>): unknown => {
      const related = row[named.relation];
      return isObject(related) ? related[named.target.title] : row[field];
    };
    return fieldColumn.map(({ label }) => ({ label: headingOfName(label), value }));
  });
  const expand = expanded.map(({ relation, target }) => `${relation}($select=${target.title})`).join(',');
  return { query: expand === '' ? '' : `$expand=${expand}`, columns };
}

/** Numbers repeated labels, because a spreadsheet merges columns of the same name. */
function distinct(columns: readonly CsvColumn[]): CsvColumn[] {
  const uses = new Map<string, number>();
  return columns.map((column) => {
    const n = (uses.get(column.label) ?? 0) + 1;
    uses.set(column.label, n);
    return n === 1 ? column : { ...column, label: `${column.label} (${n})` };
  });
}

/** Columns of the row's fields, then those of the expanded rows. */
function columnsOf(resource: Resource, query: Query): CsvColumn[] {
  const fieldList = fieldColumns(resource, query.select ?? Object.keys(resource.fields));
  const expanded = query.expand.flatMap(({ name, relation, query: inner }) => {
    if (relation.many)
      throw new ApiError('InvalidExpand', `An export expands relations to one row only, and ${name} has many.`, { target: '$expand' });
    const target = requireResource(relation.to);
    const from = resource.fields[relation.from]?.label ?? target.label;
    return columnsOf(target, { ...inner, select: inner.select ?? [target.title] }).map((column) => ({
      label: `${from} ${column.label}`,
      value: (row: Record<string, unknown>) => (isObject(row[name]) ? column.value(row[name]) : null),
    }));
  });
  return [...fieldList, ...expanded];
}

/** Audits the export with query and number of rows, in each tenant that the caller may view; without a tenant if in all. */
async function recordExport(ctx: Ctx, served: AnyServed, rawQuery: string, rows: number): Promise<void> {
  const scope = viewScope(ctx, served);
  const tenants = scope === 'all' ? sql`(values (null::uuid))` : sql`unnest(${[...scope]}::uuid[])`;
  await ctx.db.query(
    compile(sql`insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, after, correlation_id, address)
      select id, ${ctx.actor.kind}, ${ctx.actor.id}, ${actorName(ctx)}, 'export', ${served.resource.name}, '', ${JSON.stringify({ query: rawQuery, rows })}::jsonb, ${ctx.correlationId}::uuid, ${ctx.address ?? null} from ${tenants} as t(id)`),
  );
}

function refuseGroups({ apply }: Query): void {
  if (apply?.grouped) throw new ApiError('NotImplemented', 'Groups cannot be exported.', { target: '$apply' });
}

/** Returns the rows of `?{rawQuery}`, up to the limit of a file, for a client that writes the file with columns of its own. */
export async function exportedRows(ctx: Ctx, served: AnyServed, rawQuery: string): Promise<ListPage> {
  refuseGroups(bindQuery(served.resource, parseOptions(rawQuery), requireResource));
  const page = await list(ctx, served, rawQuery, { maxPageSize: limits.pageMax });
  await recordExport(ctx, served, rawQuery, page.value.length);
  return page;
}

/** Returns the rows of `?{rawQuery}` as a file, up to `limits.pageMax`, and `next` if further rows follow. */
export async function exportRows(
  ctx: Ctx,
  served: AnyServed,
  rawQuery: string,
  narrow?: ListReadOptions['narrow'],
): Promise<CsvFile & Pick<ListPage, 'next'>> {
  const { resource } = served;
  const options = parseOptions(rawQuery);
  const query = bindQuery(resource, options, requireResource);
  refuseGroups(query);
  const isPlain = options.expand === undefined && options.apply === undefined;
  const named = isPlain
    ? withNames(ctx, resource, query.select ?? Object.keys(resource.fields))
    : { query: '', columns: columnsOf(resource, query) };
  const page = await list(ctx, served, [rawQuery, named.query].filter((part) => part !== '').join('&'), {
    maxPageSize: limits.pageMax,
    ...(narrow ? { narrow } : {}),
  });
  await recordExport(ctx, served, rawQuery, page.value.length);
  const file = csvFile(`${resource.plural.toLowerCase().replaceAll(' ', '')}.csv`, distinct(named.columns), page.value);
  return page.next === undefined ? file : { ...file, next: page.next };
}
