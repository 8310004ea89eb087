/** What a row is answered with: its fields, and expansions as correlated sub-queries. */
import { sql, type RawBuilder } from 'kysely';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { printOptions } from '@cloudfit/contract/query/print.ts';
import type { Expand, Query } from '@cloudfit/contract/query/tree.ts';
import { columnName } from './column-name.ts';
import { defaultOrder, keyOrder, orderBy, paging, sortParts } from './order-by.ts';
import { selectList } from './present.ts';
import { allOf } from './scope.ts';
import { link, sourceOf, type Reach } from './source.ts';
import { treeToSql } from './to-sql.ts';

type Sql = RawBuilder<unknown>;

/** `a as "a", (...) as "relation"`: fields and expansions of the row with alias `t`; empty when nothing is selected. */
export function selected(reach: Reach, resource: Resource, query: Query, t: string): Sql[] {
  const names = query.select?.filter((name) => Object.hasOwn(resource.fields, name));
  const own = names?.length === 0 ? [] : [selectList(resource, t, names)];
  return [...own, ...query.expand.flatMap((item) => expansion(reach, item, t))];
}

function expansion(reach: Reach, item: Expand, parent: string): Sql[] {
  const { name, relation, query } = item;
  const target = reach(relation.to);
  const { resource } = target;
  const alias = `${parent}e`;
  const source = sourceOf(reach, resource, alias, sql`${sql.table(target.table)} as ${sql.ref(alias)}`);
  const where = allOf([link(relation, alias, parent), ...target.visible(alias), query.filter && treeToSql(query.filter, source)]);
  const fields = sql.join(selected(reach, resource, query, alias));
  if (!relation.many) {
    const rows = sql`select ${fields} from ${source.from()} where ${where} limit 1`;
    return [sql`(select row_to_json(r) from (${rows}) r) as ${sql.id(name)}`];
  }
  const count = sql`(select count(*)::int from ${source.from()} where ${where}) as ${sql.id(`${name}@odata.count`)}`;
  if (item.countOnly) return [count];
  const { top = Infinity, skip = 0 } = query;
  const order = orderBy(sortParts(query.orderBy.length > 0 ? query.orderBy : defaultOrder(resource), keyOrder(resource), source));
  const rows = sql`select ${fields} from ${source.from()} where ${where}${order}${paging(Math.min(top, limits.expandRows), skip)}`;
  const all = sql`(select coalesce(json_agg(row_to_json(r)), '[]') from (${rows}) r) as ${sql.id(name)}`;
  const beyond = sql`exists (select from ${source.from()} where ${where} offset ${skip + limits.expandRows})`;
  const next = sql`case when ${beyond} then ${nextLink(item, parent)} end as ${sql.id(`${name}@odata.nextLink`)}`;
  return [...(query.count ? [count] : []), all, ...(top > limits.expandRows ? [next] : [])];
}

/** The list of the target that goes on where the nested rows were cut; relative, as the standard allows. */
function nextLink({ relation, target, query }: Expand, parent: string): Sql {
  const [before = '', after = ''] = printOptions(query, `${relation.on} eq \u0000`).split(encodeURIComponent('\u0000'));
  const left = query.top === undefined ? '' : `&$top=${query.top - limits.expandRows}`;
  const skip = `${after}${left}&$skip=${(query.skip ?? 0) + limits.expandRows}`;
  const value = sql.ref(`${parent}.${columnName(relation.from)}`);
  return sql`(${`${target.name}?${before}`}::text || ${value} || ${skip}::text)`;
}

/** Names of the links to the rest of nested rows that an answer may hold. */
function linkNames(query: Query): string[] {
  return query.expand.flatMap(({ name, relation, countOnly, query: { top = Infinity }, query: inner }) => [
    ...(relation.many && !countOnly && top > limits.expandRows ? [`${name}@odata.nextLink`] : []),
    ...linkNames(inner),
  ]);
}

/** Rows of which nothing was cut have no link: the nulls are taken out of the JSON, where no text can look like them. */
export function withoutEmptyLinks(query: Query, json: Sql): Sql {
  return [...new Set(linkNames(query))].reduce((text, name) => sql`replace(${text}, ${sql.lit(`,"${name}":null`)}, '')`, json);
}
