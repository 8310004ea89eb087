/** Reads a migrated database and prints its table types, so that a query on a wrong column does not compile. */
import pg from 'pg';

interface Column {
  table_name: string;
  column_name: string;
  udt_name: string;
  is_nullable: string;
  has_default: boolean;
}

const types: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  name: 'string',
  timestamptz: 'string',
  int4: 'number',
  int8: 'number',
  float8: 'number',
  bool: 'boolean',
  jsonb: 'Json',
  bytea: 'Buffer',
  _text: 'string[]',
  _timestamptz: 'string[]',
  _uuid: 'string[]',
  xid8: 'string',
};

function pascal(name: string): string {
  return name
    .split('_')
    .map((w) => w.charAt(0).toUpperCase() + w.slice(1))
    .join('');
}

/** TypeScript text of `tables.ts` for the database at `url`. */
export async function tableTypes(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Column>(`
    select c.table_name, c.column_name, c.udt_name, c.is_nullable, (c.column_default is not null or c.is_identity = 'YES') has_default
    from information_schema.columns c join pg_class k on k.oid = format('public.%I', c.table_name)::regclass
    where c.table_schema = 'public' and k.relkind in ('r', 'p', 'v') and not k.relispartition
    order by c.table_name, c.ordinal_position`);
  await client.end();
  const tables = Map.groupBy(rows, (r) => r.table_name);
  const parts = [
    '/** Types of the tables, printed from the migrated database by `npm run tables`; do not edit. */',
    "import type { Generated, JSONColumnType } from 'kysely';",
    '',
    'type Json = JSONColumnType<object>;',
    '',
  ];
  for (const [table, columns] of tables) {
    parts.push(`interface ${pascal(table)}Table {`);
    for (const c of columns) {
      const base = types[c.udt_name];
      if (!base) throw new Error(`No TypeScript type is known for ${table}.${c.column_name} (${c.udt_name}).`);
      const type = c.is_nullable === 'YES' ? (base === 'Json' ? 'JSONColumnType<object | null>' : `${base} | null`) : base;
      parts.push(`  ${c.column_name}: ${c.has_default && c.is_nullable !== 'YES' ? `Generated<${type}>` : type};`);
    }
    parts.push('}', '');
  }
  parts.push('export interface Tables {', ...[...tables.keys()].map((t) => `  ${t}: ${pascal(t)}Table;`), '}', '');
  return parts.join('\n');
}
