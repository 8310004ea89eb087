/** `npm run faults`: every fault test in its long form, one file after the other, then what each fault cost. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestedPrograms } from './debian.mjs';
import { ensureInstalled, root } from './install.mjs';
import { modernEnvironment, modernNode } from './run-node.mjs';

ensureInstalled();
const missing = ensureTestedPrograms();
if (missing) console.log(missing);
const folder = mkdtempSync(join(tmpdir(), 'cloudfit-faults-'));
const file = join(folder, 'figures');
// Beside each other, the load of one would be a fault of another.
const args = [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--no-file-parallelism',
  ...(process.argv.length > 2 ? process.argv.slice(2) : ['server/src/testing/faults']),
];
const { status } = spawnSync(modernNode(), args, {
  cwd: root,
  stdio: 'inherit',
  env: modernEnvironment({ FAULT_FIGURES: file, LONG_TESTS: '1' }),
});
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
for (const { fault, figures } of lines.map((line) => JSON.parse(line)))
  console.log(
    `${fault}: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
  );
rmSync(folder, { recursive: true, force: true });
process.exit(status ?? 1);
