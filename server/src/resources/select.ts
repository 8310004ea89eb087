/** Builds the statement of a bound query: scope, joins by path, filter, order, expansions. */
import { sql, type RawBuilder } from 'kysely';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Query } from '@cloudfit/contract/query/tree.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { requireScope, type Ctx } from '../ctx.ts';
import type { TenantScope } from '../db/connection.ts';
import { columnName } from './column-name.ts';
import { fieldExpression, selectList } from './present.ts';
import { allOf, tenantPredicate } from './scope.ts';
import { servedOf, type Served } from './served.ts';
import { treeToSql } from './to-sql.ts';
import { hasVersion } from './version.ts';

/** Rows of `served` that the caller may see, whatever they ask for. */
export function visible(ctx: Ctx, served: Served, t: string, scope: TenantScope): RawBuilder<boolean>[] {
  const { resource } = served;
  const conditions = [tenantPredicate(resource, t, scope), served.rowsFor?.(ctx, t)].filter((c) => c !== undefined);
  if (resource.softDelete) conditions.push(sql<boolean>`not ${sql.ref(`${t}.${columnName(resource.softDelete)}`)}`);
  return conditions;
}

interface Source {
  column: (path: readonly string[]) => RawBuilder<unknown>;
  from: () => RawBuilder<unknown>;
}

/** A table with one left join per path of single relations; each join keeps its target's scope. */
function source(ctx: Ctx, served: Served, t: string): Source {
  const joins = new Map<string, RawBuilder<unknown>>();
  const column = (path: readonly string[]): RawBuilder<unknown> => {
    let at = { served, alias: t };
    for (const name of path.slice(0, -1)) {
      const relation = at.served.resource.relations[name];
      if (!relation) throw new Error(`${at.served.resource.name} has no relation ${name}.`);
      const target = servedOf(relation.to);
      const alias = `${at.alias}_${name}`;
      if (!joins.has(alias)) {
        const on = sql`${sql.ref(`${alias}.${columnName(relation.on)}`)} = ${sql.ref(`${at.alias}.${columnName(relation.from)}`)}`;
        const scope = requireScope(ctx, target.resource.area, 'view', target.resource.viewedWith);
        joins.set(
          alias,
          sql`left join ${sql.table(target.table)} as ${sql.ref(alias)} on ${allOf([on, ...visible(ctx, target, alias, scope)])}`,
        );
      }
      at = { served: target, alias };
    }
    const name = path.at(-1) ?? '';
    const field = at.served.resource.fields[name];
    if (!field) throw new Error(`${at.served.resource.name} has no field ${name}.`);
    // Durations compare as the seconds that they are stored as.
    return field.kind === 'time' ? sql.ref(`${at.alias}.${columnName(name)}`) : fieldExpression(field, name, at.alias, false);
  };
  return { column, from: () => sql`${sql.table(served.table)} as ${sql.ref(t)} ${sql.join([...joins.values()], sql` `)}` };
}

function orderBy(resource: Resource, query: Query, from: Source): RawBuilder<unknown> {
  const keys: { path: readonly string[]; nullable: boolean; descending: boolean }[] =
    query.orderBy.length > 0 ? [...query.orderBy] : defaultOrder(resource);
  if (!keys.some((k) => k.path.length === 1 && k.path[0] === resource.key))
    keys.push({ path: [resource.key], nullable: false, descending: false });
  return sql.join(
    keys.map(({ path, nullable, descending }) => {
      const nulls = nullable ? (descending ? sql` nulls last` : sql` nulls first`) : sql``;
      return sql`${from.column(path)}${descending ? sql` desc` : sql` asc`}${nulls}`;
    }),
  );
}

function defaultOrder(resource: Resource): { path: string[]; nullable: boolean; descending: boolean }[] {
  return resource.orderBy.split(',').map((key) => {
    const [name = '', direction] = key.trim().split(' ');
    return { path: [name], nullable: resource.fields[name]?.nullable ?? false, descending: direction === 'desc' };
  });
}

