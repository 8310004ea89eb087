/** Builds the portal when its sources changed since the last build. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';
import { modernEnvironment, modernNode } from './run-node.mjs';

const dist = join(root, 'portal/dist');
const stamp = join(dist, '.sources');

/** Builds the portal if necessary. Returns vite's output when it failed, otherwise undefined. */
export function buildPortal() {
  const sources = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return undefined;
  console.log('Building the portal ...');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'warn', '--outDir', 'dist.next', '--emptyOutDir'];
  const { status, stdout, stderr } = spawnSync(modernNode(), args, {
    cwd: join(root, 'portal'),
    encoding: 'utf8',
    env: modernEnvironment({ NODE_ENV: 'production' }),
  });
  if (status !== 0) return `${stdout}${stderr}`.trim() || 'vite ended without a word';
  // vite builds into a temporary folder, so that a running server does not serve an incomplete portal.
  rmSync(dist, { recursive: true, force: true });
  renameSync(`${dist}.next`, dist);
  writeFileSync(stamp, sources);
  return undefined;
}

/** Hashes names, sizes and modification times of all input files; reading all contents would take too long. */
function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const portal = readdirSync(join(root, 'portal'))
    .filter((name) => statSync(join(root, 'portal', name)).isFile())
    .map((name) => `portal/${name}`);
  for (const path of [...portal, ...filesIn('portal/src'), ...filesIn('portal/public'), ...filesIn('contract/src')].sort()) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

function filesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1));
}

if (process.argv[1] === import.meta.filename) {
  const failure = buildPortal();
  if (failure) {
    console.error(failure);
    process.exit(1);
  }
}
