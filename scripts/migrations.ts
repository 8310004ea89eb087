/**
 * `npm run migrations` checks that released migrations are unchanged, that new migrations keep what a running server of the
 * released version uses, that the statements of this version still work, and that `schema.json` is up to date. `-- write`
 * writes `schema.json`; `-- release` also records all migrations as released.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { readMigrations } from '../server/src/db/migrate.ts';
import { compareSchemas, readSchema, recordedSchema, releasedSchema, type RecordedSchema } from '../server/src/db/schema.ts';
import { startSchema } from './sql/database.ts';
import { collectStatements, judgeStatements, type ReleasedStatement } from './migrations/statements.ts';
import { judgeReleased, judgeSchemaChange } from './migrations/judge.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'server/src/db');

async function schemaNow(url: string): Promise<RecordedSchema> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const objects = await readSchema(client);
    const files = await readMigrations();
    return { migrations: Object.fromEntries(files.map(({ name, checksum }) => [name, checksum])), objects };
  } finally {
    await client.end();
  }
}

const statementsFile = join(import.meta.dirname, 'migrations/released-statements.json');

const write = (path: string, content: object): Promise<void> => writeFile(path, `${JSON.stringify(content, null, 2)}\n`);

const [command = 'check'] = process.argv.slice(2);
const schema = await startSchema(join(root, 'node_modules/.cache/migrations'));
try {
  const now = await schemaNow(schema.url);
  if (command === 'check') process.exitCode = (await check(now, schema.url)) ? 0 : 1;
  else if (command === 'write' || command === 'release') {
    await write(join(folder, 'schema.json'), now);
    if (command === 'release') await release(now, schema.url);
  } else {
    console.error('Usage: npm run migrations [-- check | write | release]');
    process.exitCode = 1;
  }
} finally {
  await schema.stop();
}

async function check(now: RecordedSchema, url: string): Promise<boolean> {
  const [recorded, released] = [await recordedSchema(), await releasedSchema()];
  const { missing, different, extra } = compareSchemas(now.objects, recorded.objects);
  const isStale =
    JSON.stringify(recorded.migrations) !== JSON.stringify(now.migrations) || missing.length + different.length + extra.length > 0;
  const statements = JSON.parse(await readFile(statementsFile, 'utf8')) as ReleasedStatement[];
  const faults = [
    ...judgeReleased(released, now.migrations),
    ...judgeSchemaChange(released.objects, now.objects),
    ...(await judgeStatements(statements, url)),
    ...(isStale
      ? ['server/src/db/schema.json does not say what the migrations make: run npm run migrations -- write, and commit it.']
      : []),
  ];
  for (const fault of faults) console.log(fault);
  console.log(`${statements.length} statements of version ${released.version} described on the new schema`);
  return faults.length === 0;
}

async function release(now: RecordedSchema, url: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  await write(join(folder, 'released.json'), { version, ...now });
  await write(statementsFile, await collectStatements(root, url));
}
