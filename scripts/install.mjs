/** Installs the locked dependencies when node_modules is incomplete. Runs on any Node, without any package. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

export function ensureInstalled() {
  if (isInstalled()) return;
  console.log('Installing dependencies ...');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const { status, stdout, stderr, error } = spawnSync(command, [...first, ...args], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(
    `${stdout ?? ''}${stderr ?? error?.message ?? ''}\nThe dependencies could not be installed: "npm ${args.join(' ')}" failed.`,
  );
  process.exit(1);
}

/**
 * Whether all locked packages are installed: as its last step, npm lists the installed packages and their versions in a
 * lockfile inside node_modules.
 */
function isInstalled() {
  try {
    const lockedPackages = packagesOf('package-lock.json');
    const installedPackages = packagesOf('node_modules/.package-lock.json');
    return Object.entries(lockedPackages).every(([path, locked]) => {
      const installed = installedPackages[path];
      // Optional packages are for other platforms; '' is the project itself.
      return installed ? installed.version === locked.version && installed.integrity === locked.integrity : path === '' || locked.optional;
    });
  } catch {
    return false;
  }
}

function packagesOf(lockfile) {
  return JSON.parse(readFileSync(join(root, lockfile), 'utf8')).packages;
}
