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

/** Whether each test must run: a missing program is a failure as root, which may install it, and under CI. */
export function mustRunAll() {
  return process.getuid?.() === 0 || process.env.CI === 'true';
}

/** Packages with a program that some tests run, and what else these need. Without it, these tests are skipped. */
const tested = [
  { packages: ['monitoring-plugins-basic'], file: '/usr/lib/nagios/plugins/check_load' },
  { packages: ['monitoring-plugins-standard'], file: '/usr/lib/nagios/plugins/check_dns' },
  { packages: ['logrotate'], file: '/usr/sbin/logrotate' },
  { packages: ['curl'], file: '/usr/bin/curl' },
  { packages: ['pgbouncer'], file: '/usr/sbin/pgbouncer' },
  { packages: ['nats-server'], file: '/usr/sbin/nats-server' },
  { packages: ['iputils-ping'], file: '/usr/bin/ping' },
  { packages: ['snmpd'], file: '/usr/sbin/snmpd' },
  { packages: ['snmp'], file: '/usr/bin/snmptrap' },
  { packages: ['bsdutils'], file: '/usr/bin/logger' },
  { packages: ['rsyslog', 'rsyslog-gnutls'], file: '/usr/sbin/rsyslogd' },
  { packages: ['mosquitto', 'mosquitto-clients'], file: '/usr/sbin/mosquitto' },
  { packages: ['dnsmasq-base'], file: '/usr/sbin/dnsmasq' },
  { packages: ['nginx-light'], file: '/usr/sbin/nginx' },
  { packages: ['postgresql'], file: '/usr/lib/postgresql/15/bin/postgres' },
  { packages: ['haproxy'], file: '/usr/sbin/haproxy' },
  { packages: ['procps'], file: '/usr/bin/free' },
  { packages: ['iproute2'], file: '/usr/sbin/ip' },
  { packages: ['sysstat'], file: '/usr/bin/iostat' },
  { packages: ['prometheus'], file: '/usr/bin/prometheus' },
  { packages: ['prometheus-alertmanager'], file: '/usr/bin/prometheus-alertmanager' },
  { packages: ['glewlwyd', 'dbconfig-sqlite3'], file: '/usr/bin/glewlwyd' },
  { packages: ['dovecot-imapd'], file: '/usr/sbin/dovecot' },
  { packages: ['slapd'], file: '/usr/sbin/slapd' },
];

/** Installs what tests run beside the product, if that is allowed. Returns a text about what is missing, or undefined. */
export function ensureTestedPrograms() {
  const problems = [];
  for (const { packages, file } of tested) {
    if (existsSync(file) || !mayInstall()) continue;
    console.log(`Installing ${packages.join(' and ')} ...`);
    const problem = installPackages(...packages);
    if (problem) problems.push(problem);
  }
  const missing = tested.filter(({ file }) => !existsSync(file));
  if (missing.length === 0) return undefined;
  const files = missing.map(({ file }) => file).join(', ');
  const install = `sudo apt-get install --no-install-recommends ${missing.flatMap(({ packages }) => packages).join(' ')}`;
  return [`Some tests need ${files}. On Debian, this installs them: ${install}`, ...problems].join('\n');
}
