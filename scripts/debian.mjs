/** Installs Debian packages that only tests need, if that is allowed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Whether this process may install packages without asking a person: as root, on Debian. */
export function mayInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

let isUpdated = false;

/** Installs packages; the first call of a process updates the lists of Debian. Returns the error of apt-get; undefined after a success. */
export function installPackages(...packages) {
  const apt = (...args) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], {
      encoding: 'utf8',
      // In run level 1, the services of the packages are not started.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    });
  if (!isUpdated) isUpdated = apt('update', '-qq').status === 0;
  const { status, stderr } = apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  return status === 0 ? undefined : stderr?.trim() || 'apt-get failed';
}

/** Packages with a program that some tests run. Without it, these tests are skipped, and others with a substitute remain. */
const tested = [
  { name: 'monitoring-plugins-basic', file: '/usr/lib/nagios/plugins/check_load' },
  { name: 'monitoring-plugins-standard', file: '/usr/lib/nagios/plugins/check_dns' },
  { name: 'logrotate', file: '/usr/sbin/logrotate' },
  { name: 'curl', file: '/usr/bin/curl' },
  { name: 'pgbouncer', file: '/usr/sbin/pgbouncer' },
  { name: 'iputils-ping', file: '/usr/bin/ping' },
  { name: 'snmpd', file: '/usr/sbin/snmpd' },
  { name: 'dnsmasq-base', file: '/usr/sbin/dnsmasq' },
  { name: 'nginx-light', file: '/usr/sbin/nginx' },
  { name: 'procps', file: '/usr/bin/free' },
  { name: 'iproute2', file: '/usr/sbin/ip' },
  { name: 'sysstat', file: '/usr/bin/iostat' },
];

/** Installs what tests run beside the product, if that is allowed. */
export function ensureTestedPrograms() {
  for (const { name, file } of tested) {
    if (existsSync(file) || !mayInstall()) continue;
    console.log(`Installing ${name} ...`);
    const problem = installPackages(name);
    if (problem) console.log(`${name} is not tested here: ${problem}`);
  }
}
