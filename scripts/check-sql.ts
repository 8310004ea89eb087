/**
 * Checks every statement against the migrated schema: its tables and columns exist, its values match the parameters in
 * number and type, and the declared row type has exactly the columns of the result.
 */
import { join } from 'node:path';
import { unrecorded } from '../server/src/resources/read-tables.ts';
import { checkStatements } from './sql/check.ts';
import { startSchema } from './sql/database.ts';
import { engine, exempt, shownWith, silent, unseen } from './sql/exempt.ts';

const root = join(import.meta.dirname, '..');
const schema = await startSchema(join(root, 'node_modules/.cache/check-sql'));
try {
  const { faults, checked, built } = await checkStatements({
    root,
    config: join(root, 'scripts/sql/tsconfig.json'),
    url: schema.url,
    folders: ['server/src/', 'bench/', 'e2e/'],
    engine: Object.keys(engine),
    exempt: Object.keys(exempt),
    record: { paths: /^server\/src\/(?!demo\/)(?!.*(?:testing\/|\.test\.ts$))/, shownWith, unseen, silent, unrecorded },
  });
  if (checked === 0) faults.push('No statement was found. The calls of Db and pg are recognized by the files that declare them.');
  for (const fault of faults) console.log(fault);
  for (const [path, reason] of Object.entries({ ...engine, ...exempt })) console.log(`${path} ${reason}`);
  console.log(`${checked} statements checked, ${built} built by the engine`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await schema.stop();
}
