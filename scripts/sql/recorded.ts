/** Finds writes of served tables that no row of `change` records, so that polls and open pages would miss them. */
import { isCallExpression, type Node } from 'typescript/unstable/ast';
import { type CompiledSources, nameOf, walk } from './compiler.ts';
import type { StatementForm } from './statements.ts';
import { enclosingFunction } from './values.ts';

/** Which writes are checked, and which need no row of `change`. Keys are `path table`, or `table` for all files. */
export interface RecordCheck {
  /** Selects the files that are checked. */
  paths: RegExp;
  /** By table: entities whose changes stand for its writes, because pages show the rows with these entities. */
  shownWith: Readonly<Record<string, readonly string[]>>;
  /** Writes of columns that no field shows, or beside another record; by key, with the reason. */
  unseen: Readonly<Record<string, string>>;
  /** Writes that pages show without being told; by key, with the reason. */
  silent: Readonly<Record<string, string>>;
  /** Tables of which the server knows that such writes exist, so that a poll compares whole answers. */
  unrecorded: ReadonlySet<string>;
}

/** A table that a text writes; `for update of` and `on conflict do update set` name no table of a resource. */
const writes = /\b(?:insert\s+into|update|delete\s+from|merge\s+into)\s+(?:only\s+)?"?([a-z_]+)"?/g;

/** Calls that write a row of `change`, with the entity among their arguments. */
const recorders: readonly string[] = ['recordChange', 'writeRecorded', 'create', 'setFields', 'remove'];

/**
 * Returns the fault of each statement that writes a table of `tables` (tables by entity) without a row of `change` about it. The
 * row may come from another statement in the outermost function around it, the function of the transaction, if that statement
 * writes nothing else.
 */
export function unrecordedWrites(
  sources: CompiledSources,
  statements: readonly StatementForm[],
  tables: ReadonlyMap<string, string>,
  { paths, shownWith, unseen, silent, unrecorded }: RecordCheck,
): string[] {
  const checked = statements.filter(({ call }) => paths.test(sources.pathOf(call)));
  const entities = new Map<string, string[]>();
  for (const [entity, table] of tables) entities.set(table, [...(entities.get(table) ?? []), entity]);
  const texts = new Map<Node, string[]>();
  for (const { call, text } of checked) texts.set(outermost(call), [...(texts.get(outermost(call)) ?? []), text]);
  const used = new Set<string>();
  const faults = checked.flatMap((statement) => {
    const path = sources.pathOf(statement.call);
    const written = statement.isOfEngine ? [] : new Set(tablesOf(statement.text));
    return [...written].flatMap((table) => {
      const names = entities.get(table);
      if (!names) return [];
      const standing = [...names, ...(shownWith[table] ?? [])];
      const around = outermost(statement.call);
      const announced = (texts.get(around) ?? []).filter((text) => tablesOf(text).every((table) => !entities.has(table)));
      if ([statement.text, ...announced].some((text) => records(text, standing)) || callsRecorder(around, standing)) return [];
      const key = [`${path} ${table}`, table].find((name) => name in unseen || name in silent);
      if (key !== undefined) {
        used.add(key);
        return [];
      }
      const place = sources.placeOf(statement.call);
      return [`${place}: it writes ${table}, and no row of change. Add \`changed(${names[0]}, ...)\` to the statement.`];
    });
  });
  return [...faults, ...staleExemptions(used, { shownWith, unseen, silent, unrecorded })];
}

/** Returns a fault for each exemption that no write needs, and for each table that not both lists name. */
function staleExemptions(used: ReadonlySet<string>, { shownWith, unseen, silent, unrecorded }: Omit<RecordCheck, 'paths'>): string[] {
  const silentTables = new Set([...Object.keys(silent).map((key) => key.split(' ').at(-1) ?? ''), ...Object.keys(shownWith)]);
  const inOneList = [...silentTables, ...unrecorded].filter((table) => !silentTables.has(table) || !unrecorded.has(table));
  return [
    ...[...Object.keys(unseen), ...Object.keys(silent)]
      .filter((key) => !used.has(key))
      .map((key) => `scripts/sql/exempt.ts: "${key}" is exempt, and no such write lacks a row of change`),
    ...inOneList.map(
      (table) =>
        `scripts/sql/exempt.ts: ${table} must be both in \`silent\` or \`shownWith\` and in \`unrecorded\` of resources/read-tables.ts`,
    ),
  ];
}

function tablesOf(text: string): string[] {
  return [...text.matchAll(writes)].map(([, table = '']) => table);
}

function outermost(call: Node): Node {
  let outer = call;
  for (let around = enclosingFunction(call); around; around = enclosingFunction(around)) outer = around;
  return outer;
}

function records(text: string, names: readonly string[]): boolean {
  return /\binto change\b/.test(text) && names.some((name) => text.includes(`'${name}'`));
}

/** Whether a call in the function records a change of one of these entities: `entity: 'people'`, or `servedPeople`. */
function callsRecorder(around: Node, names: readonly string[]): boolean {
  const named = new RegExp(names.map((name) => `'${name}'|\\bserved${name}\\b`).join('|'), 'i');
  let isRecorded = false;
  walk(around, (node) => {
    if (isCallExpression(node) && recorders.includes(nameOf(node.expression)?.text ?? ''))
      isRecorded ||= node.arguments.some((argument) => named.test(argument.getText()));
  });
  return isRecorded;
}
