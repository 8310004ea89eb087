/** Which entities a statement reads, so that a poll can be answered by asking whether any of them changed. */
import type { Database } from '../db/connection.ts';

/** Tables of which some writes leave no row in `change`: packets, repeated matches, logs, jobs, histories, times of use. */
export const unrecorded: ReadonlySet<string> = new Set([
  'latest_packet',
  'rule_match',
  'job',
  'work_unit_note',
  'audit',
  'device_log',
  'outbox_message',
  'person',
  'permission_set',
  'access_grant',
  'token_grant',
]);

/** Tables of which some rows change together with rows of others, told by the change of those alone. */
const follows: Readonly<Record<string, readonly string[]>> = { device_operation: ['operation', 'package'], operation: ['package'] };

/** By table: names under which its changes are recorded; null when they are not all recorded. */
const entities = new Map<string, ReadonlySet<string> | null>();
const plain = new Set<string>();

const catalogue = `select c.relname as name, c.relkind in ('r', 'p') as plain,
    -- Rows that go or change with a row of another table.
    coalesce((select array_agg(p.relname::text) from pg_constraint k join pg_class p on p.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))), '{}') as parents
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition`;

/** What serves a table, as far as it matters here. */
interface Serving {
  table: string;
  resource: { name: string };
}

/** Takes all tables of the database and what serves them. */
export async function rememberTables(database: Database, all: readonly Serving[]): Promise<void> {
  const rows = await database.scoped('all').query<{ name: string; plain: boolean; parents: string[] }>({ text: catalogue });
  const entitiesOf = (name: string): string[] => all.filter((served) => served.table === name).map((served) => served.resource.name);
  const parents = new Map(rows.map((row) => [row.name, row.parents]));
  const reach = (name: string, visited: Set<string> = new Set()): Set<string> => {
    if (!visited.has(name)) {
      visited.add(name);
      for (const parent of [...(parents.get(name) ?? []), ...(follows[name] ?? [])]) reach(parent, visited);
    }
    return visited;
  };
  entities.clear();
  plain.clear();
  for (const row of rows) {
    if (row.plain) plain.add(row.name);
    const sources = [...reach(row.name)];
    const followed = row.plain && sources.every((name) => entitiesOf(name).length > 0 && !unrecorded.has(name));
    entities.set(row.name, followed ? new Set(sources.flatMap(entitiesOf)) : null);
  }
}

/** Is it a table of its own, whose rows have versions, and no view? */
export function isPlainTable(name: string): boolean {
  return plain.has(name);
}

const clock =
  /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|current_timestamp|localtimestamp|current_date|current_time|localtime|random)\b/i;

/**
 * Entities whose changes alone can change what this statement answers; null when something else can: the clock, a
 * view, a table whose writes are not recorded. Every word that is a table's name counts as read: one too many costs
 * an answer, one too few would be a wrong one.
 */
export function entitiesRead(text: string): readonly string[] | null {
  if (clock.test(text)) return null;
  const read = new Set<string>();
  for (const word of new Set(text.match(/[A-Za-z_]\w*/g) ?? [])) {
    const entity = entities.get(word);
    if (entity === null) return null;
    for (const name of entity ?? []) read.add(name);
  }
  return read.size > 0 ? [...read] : null;
}
