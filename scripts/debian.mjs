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
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  apt('update', '-qq');
  const { status, stderr } = apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  return status === 0 ? undefined : stderr?.trim() || 'apt-get failed';
}

/** Installs Debian's monitoring plugins, which some tests run. Without the plugins, tests only read recorded outputs. */
export function ensureMonitoringPlugins() {
  const present = ['check_load', 'check_dns'].every((name) => existsSync(`/usr/lib/nagios/plugins/${name}`));
  if (present || !mayInstall()) return;
  console.log('Installing monitoring-plugins-basic and monitoring-plugins-standard ...');
  const problem = installPackages('monitoring-plugins-basic', 'monitoring-plugins-standard', 'logrotate');
  if (problem) console.log(`The monitoring plugins are not tested here: ${problem}`);
}
