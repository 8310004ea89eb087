/** A database with the newest schema, and PostgreSQL's description of a statement without running it. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { joinEmbedded } from '../../server/src/db/embedded/embedded.ts';
import { migrate } from '../../server/src/db/migrate.ts';

/** A column of a statement's result. */
export interface ResultColumn {
  readonly name: string;
  /** Object id of the type in PostgreSQL. */
  readonly type: number;
  /** The table column that the result column comes from, if that column is nullable; undefined for expressions and views. */
  readonly nullable: string | undefined;
}

export interface StatementDescription {
  readonly parameters: readonly number[];
  readonly columns: readonly ResultColumn[];
}

export interface StatementError {
  readonly message: string;
  /** Offset in the text, counted from 0. */
  readonly position: number | undefined;
}

/** A PostgreSQL type; for an array also the type of its elements. */
export interface ColumnType {
  readonly name: string;
  readonly element: number | undefined;
}

export interface SchemaDatabase {
  describe(text: string): Promise<StatementDescription | StatementError>;
  readonly types: ReadonlyMap<number, ColumnType>;
  close(): Promise<void>;
}

interface RowDescription {
  fields: readonly { name: string; tableID: number; columnID: number; dataTypeID: number }[];
}

/** Opens the database at `url`. */
export async function openSchema(url: string): Promise<SchemaDatabase> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const types = await client.query<{ oid: number; name: string; element: number }>(
    "select oid::int as oid, typname as name, case when typcategory = 'A' then typelem::int else 0 end as element from pg_type",
  );
  const columns = await client.query<{ table: number; number: number; name: string }>(
    "select attrelid::int as table, attnum::int as number, attname as name from pg_attribute join pg_class c on c.oid = attrelid where c.relkind in ('r', 'p') and attnum > 0 and not attnotnull",
  );
  const nullable = new Map(columns.rows.map((row) => [`${row.table}.${row.number}`, row.name]));
  return {
    types: new Map(types.rows.map(({ oid, name, element }) => [oid, { name, element: element === 0 ? undefined : element }])),
    describe: async (text) => {
      const answer = await describe(client, text);
      if ('message' in answer) return answer;
      return {
        parameters: answer.parameters,
        columns: answer.fields.map(({ name, tableID, columnID, dataTypeID }) => ({
          name,
          type: dataTypeID,
          nullable: nullable.get(`${tableID}.${columnID}`),
        })),
      };
    },
    close: () => client.end(),
  };
}

/** Sends Parse and Describe: PostgreSQL resolves every name and type, and runs nothing. */
function describe(
  client: pg.Client,
  text: string,
): Promise<{ parameters: readonly number[]; fields: RowDescription['fields'] } | StatementError> {
  return new Promise((resolve) => {
    let parameters: readonly number[] = [];
    let fields: RowDescription['fields'] = [];
    const onParameters = (message: { dataTypeIDs: readonly number[] }): void => void (parameters = message.dataTypeIDs);
    const request = {
      submit: (connection: pg.Connection): void => {
        connection.once('parameterDescription', onParameters);
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: (message: RowDescription): void => void (fields = message.fields),
      handleError: (error: Error & { position?: string }, connection: pg.Connection): void => {
        connection.off('parameterDescription', onParameters);
        resolve({ message: error.message, position: error.position === undefined ? undefined : Number(error.position) - 1 });
      },
      handleReadyForQuery: (): void => resolve({ parameters, fields }),
    };
    client.query(request);
  });
}

const migrations = new URL('../../server/src/db/migrations/', import.meta.url);

/** Starts a PostgreSQL with all migrations applied; its data is cached in `folder` until a migration changes. */
export async function startSchema(folder: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrations)).toSorted()) hash.update(name).update(await readFile(new URL(name, migrations)));
  const dataDir = join(folder, hash.digest('hex').slice(0, 16));
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (path !== dataDir) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
  const server = await joinEmbedded({ dataDir, log: () => undefined, settings: { fsync: 'off' } });
  await migrate(server.url);
  return server;
}
