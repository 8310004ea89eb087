/** A real OpenLDAP with a few people and groups, with the schema of Active Directory too. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'ldapts';
import { makeHostCertificate, opensslMissing } from '../openssl.ts';
import { freePort } from '../server-process.ts';

const program = '/usr/sbin/slapd';
export const hasSlapd = existsSync(program) && existsSync('/etc/ldap/schema/msuser.schema') && opensslMissing === undefined;

export interface Slapd {
  /** ldaps:// and ldap:// addresses; the certificate is for `localhost`. */
  tlsUrl: string;
  startTlsUrl: string;
  /** PEM of the authority. */
  certificate: string;
  /** The account that may search, and its password. */
  bindDn: string;
  bindPassword: string;
  baseDn: string;
  /** Changes entries as its administrator. */
  change(work: (client: Client) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const baseDn = 'dc=example,dc=org';
const bindPassword = 'search secret';

const person = (uid: string, more: string) => `dn: uid=${uid},ou=people,${baseDn}
objectClass: inetOrgPerson
structuralObjectClass: inetOrgPerson
uid: ${uid}
sn: ${uid}
userPassword: ${uid} password
${more}
`;

const entries = `dn: ${baseDn}
objectClass: organization
objectClass: dcObject
o: Example
dc: example

dn: ou=people,${baseDn}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${baseDn}
objectClass: organizationalUnit
ou: groups

dn: cn=search,${baseDn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: search
userPassword: ${bindPassword}

dn: cn=policy,${baseDn}
objectClass: organizationalRole
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE

${person('ada', 'cn: Ada Lovelace\ndisplayName: Ada L.\nmail: ada@ldap.test')}
${person('bob', 'cn: Bob\nmail: bob@ldap.test\npwdAccountLockedTime: 000001010000Z')}
${person('kim', 'cn: Kim\nmail: kim@ldap.test')}
${person('star', 'cn: Star (*) Key\nmail: star@ldap.test')}
dn: cn=Grace Hopper,ou=people,${baseDn}
objectClass: user
cn: Grace Hopper
sn: Hopper
memberOf: cn=Service Desk\\, First,ou=groups,${baseDn}
instanceType: 4
objectCategory: ${baseDn}
nTSecurityDescriptor: x
objectSid: x
sAMAccountName: grace
userPrincipalName: grace@ldap.test
objectGUID:: AQIDBAUGBwgJCgsMDQ4PEA==
userPassword: grace password

dn: cn=Service Desk\\, First,ou=groups,${baseDn}
objectClass: groupOfNames
structuralObjectClass: groupOfNames
cn: Service Desk, First
member: uid=ada,ou=people,${baseDn}
member: uid=kim,ou=people,${baseDn}
member: cn=Grace Hopper,ou=people,${baseDn}
member: cn=All Desks,ou=groups,${baseDn}

dn: cn=All Desks,ou=groups,${baseDn}
objectClass: groupOfNames
cn: All Desks
member: cn=Service Desk\\, First,ou=groups,${baseDn}

dn: cn=Everybody,ou=groups,${baseDn}
objectClass: groupOfNames
cn: Everybody
member: cn=All Desks,ou=groups,${baseDn}
`;

const configuration = (folder: string) => `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/msuser.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
pidfile ${folder}/pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
TLSCACertificateFile ${folder}/ca.pem
# Passwords in plain text are refused.
security simple_bind=128
database mdb
suffix "${baseDn}"
directory ${folder}/data
rootdn "cn=root,${baseDn}"
rootpw root
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=search,${baseDn}" read by * none
overlay ppolicy
ppolicy_default "cn=policy,${baseDn}"
`;

export async function startSlapd(): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-slapd-'));
  makeHostCertificate(folder);
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'slapd.conf'), configuration(folder));
  writeFileSync(join(folder, 'entries.ldif'), entries);
  execFileSync('/usr/sbin/slapadd', ['-f', join(folder, 'slapd.conf'), '-l', join(folder, 'entries.ldif'), '-s'], { stdio: 'pipe' });
  const [tlsPort, startTlsPort] = [await freePort(), await freePort()];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(
      program,
      ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', `ldaps://localhost:${tlsPort}/ ldap://localhost:${startTlsPort}/`],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let log = '';
    child.stderr?.on('data', (part: Buffer) => (log += part.toString()));
    for (const end = Date.now() + 20_000; ; await sleep(50)) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`slapd does not run: ${log}`);
      const open = await new Promise<boolean>((done) => {
        const socket = connect(tlsPort, 'localhost', () => {
          socket.destroy();
          done(true);
        }).once('error', () => done(false));
      });
      if (open) return;
    }
  }

  async function stop(): Promise<void> {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise<void>((done) => running.once('exit', () => done()));
    running.kill('SIGTERM');
    await ended;
  }

  const certificate = readFileSync(join(folder, 'ca.pem'), 'utf8');
  await start();
  return {
    tlsUrl: `ldaps://localhost:${tlsPort}`,
    startTlsUrl: `ldap://localhost:${startTlsPort}`,
    certificate,
    bindDn: `cn=search,${baseDn}`,
    bindPassword,
    baseDn,
    change: async (work) => {
      const client = new Client({ url: `ldaps://localhost:${tlsPort}`, tlsOptions: { ca: certificate } });
      try {
        await client.bind(`cn=root,${baseDn}`, 'root');
        await work(client);
      } finally {
        await client.unbind();
      }
    },
    stop,
    start,
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
