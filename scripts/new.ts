/** `npm run new -- entity Vendor`: writes the files of a new entity and adds its lines to the lists of the product. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { entityFiles, EntityNameError, nameEntity, type Sources } from './new-entity.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run new -- entity NAME [--plural PLURAL]

NAME is the singular in PascalCase, such as Vendor or MaintenanceWindow. PLURAL is needed for irregular words only:
npm run new -- entity ServicePerson --plural ServicePeople`;

const sources: Sources = {
  read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined),
  list: (folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
};

function run(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { plural: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const [kind, name, ...rest] = positionals;
  if (values.help) return console.log(usage);
  if (kind !== 'entity' || name === undefined || rest.length > 0) throw new EntityNameError(usage);
  const names = nameEntity(name, values.plural);
  const files = entityFiles(names, sources);
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const formatted = files.map(({ path }) => path).filter((path) => path.endsWith('.ts') || path.endsWith('.tsx'));
  execFileSync(process.execPath, [join(root, 'node_modules/oxfmt/bin/oxfmt'), ...formatted], { cwd: root, stdio: 'ignore' });
  for (const { path, isNew } of files) console.log(`${isNew ? 'new    ' : 'changed'}  ${path}`);
  recordSchema();
  console.log(`
${names.plural} are listed at /v1/${names.set} and on a screen of their own, for the area ${names.area}.
Next: give them their fields in ${files[0]?.path ?? ''} and their columns in the migration, then run

  npm run migrations -- write
  npm run check
  npx vitest run server/src/resources/suite.test.ts`);
}

/** Applies all migrations to a separate database, and writes the resulting schema to `schema.json`. */
function recordSchema(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/migrations.ts'), 'write'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return console.log('changed  server/src/db/schema.json');
  console.error('server/src/db/schema.json could not be written. Run npm run migrations -- write.');
  process.exitCode = 1;
}

try {
  run();
} catch (error) {
  if (!(error instanceof EntityNameError || (error instanceof TypeError && 'code' in error))) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
