/** Compares the statements of the sources with a database and returns every difference as `file:line: what is wrong`. */
import { type Type, TypeFlags } from 'typescript/unstable/sync';
import { openSources, type CompiledSources } from './compiler.ts';
import { openSchema, type SchemaDatabase, type StatementDescription } from './database.ts';
import { createFit, type Fit } from './fit.ts';
import { type RecordCheck, unrecordedWrites } from './recorded.ts';
import { findStatements, type StatementForm } from './statements.ts';

export interface CheckOptions {
  root: string;
  /** The tsconfig.json that names the sources. */
  config: string;
  /** Address of the migrated database. */
  url: string;
  /** Folders of the sources that are checked. */
  folders: readonly string[];
  /** Prefixes of paths whose statements are built at run time, and of excluded paths. */
  engine: readonly string[];
  exempt: readonly string[];
  record: RecordCheck;
}

export interface CheckResult {
  faults: string[];
  /** The number of calls whose statements were checked. */
  checked: number;
  built: number;
}

export async function checkStatements(options: CheckOptions): Promise<CheckResult> {
  const { root, config, url, folders, engine, exempt, record } = options;
  const sources = openSources(config, root, (path) => folders.some((folder) => path.startsWith(folder)));
  const database = await openSchema(url);
  try {
    const startsWith = (starts: readonly string[]) => (path: string) => starts.some((start) => path.startsWith(start));
    const { statements, unresolved, built, tables } = findStatements(sources, startsWith(engine), startsWith(exempt));
    const faults = unresolved.map(({ call, reason }) => `${sources.placeOf(call)}: the statement cannot be read: ${reason}`);
    const fit = createFit(sources.checker, database.types);
    for (const statement of statements) faults.push(...(await compare(sources, database, fit, statement)));
    faults.push(...namedTwice(sources, statements), ...unrecordedWrites(sources, statements, tables, record));
    return { faults: [...new Set(faults)].toSorted(), checked: new Set(statements.map((statement) => statement.call)).size, built };
  } finally {
    await database.close();
    sources.close();
  }
}

async function compare(sources: CompiledSources, database: SchemaDatabase, fit: Fit, statement: StatementForm): Promise<string[]> {
  const description = await database.describe(statement.text);
  if ('message' in description) {
    const { message, position } = description;
    return [
      `${textPlace(sources, statement, position)}: ${message}${position === undefined ? '' : `, at "${excerpt(statement.text, position)}"`}`,
    ];
  }
  const place = sources.placeOf(statement.call);
  return [...compareValues(description, fit, statement), ...compareRow(sources, description, fit, statement)].map(
    (fault) => `${place}: ${fault}`,
  );
}

function compareValues({ parameters }: StatementDescription, fit: Fit, { values = [] }: StatementForm): string[] {
  if (values.length !== parameters.length) return [`the text has ${parameters.length} parameters, and ${values.length} values are given`];
  return values.flatMap((value, index) => {
    const fault = fit.parameter(parameters[index] ?? 0, value);
    return fault ? [`$${index + 1} ${fault}`] : [];
  });
}

function compareRow(sources: CompiledSources, { columns }: StatementDescription, fit: Fit, { row, text }: StatementForm): string[] {
  const { checker } = sources;
  if (!row || isUnread(row)) return [];
  const [index] = checker.getIndexInfosOfType(row);
  const declared = new Map(checker.getPropertiesOfType(row).map((property) => [property.name, checker.getTypeOfSymbol(property)]));
  if (declared.size === 0 && !index) return [`the type of its rows, ${checker.typeToString(row)}, names no columns`];
  const faults = columns.flatMap((column) => {
    const type = declared.get(column.name) ?? index?.valueType;
    if (!type) return [`column ${column.name} is missing in the type of its rows`];
    const isFiltered = column.nullable !== undefined && new RegExp(`\\b${column.nullable} is not null`).test(text);
    const fault = fit.column(column.type, column.nullable !== undefined && !isFiltered, type);
    return fault ? [`column ${column.name} ${fault}`] : [];
  });
  const names = new Set(columns.map((column) => column.name));
  for (const name of declared.keys())
    if (!names.has(name)) faults.push(`the type of its rows has ${name}, which is not a column of the answer`);
  return faults;
}

/** Whether a row type is `object`, `any` or `unknown`: it names no columns that could be compared. */
function isUnread(row: Type): boolean {
  return (row.flags & (TypeFlags.NonPrimitive | TypeFlags.Any | TypeFlags.Unknown)) !== 0;
}

/** Returns names with two texts: PostgreSQL refuses the second text on a connection that has prepared the first. */
function namedTwice(sources: CompiledSources, statements: readonly StatementForm[]): string[] {
  const texts = new Map<string, StatementForm>();
  return statements.flatMap((statement) => {
    if (statement.name === undefined) return [];
    const first = texts.get(statement.name);
    if (!first) texts.set(statement.name, statement);
    return first && first.text !== statement.text
      ? [`${sources.placeOf(statement.call)}: the name ${statement.name} stands for another text at ${sources.placeOf(first.call)}`]
      : [];
  });
}

/**
 * Returns the place of an error: its line, if the text has as many lines in the source as at run time; otherwise the line where
 * the text begins.
 */
function textPlace(sources: CompiledSources, { text, textNode }: StatementForm, position = 0): string {
  const lines = (part: string): number => part.split('\n').length - 1;
  const place = sources.placeOf(textNode);
  if (lines(textNode.getText()) !== lines(text)) return place;
  const [path, line] = place.split(':');
  return `${path}:${Number(line) + lines(text.slice(0, position))}`;
}

function excerpt(text: string, position: number): string {
  return text
    .slice(position, position + 50)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
