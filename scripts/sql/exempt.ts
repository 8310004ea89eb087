/** Folders whose statements may be built at run time, with the reason; constant statements in these folders are checked. */
export const engine: Readonly<Record<string, string>> = {
  'server/src/query/': 'builds the parts of these statements',
  'server/src/resources/':
    'builds statements from the declarations of entities, which registerServed compares with the schema at each start',
};

/** Files that are not checked, each with the reason. */
export const exempt: Readonly<Record<string, string>> = {
  'server/src/db/connection.ts': 'sends the statements of all others',
  'server/src/db/read-only.ts': 'sends the statements of all others',
  'server/src/db/migrate.ts': 'runs the migrations',
  'server/src/db/migrate.test.ts': 'runs a part of a migration',
  'server/src/jobs/retention.test.ts': 'fills and reads the tables of a list',
  'server/src/jobs/retention.ts': 'sweeps the tables of a list, which its test runs on the migrated schema',
  'server/src/db/backup.ts': 'copies every table that the catalogue names',
  'server/src/db/listener.ts': 'listens and holds locks by names that its callers choose',
  'server/src/db/partitions.ts': 'drops partitions whose names the catalogue gives',
  'server/src/db/snapshot.ts': 'sends the statements of others in a snapshot',
  'server/src/db/digest.ts': 'reads every table that the catalogue names',
  'server/src/http/below-row/navigation.ts': 'follows the relations of declarations',
  'server/src/rules/impact/impact-group.ts': 'lists rows by conditions of the files beside it, which are checked there',
  'server/src/db/restore.ts': 'fills every table that the catalogue names',
  'server/src/db/embedded.test.ts': 'has a table of its own',
  'server/src/query/filter.test.ts': 'has tables of its own',
  'server/src/testing/fuzz/fuzz.test.ts': 'writes into every column of every table',
  'server/src/rules/explain/reads.test.ts': 'fills the tables that explanations read',
  'bench/lists/work-units.bench.ts': 'selects the columns of a declaration',
  'server/src/admin/backup.test.ts': 'reads every table that the catalogue names',
  'bench/lists/screens.bench.ts': 'repeats statements of the engine, and makes indexes again by their definitions in the catalogue',
  'server/src/demo/fill.ts': 'runs on temporary functions and tables; fill.test.ts runs every statement',
  'server/src/auth/authenticate.test.ts': 'counts the statements of others',
  'server/src/features/work-units/create-statements.test.ts': 'counts the statements of others',
  'server/src/http/database-refusals.test.ts': 'sends what PostgreSQL is to refuse',
  'server/src/db/login.test.ts': 'sends what PostgreSQL is to refuse',
};
