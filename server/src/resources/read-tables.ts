/** Which entities a statement reads: a poll needs no query if none of these entities has changed. */
import type { Database } from '../db/connection.ts';

/**
 * Tables for which some writes add no row to `change`, such as repeated matches, logs, jobs and times of use. `npm run check`
 * compares them with the statements (scripts/sql/exempt.ts).
 */
export const unrecorded: ReadonlySet<string> = new Set([
  'latest_packet',
  'rule_match',
  'job',
  'work_unit_note',
  'audit',
  'device_log',
  'pending_device',
  'person',
  'token_grant',
  'action_try',
  'operation_run',
  'intake_source',
  'event_delivery',
  'mailbox',
]);

/** By table: other tables whose recorded changes stand also for unrecorded writes to the table in the same transaction. */
const follows: Readonly<Record<string, readonly string[]>> = { device_operation: ['operation', 'package'], operation: ['package'] };

/** By table: entity names of its recorded changes; null when not all are recorded. */
const entities = new Map<string, ReadonlySet<string> | null>();
const plain = new Set<string>();

const catalogue = `select c.relname as name, c.relkind in ('r', 'p') as plain,
    -- Rows that go or change with a row of another table.
    coalesce((select array_agg(p.relname::text) from pg_constraint k join pg_class p on p.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))), '{}') as parents
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition`;

/** The properties of `Served` that this module needs. */
interface ServedTable {
  table: string;
  resource: { name: string };
}

/** Reads the tables from the catalogue; computes for each the entities whose recorded changes cover all writes to its rows. */
export async function rememberTables(database: Database, all: readonly ServedTable[]): Promise<void> {
  const rows = await database.scoped('all').query<{ name: string; plain: boolean; parents: string[] }>({ text: catalogue });
  const entitiesOf = (name: string): string[] =>
    all.filter((served) => served.table === name.replace(/^rows_of_/, '')).map((served) => served.resource.name);
  const parents = new Map(rows.map((row) => [row.name, row.parents]));
  const withParents = (name: string, visited: Set<string> = new Set()): Set<string> => {
    if (!visited.has(name)) {
      visited.add(name);
      for (const parent of [...(parents.get(name) ?? []), ...(follows[name] ?? [])]) withParents(parent, visited);
    }
    return visited;
  };
  entities.clear();
  plain.clear();
  for (const row of rows) {
    if (row.plain) plain.add(row.name);
    const sources = [...withParents(row.name)];
    const followed = row.plain && sources.every((name) => entitiesOf(name).length > 0 && !unrecorded.has(name));
    entities.set(row.name, followed ? new Set(sources.flatMap(entitiesOf)) : null);
  }
}

/** Whether `name` is a table, whose rows have versions, and not a view. */
export function isPlainTable(name: string): boolean {
  return plain.has(name);
}

const clock =
  /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|current_timestamp|localtimestamp|current_date|current_time|localtime|random)\b/i;

/**
 * Entities whose changes alone can change the result of this statement; null when something else can: the clock, a
 * view, a table with unrecorded writes. Every word that is a table's name counts as read: a superfluous one only costs
 * a query, a missing one would give a wrong answer.
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
