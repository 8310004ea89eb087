/** The objects of a database by name, for comparison with those that this version expects. */
import { readFile } from 'node:fs/promises';
import type pg from 'pg';

/** Definitions by name, such as `column device.name`: `text not null`. */
export type DatabaseSchema = Readonly<Record<string, string>>;

/** A schema with the migrations that make it. */
export interface RecordedSchema {
  /** Checksums by file name. */
  migrations: Readonly<Record<string, string>>;
  objects: DatabaseSchema;
}

export interface SchemaDifferences {
  missing: string[];
  different: string[];
  /** Objects of the database that this version does not have. */
  extra: string[];
}

// Selects the objects with their definitions. Partitions, which are created and dropped by day, and objects of
// extensions are left out.
const catalogue = `
with ours as (
  select oid, relname, relkind, relacl, relrowsecurity, relforcerowsecurity, relpersistence from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = pg_class.oid and d.deptype = 'e')
), rights as (
  select o.relname, a.grantee::regrole::text as role, string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as text
  from ours o, aclexplode(o.relacl) a where a.grantee in (select oid from pg_roles where rolname in ('app_scoped', 'app_global')) group by 1, 2
)
select 'extension ' || extname as name, '' as text from pg_extension where extname <> 'plpgsql'
union all select 'table ' || relname, concat_ws(', ', case relpersistence when 'u' then 'unlogged' end, case relkind when 'p' then 'partitioned' end,
  case when relrowsecurity then 'row-level security' end, case when relforcerowsecurity then 'also of the owner' end) from ours
union all select 'rights on ' || relname || ' of ' || role, text from rights
union all select 'column ' || o.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
  case when a.attgenerated = 's' then 'generated as ' || pg_get_expr(d.adbin, d.adrelid)
    when a.attidentity <> '' then 'identity' else 'default ' || pg_get_expr(d.adbin, d.adrelid) end)
  from ours o join pg_attribute a on a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = o.oid and d.adnum = a.attnum
union all select case when i.indisunique then 'unique index ' else 'index ' end || c.relname, pg_get_indexdef(c.oid) || case when i.indisvalid then '' else ' (invalid)' end
  from ours o join pg_index i on i.indrelid = o.oid join pg_class c on c.oid = i.indexrelid
union all select 'constraint ' || o.relname || '.' || c.conname, pg_get_constraintdef(c.oid)
  from ours o join pg_constraint c on c.conrelid = o.oid where c.contype <> 'n'
union all select 'trigger ' || o.relname || '.' || t.tgname, pg_get_triggerdef(t.oid) from ours o join pg_trigger t on t.tgrelid = o.oid where not t.tgisinternal
union all select 'policy ' || p.polname || ' on ' || o.relname, concat_ws(' ', p.polcmd, p.polroles::regrole[]::text, pg_get_expr(p.polqual, p.polrelid),
  'check ' || pg_get_expr(p.polwithcheck, p.polrelid)) from ours o join pg_policy p on p.polrelid = o.oid
union all select 'function ' || p.oid::regprocedure, pg_get_functiondef(p.oid) from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
union all select 'sequence ' || s.sequencename, s.data_type::text from pg_sequences s where s.schemaname = 'public'
order by 1`;

export async function readSchema(client: pg.Client): Promise<DatabaseSchema> {
  // With this search path, definitions qualify only the names of other schemas.
  await client.query("select set_config('search_path', 'public', false)");
  const { rows } = await client.query<{ name: string; text: string }>(catalogue);
  return Object.fromEntries(rows.map(({ name, text }) => [name, text]));
}

async function readRecord<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8')) as T;
}

/** The schema of this version. */
export const recordedSchema = (): Promise<RecordedSchema> => readRecord('./schema.json');

/** The schema of the last released version; `npm run migrations -- release` records it. */
export const releasedSchema = (): Promise<RecordedSchema & { version: string }> => readRecord('./released.json');

/** Compares a schema with the expected one. Additional extensions are allowed; any other additional object is reported. */
export function compareSchemas(expected: DatabaseSchema, actual: DatabaseSchema): SchemaDifferences {
  const names = Object.keys(expected);
  return {
    missing: names.filter((name) => actual[name] === undefined),
    different: names.filter((name) => actual[name] !== undefined && actual[name] !== expected[name]),
    extra: Object.keys(actual).filter((name) => expected[name] === undefined && !name.startsWith('extension ')),
  };
}
