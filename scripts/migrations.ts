/**
 * `npm run migrations`: whether released migrations are as they were, the new ones leave a running server of the released
 * version what it uses, and `schema.json` says what they make. `-- write` writes that file; `-- release` also records all
 * migrations as released.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { readMigrations } from '../server/src/db/migrate.ts';
import { compareSchemas, readSchema, recordedSchema, releasedSchema, type RecordedSchema } from '../server/src/db/schema.ts';
import { startSchema } from './sql/database.ts';
import { judgeReleased, judgeSchemaChange } from './migrations/judge.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'server/src/db');

async function schemaNow(): Promise<RecordedSchema> {
  const schema = await startSchema(join(root, 'node_modules/.cache/migrations'));
  const client = new pg.Client({ connectionString: schema.url });
  try {
    await client.connect();
    const objects = await readSchema(client);
    const files = await readMigrations();
    return { migrations: Object.fromEntries(files.map(({ name, checksum }) => [name, checksum])), objects };
  } finally {
    await client.end();
    await schema.stop();
  }
}

const write = (name: string, content: object): Promise<void> => writeFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);

const [command = 'check'] = process.argv.slice(2);
const now = await schemaNow();
if (command === 'check') {
  const [recorded, released] = [await recordedSchema(), await releasedSchema()];
  const { missing, different, extra } = compareSchemas(now.objects, recorded.objects);
  const stale =
    JSON.stringify(recorded.migrations) !== JSON.stringify(now.migrations) || missing.length + different.length + extra.length > 0;
  const faults = [
    ...judgeReleased(released, now.migrations),
    ...judgeSchemaChange(released.objects, now.objects),
    ...(stale ? ['server/src/db/schema.json does not say what the migrations make: run npm run migrations -- write, and commit it.'] : []),
  ];
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
} else if (command === 'write' || command === 'release') {
  await write('schema.json', now);
  if (command === 'release') {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    await write('released.json', { version, ...now });
  }
} else {
  console.error('Usage: npm run migrations [-- check | write | release]');
  process.exitCode = 1;
}
