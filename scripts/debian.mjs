/** Installs Debian packages that only tests need, if that is allowed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Whether this process may install packages without asking a person: as root, on Debian. */
export function mayInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Installs packages. Returns the error of apt-get; undefined after a success. */
export function installPackages(...packages) {
  const apt = (...args) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], {
      encoding: 'utf8',
      // In run level 1, the services of the packages are not started.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    });
  apt('update', '-qq');
  const { status, stderr } = apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  return status === 0 ? undefined : stderr?.trim() || 'apt-get failed';
}

/** The programs of Debian that some tests run, and their packages. */
const programs = {
  '/usr/lib/nagios/plugins/check_load': 'monitoring-plugins-basic',
  '/usr/bin/ping': 'iputils-ping',
  '/usr/sbin/snmpd': 'snmpd',
  '/usr/sbin/dnsmasq': 'dnsmasq-base',
  '/usr/sbin/nginx': 'nginx-light',
};

/** Installs programs that some tests run. Without one, its tests are skipped. */
export function ensureTestPrograms() {
  if (!mayInstall()) return;
  for (const [path, name] of Object.entries(programs)) {
    if (existsSync(path)) continue;
    console.log(`Installing ${name} ...`);
    const problem = installPackages(name);
    if (problem) console.log(`What needs ${name} is not tested here: ${problem}`);
  }
}
