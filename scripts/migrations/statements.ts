/** The statements of a released version, and whether they have the same result types on a newer schema. */
import { join } from 'node:path';
import { openSources } from '../sql/compiler.ts';
import { openSchema, type SchemaDatabase, type StatementDescription } from '../sql/database.ts';
import { engine, exempt } from '../sql/exempt.ts';
import { findStatements } from '../sql/statements.ts';

/** A statement with the PostgreSQL names of the types of its parameters and columns. */
export interface ReleasedStatement {
  text: string;
  parameters: string[];
  columns: Record<string, string>;
}

const startsWith = (starts: readonly string[]) => (path: string) => starts.some((start) => path.startsWith(start));
const isOfServer = (path: string): boolean => path.startsWith('server/src/') && !/\.test\.ts$|\/testing\//.test(path);

function described(database: SchemaDatabase, text: string, { parameters, columns }: StatementDescription): ReleasedStatement {
  const typeName = (id: number): string => database.types.get(id)?.name ?? String(id);
  return {
    text,
    parameters: parameters.map(typeName),
    columns: Object.fromEntries(columns.map(({ name, type }) => [name, typeName(type)])),
  };
}

/** Returns all constant SQL statements of the server in `root`, not those that the engine builds from the schema. */
export async function collectStatements(root: string, url: string): Promise<ReleasedStatement[]> {
  const sources = openSources(join(root, 'scripts/sql/tsconfig.json'), root, isOfServer);
  const database = await openSchema(url);
  try {
    const { statements } = findStatements(sources, startsWith(Object.keys(engine)), startsWith(Object.keys(exempt)));
    const collected: ReleasedStatement[] = [];
    for (const text of new Set(statements.map((statement) => statement.text).toSorted())) {
      const description = await database.describe(text);
      if (!('message' in description)) collected.push(described(database, text, description));
    }
    return collected;
  } finally {
    await database.close();
    sources.close();
  }
}

/** Returns the errors that a running server of the released version would get with its statements. */
export async function judgeStatements(released: readonly ReleasedStatement[], url: string): Promise<string[]> {
  const database = await openSchema(url);
  try {
    const faults: string[] = [];
    for (const before of released) {
      const description = await database.describe(before.text);
      const fault = 'message' in description ? description.message : difference(before, described(database, before.text, description));
      if (fault !== undefined)
        faults.push(
          `A statement of the released version fails beside the new schema: ${fault}: ${before.text.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
        );
    }
    return faults;
  } finally {
    await database.close();
  }
}

function difference(before: ReleasedStatement, now: ReleasedStatement): string | undefined {
  if (before.parameters.join() !== now.parameters.join())
    return `its values are ${now.parameters.join(', ')}, not ${before.parameters.join(', ')}`;
  const column = Object.keys(before.columns).find((name) => before.columns[name] !== now.columns[name]);
  return column === undefined ? undefined : `${column} is ${now.columns[column] ?? 'missing'}, not ${before.columns[column]}`;
}
