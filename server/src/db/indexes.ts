/** The ordered indexes, search columns and count tables of the database, read at the start. */
import type { Database } from './connection.ts';

interface Index {
  /**
   * The first two columns of the index. A column that is sorted by the collation `naturalOrder` is followed by ` in order`;
   * an expression is null.
   */
  columns: readonly (string | null)[];
  /** Condition of a partial index. */
  predicate: string | null;
}

const indexes = new Map<string, Index[]>();

/** The collation by which lists sort texts: in the order of the language, with numbers by their value. */
export const naturalOrder = 'natural_order';

/**
 * A table of many rows may have a trigram index (`{table}_found`) on all searched fields, joined and folded, and two functions that
 * take a `like` pattern, one of them also tenants, and return the keys of matching rows.
 */
export const searchFunction = (table: string): string => `found_${table}s`;

/** The condition of the rows in the index, null for all rows, by table. */
const searchTables = new Map<string, string | null>();

const searchCatalogue = `select c.relname as name, pg_get_expr(i.indpred, i.indrelid) as predicate
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and x.relname = c.relname || '_found' and i.indisvalid`;

/**
 * A table of millions of rows may have a second table, maintained by triggers, with the number of rows (`rows`) for each
 * combination of the values of some of its columns. Conditions on only these columns are counted there.
 */
export const countTable = (table: string): string => `rows_of_${table}`;

const countColumns = new Map<string, readonly string[]>();

const countCatalogue = `select substr(c.relname, 9) as name, array_agg(a.attname::text) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'rows'
  where c.relnamespace = 'public'::regnamespace and c.relname like 'rows\\_of\\_%' and c.relkind = 'r' group by 1`;

const catalogue = `select c.relname as name, pg_get_expr(i.indpred, i.indrelid) as predicate,
    array(select a.attname || case when l.collname = '${naturalOrder}' then ' in order' else '' end
      from generate_series(0, least(i.indnkeyatts, 2) - 1) n left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[n] and a.attnum > 0
      left join pg_collation l on l.oid = i.indcollation[n] order by n) as columns
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
  where c.relnamespace = 'public'::regnamespace and m.amname = 'btree' and i.indisvalid`;

/** Reads the indexes, search columns and count tables of the database into memory. */
export async function rememberIndexes(database: Database): Promise<void> {
  const rows = await database.scoped('all').query<Index & { name: string }>({ text: catalogue });
  indexes.clear();
  for (const { name, ...index } of rows) indexes.set(name, [...(indexes.get(name) ?? []), index]);
  const searched = await database.scoped('all').query<{ name: string; predicate: string | null }>({ text: searchCatalogue });
  searchTables.clear();
  for (const { name, predicate } of searched) searchTables.set(name, predicate);
  const counted = await database.scoped('all').query<{ name: string; columns: string[] }>({ text: countCatalogue });
  countColumns.clear();
  for (const { name, columns } of counted) countColumns.set(name, columns);
}

/** Returns the columns by which the table's rows are counted; undefined without a count table. */
export function countedBy(table: string): readonly string[] | undefined {
  return countColumns.get(table);
}

/** Returns whether a table has an index for searches; for one of some rows, whether these are all rows whose `empty` columns are null. */
export function hasSearchIndex(table: string, empty: readonly string[]): boolean {
  const predicate = searchTables.get(table);
  return predicate === null || empty.some((column) => predicate === `(${column} IS NULL)`);
}

/** Returns whether an index begins with these columns and contains all rows, or at least all that are not marked as deleted. */
export function isIndexed(table: string, columns: readonly string[]): boolean {
  return (indexes.get(table) ?? []).some(
    ({ columns: indexed, predicate }) =>
      columns.every((column, i) => indexed[i] === column) && (predicate === null || predicate === '(NOT is_deleted)'),
  );
}

/** Returns a column as `Index.columns` spells it, depending on its collation. */
export const inOrder = (column: string, isNatural: boolean): string => (isNatural ? `${column} in order` : column);

/**
 * Returns whether a sort by a column must sort all rows of a table, because no index begins with the column. False for
 * views.
 */
export function isSorted(table: string, key: string, column: string): boolean {
  return isIndexed(table, [key]) && !isIndexed(table, [column]);
}