/** Page sizes are few and stand in the text: of an unknown limit the planner assumes the worst. */
function paging(top: number, skip: number): RawBuilder<unknown> {
  const limit = sql.raw(`limit ${Math.trunc(top)}`);
  return skip === 0 ? limit : sql`${limit} offset ${skip}`;
}

function selected(ctx: Ctx, served: Served, query: Query, t: string): RawBuilder<unknown> {
  const own = selectList(served.resource, t, query.select);
  const expanded = query.expand.map((item) => sql`(${expansion(ctx, item, t)}) as ${sql.ref(item.name)}`);
  return sql.join([own, ...expanded]);
}

function expansion(ctx: Ctx, item: Query['expand'][number], parent: string): RawBuilder<unknown> {
  const target = servedOf(item.relation.to);
  const alias = `${parent}_${item.name}`;
  const scope = requireScope(ctx, target.resource.area, 'view', target.resource.viewedWith);
  const from = source(ctx, target, alias);
  const link = sql`${sql.ref(`${alias}.${columnName(item.relation.on)}`)} = ${sql.ref(`${parent}.${columnName(item.relation.from)}`)}`;
  const filter = item.query.filter && treeToSql(item.query.filter, from.column);
  const order = item.relation.many ? sql` order by ${orderBy(target.resource, item.query, from)}` : sql``;
  const top = Math.min(item.query.top ?? limits.expandRows, limits.expandRows);
  const page = item.relation.many ? sql` ${paging(top, item.query.skip ?? 0)}` : sql` limit 1`;
  const fields = selected(ctx, target, item.query, alias);
  const rows = sql`select ${fields} from ${from.from()} where ${allOf([link, ...visible(ctx, target, alias, scope), filter])}${order}${page}`;
  return item.relation.many
    ? sql`select coalesce(json_agg(row_to_json(r)), '[]') from (${rows}) r`
    : sql`select row_to_json(r) from (${rows}) r`;
}

/**
 * One statement for a page: `value` is the rows as JSON text, `count` (null when not asked for) has the same
 * filter and scope and is not touched by paging, `more` tells of a cut page whether rows follow it.
 * PostgreSQL writes the JSON: ten rows of seventy fields would cost more to read here than to find there.
 */
export function selectQuery(
  ctx: Ctx,
  served: Served,
  query: Query,
  page: { top: number; skip: number; cut: boolean; wire?: boolean },
  narrow?: RawBuilder<boolean>,
): RawBuilder<unknown> {
  const scope = requireScope(ctx, served.resource.area, 'view', served.resource.viewedWith);
  const from = source(ctx, served, 't');
  const filter = query.filter && treeToSql(query.filter, from.column);
  const where = allOf([...visible(ctx, served, 't', scope), narrow, filter]);
  const count = query.count ? sql`(select count(*)::int from ${from.from()} where ${where})` : sql`null::int`;
  const order = orderBy(served.resource, query, from);
  const own = selected(ctx, served, query, 't');
  const tag = sql`'W/"' || t.xmin || '"' as "@odata.etag"`;
  const fields = page.wire && hasVersion(served) ? sql.join([tag, own]) : own;
  // One row more than a cut page tells whether there is a next one.
  const rows = sql`select ${fields} from ${from.from()} where ${where} order by ${order} ${paging(page.cut ? page.top + 1 : page.top, page.skip)}`;
  const json = sql`coalesce(json_agg(row_to_json(r)), '[]')::text`;
  const read = page.wire ? sql`, pg_current_snapshot()::text as snapshot` : sql``;
  if (!page.cut) return sql`select ${count} as count, (select ${json} from (${rows}) r) as value, false as more${read}`;
  return sql`with page as materialized (${rows})
    select ${count} as count, (select ${json} from (select * from page ${paging(page.top, 0)}) r) as value, (select count(*) > ${page.top} from page) as more${read}`;
}
