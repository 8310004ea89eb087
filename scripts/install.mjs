/** Installs the locked dependencies when node_modules is incomplete. Runs on any Node, without any package. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

export function ensureInstalled() {
  const problem = installLocked(root, 'dependencies');
  if (!problem) return;
  console.error(problem);
  process.exit(1);
}

/**
 * Installs the generators that make clients of the API description in tests. They are no dependencies of the product, so they have a
 * lockfile of their own. Returns what went wrong.
 */
export function ensureGenerators() {
  return installLocked(join(root, 'server/src/testing/generators'), 'generators of clients', '--ignore-scripts');
}

/** Installs the locked packages of a folder when some are missing. Returns what went wrong. */
function installLocked(folder, name, ...more) {
  if (isInstalled(folder)) return undefined;
  console.log(`Installing ${name} ...`);
  // npm takes the project whose script runs for the folder, unless it is told another one.
  const args = ['ci', `--prefix=${folder}`, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', ...more];
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const { status, stdout, stderr, error } = spawnSync(command, [...first, ...args], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return undefined;
  return `${stdout ?? ''}${stderr ?? error?.message ?? ''}\nThe ${name} could not be installed: "npm ${args.join(' ')}" failed.`;
}

/**
 * Whether all locked packages are installed: as its last step, npm lists the installed packages and their versions in a
 * lockfile inside node_modules.
 */
function isInstalled(folder) {
  try {
    const lockedPackages = packagesOf(join(folder, 'package-lock.json'));
    const installedPackages = packagesOf(join(folder, 'node_modules/.package-lock.json'));
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
  return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
}
