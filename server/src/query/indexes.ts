/** Which columns of which tables have ordered indexes, read from the database at the start. */
import type { Database } from '../db/connection.ts';

interface Index {
  /** The first two columns; expressions do not count. */
  columns: readonly (string | null)[];
  /** Condition of a partial index. */
  predicate: string | null;
}

const indexes = new Map<string, Index[]>();

/**
 * A table of millions of rows may have a column with all searched fields in lower case and a trigram index on it, and a
 * function that takes a `like` pattern and tenants and returns the keys of matching rows.
 */
export const searchColumn = 'search_text';
export const searchFunction = (table: string): string => `searched_${table}s`;

const searchTables = new Set<string>();

const searchCatalogue = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = '${searchColumn}'
  join pg_proc p on p.proname = 'searched_' || c.relname || 's' and p.pronamespace = c.relnamespace
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;

const catalogue = `select c.relname as name, pg_get_expr(i.indpred, i.indrelid) as predicate,
    array[(select attname::text from pg_attribute where attrelid = c.oid and attnum = i.indkey[0] and attnum > 0),
      (select attname::text from pg_attribute where attrelid = c.oid and attnum = i.indkey[1] and attnum > 0)] as columns
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
  where c.relnamespace = 'public'::regnamespace and m.amname = 'btree' and i.indisvalid`;

/** Sets all indexes of the database. */
export async function rememberIndexes(database: Database): Promise<void> {
  const rows = await database.scoped('all').query<Index & { name: string }>({ text: catalogue });
  indexes.clear();
  for (const { name, ...index } of rows) indexes.set(name, [...(indexes.get(name) ?? []), index]);
  const searched = await database.scoped('all').query<{ name: string }>({ text: searchCatalogue });
  searchTables.clear();
  for (const { name } of searched) searchTables.add(name);
}

export function hasSearchText(table: string): boolean {
  return searchTables.has(table);
}

/** Whether an index begins with these columns and has all rows, or at least all that are not marked as deleted. */
export function isIndexed(table: string, columns: readonly string[], softDelete: string | undefined): boolean {
  return (indexes.get(table) ?? []).some(
    (index) =>
      columns.every((column, i) => index.columns[i] === column) &&
      (index.predicate === null || (softDelete !== undefined && index.predicate === `(NOT ${softDelete})`)),
  );
}
