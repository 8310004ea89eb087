/** What new migrations must not do to a database that servers of the released version still use. */
import type { RecordedSchema, DatabaseSchema } from '../../server/src/db/schema.ts';

const folder = 'server/src/db/migrations';

/** Returns the faults: released migrations that have changed, and new migrations that would run before released ones. */
export function judgeReleased(released: RecordedSchema & { version: string }, now: RecordedSchema['migrations']): string[] {
  const last = Object.keys(released.migrations).at(-1) ?? '';
  return [
    ...Object.entries(released.migrations)
      .filter(([name, checksum]) => now[name] !== checksum)
      .map(
        ([name]) =>
          `${folder}/${name} was released with ${released.version} and ${now[name] ? 'has changed' : 'is missing'}: restore it, and write the change as a new migration.`,
      ),
    ...Object.keys(now)
      .filter((name) => released.migrations[name] === undefined && name < last)
      .map((name) => `${folder}/${name} is new and sorts before the released ${last}: give it a higher number.`),
  ];
}

/** Kinds of objects that a server of the released version uses; the loss of other kinds causes no error. */
const used = /^(?:table|column|function|sequence|rights|extension|unique index) /;

const tableOf = (name: string): string | undefined =>
  /^(?:column|constraint|trigger) (\w+)\./.exec(name)?.[1] ?? /^policy \w+ on (\w+)$/.exec(name)?.[1];

const typeOf = (column: string): string => column.replace(/ (?:default|generated as|identity).*$| not null.*$|^default.*$/s, '');

/** The table and the columns of an index; undefined for one of expressions. */
function indexOf(text: string): { table: string; columns: readonly string[]; isPartial: boolean } | undefined {
  const [, table, columns = '', rest = ''] = / ON (?:ONLY )?public\.(\w+) USING \w+ \(([^()]*)\)(.*)$/s.exec(text) ?? [];
  return table === undefined ? undefined : { table, columns: columns.split(', '), isPartial: rest.includes(' WHERE ') };
}

/** Whether some of the columns of a new unique index are unique already, so that it refuses nothing. */
function isUniqueAlready(text: string, before: DatabaseSchema): boolean {
  const index = indexOf(text);
  if (!index) return false;
  return Object.entries(before).some(([name, other]) => {
    const existing = name.startsWith('unique index ') ? indexOf(other) : undefined;
    return existing?.table === index.table && !existing.isPartial && existing.columns.every((column) => index.columns.includes(column));
  });
}

/** Returns the changes from `before` to `after` that cause errors in a running server of the released version. */
export function judgeSchemaChange(before: DatabaseSchema, after: DatabaseSchema): string[] {
  const isOld = (table: string | undefined): boolean => table !== undefined && before[`table ${table}`] !== undefined;
  const lost = Object.keys(before)
    .filter((name) => used.test(name) && after[name] === undefined)
    .map((name) => `${name} is dropped or renamed`);
  const changed = Object.entries(before).flatMap(([name, text]) => {
    const text2 = after[name];
    if (text2 === undefined || text2 === text) return [];
    if (name.startsWith('column ')) {
      if (typeOf(text) !== typeOf(text2)) return [`${name} changes its type from ${typeOf(text)} to ${typeOf(text2)}`];
      if (!text.includes(' not null') && text2.includes(' not null')) return [`${name} becomes not null`];
      if (text.includes(' default ') && !text2.includes(' default ')) return [`${name} loses its default`];
    }
    if (name.startsWith('rights ') && !text.split(', ').every((right) => text2.split(', ').includes(right)))
      return [`${name} are taken away`];
    if (name.startsWith('unique index ')) return [`${name} changes, and on conflict may no longer name it`];
    return [];
  });
  const added = Object.entries(after).flatMap(([name, text]) => {
    if (before[name] !== undefined) return [];
    if (
      name.startsWith('column ') &&
      isOld(tableOf(name)) &&
      text.includes(' not null') &&
      !/ (?:default|generated as|identity)/.test(text)
    )
      return [`${name} is not null and has no default`];
    if (name.startsWith('constraint ') && isOld(tableOf(name))) return [`${name} refuses rows that are written today`];
    if (name.startsWith('unique index ') && isOld(/ ON (?:ONLY )?public\.(\w+) /.exec(text)?.[1]) && !isUniqueAlready(text, before))
      return [`${name} refuses rows that are written today`];
    return [];
  });
  return [...lost, ...changed, ...added]
    .filter((fault) => !(fault in accepted))
    .map(
      (fault) =>
        `${fault}: servers of the version before still run beside the new schema. Add and fill now, remove in a later version; or say in scripts/migrations/judge.ts why this one is safe.`,
    );
}

/** Changes that do not affect running servers, each with the reason. */
const accepted: Readonly<Record<string, string>> = {
  'unique index audit_pkey changes, and on conflict may no longer name it': 'a key of partitions contains the time; no statement names it',
  'unique index device_log_pkey changes, and on conflict may no longer name it':
    'a key of partitions contains the time; no statement names it',
  'rights on person of app_scoped are taken away': 'nobody with some tenants writes people but for the chosen context, which stays granted',
  'constraint token_grant.token_grant_owner_id_fkey refuses rows that are written today': 'of a new column, which older servers leave null',
  'constraint rule.rule_tenant_group_id_fkey refuses rows that are written today': 'of a new column, which older servers leave null',
  'constraint person.person_directory_id_fkey refuses rows that are written today': 'of a new column, which older servers leave null',
  'constraint rule_exception.rule_exception_tenant_group_id_fkey refuses rows that are written today':
    'of a new column, which older servers leave null',
  'constraint rule_exception.rule_exception_subscription_id_fkey refuses rows that are written today':
    'of a new column, which older servers leave null',
  'constraint rule_exception.rule_exception_location_id_fkey refuses rows that are written today':
    'of a new column, which older servers leave null',
  'constraint rule_exception.rule_exception_device_id_fkey refuses rows that are written today':
    'of a new column, which older servers leave null',
  'constraint rule.rule_runbook_id_fkey refuses rows that are written today': 'of a new column, which older servers leave null',
  'constraint maintenance_window.maintenance_window_device_selection_id_fkey refuses rows that are written today':
    'of a new column, which older servers leave null',
};
