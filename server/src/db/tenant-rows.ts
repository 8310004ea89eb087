/**
 * Every row of one tenant, in every table that the catalogue names: a new table is in the archive of a customer and in its deletion
 * without being listed anywhere.
 */
import type { Db } from './db.ts';

/** A table with rows of tenants. */
export interface TenantTable {
  name: string;
  /** Whether its rows name files in the store of files, by the column `storage_name`. */
  hasFiles: boolean;
}

interface CatalogueRow extends TenantTable {
  /** The tables that its rows refer to. */
  needs: string[];
}

const catalogue = `select c.relname as name,
  array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
    where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> f.conrelid) as needs,
  exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'storage_name' and not a.attisdropped) as "hasFiles"
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
order by c.relname`;

/** The tables with rows of tenants, each before those that it refers to; the tenant itself is the last one. */
export async function tenantTables(db: Db): Promise<TenantTable[]> {
  const waiting = await db.query<CatalogueRow>({ text: catalogue });
  const ordered: TenantTable[] = [];
  while (waiting.length > 0) {
    const free = waiting.findIndex(({ name }) => !waiting.some((other) => other.name !== name && other.needs.includes(name)));
    // Tables that need each other are deleted from in turns.
    const [next] = waiting.splice(Math.max(free, 0), 1);
    if (next) ordered.push({ name: next.name, hasFiles: next.hasFiles });
  }
  return ordered;
}

const quoted = ({ name }: TenantTable): string => `"${name.replaceAll('"', '""')}"`;

export async function countTenantRows(db: Db, tables: readonly TenantTable[], tenantId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await db.query<{ count: number }>({
      text: `select count(*) as count from ${quoted(table)} where tenant_id = $1`,
      values: [tenantId],
    });
    if (row && row.count > 0) counts[table.name] = row.count;
  }
  return counts;
}

/** Deletes some rows of the tenant; returns their number. */
export async function deleteTenantRows(db: Db, table: TenantTable, tenantId: string, limit: number): Promise<number> {
  const name = quoted(table);
  // A place in one partition may also be one in another, where it is a row of the tenant as well.
  const [row] = await db.query<{ count: number }>({
    text: `with gone as (delete from ${name} where tenant_id = $1 and ctid = any(array(select ctid from ${name} where tenant_id = $1 limit $2)) returning 1)
      select count(*) as count from gone`,
    values: [tenantId, limit],
  });
  return row?.count ?? 0;
}

/** Values that open something, or are nothing without the keys of this installation. */
const hidden = ['token_hash', 'envelope', 'password_secret'] as const;

/**
 * The rows of the tenant, each as a line of JSON, in the snapshot of `db`, which is a transaction. Some at a time, so that the largest table
 * needs no memory.
 */
export async function* tenantLines(db: Db, table: TenantTable, tenantId: string): AsyncGenerator<string> {
  await db.query({
    text: `declare lines no scroll cursor for select (to_jsonb(t) - $2::text[])::text as line from ${quoted(table)} t where tenant_id = $1`,
    values: [tenantId, hidden],
  });
  for (;;) {
    const rows = await db.query<{ line: string }>({ text: 'fetch 1000 from lines' });
    for (const { line } of rows) yield line;
    if (rows.length === 0) break;
  }
  await db.query({ text: 'close lines' });
}

/** The names of the stored files of the tenant, by table. */
export async function tenantFiles(db: Db, tables: readonly TenantTable[], tenantId: string): Promise<string[]> {
  const names: string[] = [];
  for (const table of tables.filter(({ hasFiles }) => hasFiles)) {
    const rows = await db.query<{ name: string }>({
      text: `select storage_name as name from ${quoted(table)} where tenant_id = $1 and storage_name is not null`,
      values: [tenantId],
    });
    names.push(...rows.map(({ name }) => name));
  }
  return names;
}

const forgetMonths = `with months as (select distinct day from work_unit_month_total where dimension = 'tenant' and key = $1::text),
  due as (insert into work_unit_month_total_due (day) select day from months on conflict do nothing)
delete from work_unit_month_total where day in (select day from months)`;

/** Takes a tenant out of the months of all tenants together, whose rows have no tenant: they are added up again. */
export async function forgetTenantMonths(db: Db, tenantId: string): Promise<void> {
  await db.transaction(async (tx) => {
    // Nobody adds months up meanwhile: `count-days.ts` takes the same lock.
    await tx.query({ text: "select pg_advisory_xact_lock(hashtextextended('work_unit_day', 425))" });
    await tx.query({ name: 'tenant-months', text: forgetMonths, values: [tenantId] });
  });
}
