/** The templates on a real machine: each check says Up of a real program, opens a work unit when that is broken, and ends it when it is mended. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyOperation } from '@cloudfit/contract/policies/settings.ts';
import type { TemplateId } from '@cloudfit/contract/policies/templates.ts';
import { startAgentSite, type AgentSite } from '../../testing/agent-site.ts';
import { makeHostCertificate } from '../../testing/openssl.ts';
import { ended } from '../../testing/scripts.ts';
import { freePort } from '../../testing/server-process.ts';

interface Tried {
  template: TemplateId;
  values: Record<string, string>;
  /** The labels of the checks that `breaks` breaks. */
  checks: string[];
  /** Labels of operations that report and are not broken. */
  others: string[];
  breaks: () => unknown;
  mends: () => unknown;
}

const postgres = '/usr/lib/postgresql/15/bin/postgres';
const programs = ['/usr/sbin/nginx', '/usr/sbin/snmpd', postgres, '/usr/bin/ping'];
/** PostgreSQL refuses to run as root. */
const asPostgres = () => ({
  uid: Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })),
  gid: Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' })),
});
const folder = mkdtempSync(join(tmpdir(), 'cloudfit-templates-'));
const running = new Map<string, ChildProcess>();
function start(name: string, args: readonly string[], env: Record<string, string> = {}, user: { uid?: number; gid?: number } = {}): void {
  const child = spawn(name, args, { stdio: 'ignore', env: { ...process.env, ...env }, ...user });
  running.set(name, child);
}
const stop = async (name: string, signal: NodeJS.Signals = 'SIGTERM') => {
  const child = running.get(name);
  child?.kill(signal);
  if (child) await ended(child);
};

let site: AgentSite;
let deviceId: string;
let tried: Tried[] = [];
const errorsOfBackup = `Errors of the backup ${join(folder, 'backup.log')}`;
const byTemplate = ['WebSite', 'DatabaseHost', 'SnmpSwitch', 'Backup', 'LinuxServer'] as const;
const of = (template: TemplateId): Tried => {
  const one = tried.find((item) => item.template === template);
  if (!one) throw new Error(`${template} is not tried.`);
  return one;
};

const reported = `select count(*)::int as n from device_operation o join latest_packet k on k.entity_id = o.device_operation_id
where o.device_id = $1 and not o.is_deleted and o.label = any($2::text[]) and ($3::text is null or k.message -> 'Metrics' ->> 'Up' = $3) having count(*) = cardinality($2::text[])`;
const says = (up: '0' | '1' | null, labels: readonly string[]) =>
  site.until(`${labels.join(', ')}: Up is ${up}`, reported, [deviceId, labels, up], 120_000);
const units = `select count(distinct o.label)::int as n from device_operation o join rule_match m on m.subject_id = o.device_operation_id and m.closed is null and m.work_unit_id is not null
where o.device_id = $1 and not o.is_deleted and o.label = any($2::text[]) having count(distinct o.label) = $3`;
/** Matches of a limit last some minutes longer than those of Down. */
const downs = `select count(*)::int as n from device_operation o join rule_match m on m.subject_id = o.device_operation_id and m.closed is null
join rule r on r.rule_id = m.rule_id and r.name like '%: Down (%' where o.device_id = $1 and not o.is_deleted and o.label = any($2::text[]) having count(*) = 0`;

// Skipped without programs of Debian, which scripts/debian.mjs installs if it may.
describe.skipIf(!programs.every((file) => existsSync(file)))('on a real machine', () => {
  beforeAll(async () => {
    const [web, database, snmp] = await Promise.all([freePort(), freePort(), freePort()]);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {} http { access_log off; ${paths} server { listen 127.0.0.1:${web} ssl; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem; location / { return 200 "ok"; } } }`,
    );
    makeHostCertificate(folder);
    const sign = (days: number, out: string) =>
      execFileSync(
        'openssl',
        `x509 -req -in host.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out ${out} -days ${days} -extfile host.ext`.split(' '),
        { cwd: folder, stdio: 'ignore' },
      );
    sign(90, 'good.pem');
    sign(-1, 'expired.pem');
    copyFileSync(join(folder, 'good.pem'), join(folder, 'cert.pem'));
    const showCertificate = (name: string) => {
      copyFileSync(join(folder, name), join(folder, 'cert.pem'));
      running.get('/usr/sbin/nginx')?.kill('SIGHUP');
    };
    writeFileSync(join(folder, 'snmpd.conf'), 'rocommunity public\nsysName switch7\n');
    const backups = join(folder, 'backups');
    mkdirSync(backups);
    const [backup, log] = [join(backups, 'all-1.gz'), join(folder, 'backup.log')];
    writeFileSync(log, 'begun\n');
    const aged = (hours: number) => {
      writeFileSync(backup, 'x');
      utimesSync(backup, Date.now() / 1_000 - hours * 3_600, Date.now() / 1_000 - hours * 3_600);
    };
    const startWeb = () => start('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf')]);
    const [data, user] = [join(folder, 'database'), asPostgres()];
    mkdirSync(data);
    chmodSync(folder, 0o711);
    chownSync(data, user.uid, user.gid);
    execFileSync(join(dirname(postgres), 'initdb'), ['-D', data, '--no-sync', '-A', 'trust'], { ...user, stdio: 'ignore' });
    const startDatabase = () => start(postgres, ['-D', data, '-h', '127.0.0.1', '-p', String(database), '-k', ''], {}, user);
    const startSnmp = () =>
      start(
        '/usr/sbin/snmpd',
        ['-f', '-Lf', '/dev/null', '-C', '-c', join(folder, 'snmpd.conf'), '-p', join(folder, 'snmpd.pid'), `udp:127.0.0.1:${snmp}`],
        { SNMP_PERSISTENT_DIR: join(folder, 'snmpd') },
      );
    tried = [
      {
        template: 'WebSite',
        values: { Address: `https://localhost:${web}/` },
        checks: [`Web site https://localhost:${web}/`],
        others: [],
        breaks: () => showCertificate('expired.pem'),
        mends: () => showCertificate('good.pem'),
      },
      {
        template: 'DatabaseHost',
        values: { Port: String(database), User: 'postgres' },
        checks: [`Database port 127.0.0.1:${database}`, 'Database process postgres'],
        others: [],
        breaks: () => stop(postgres, 'SIGINT'),
        mends: startDatabase,
      },
      {
        template: 'SnmpSwitch',
        values: { Host: `127.0.0.1:${snmp}` },
        checks: [`Switch interfaces 127.0.0.1:${snmp}`],
        others: ['Switch answers 127.0.0.1'],
        breaks: () => stop('/usr/sbin/snmpd'),
        mends: startSnmp,
      },
      {
        template: 'Backup',
        values: { Path: log, Pattern: 'error', File: join(backups, '*.gz'), Hours: '26' },
        checks: [`Newest backup ${join(backups, '*.gz')}`],
        others: [],
        breaks: () => {
          aged(40);
          appendFileSync(log, 'error: disk full\n');
        },
        mends: () => aged(1),
      },
      { template: 'LinuxServer', values: {}, checks: [], others: [], breaks: () => undefined, mends: () => undefined },
    ];
    aged(2);
    for (const startIt of [startWeb, startDatabase, startSnmp]) startIt();
    site = await startAgentSite();
    // The authority of the web site's certificate is one that the machine trusts.
    site.startAgent({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });
    deviceId = await site.promote();
    await site.call('POST', `/v1/devices/${deviceId}`, { tags: 'web-check, database, snmp-poller, backup' });
    for (const { template, values } of tried) {
      const policy = await site.call('POST', '/v1/policies/fromTemplate', { template, tenantId: site.tenantId, values });
      const operations = (policy['operations'] as PolicyOperation[]).map((operation) => ({ ...operation, interval: '00:00:30' }));
      await site.call('POST', `/v1/policies/${String(policy['policyId'])}`, { operations, enabled: true });
    }
  }, 120_000);
  afterAll(async () => {
    await site?.close();
    await Promise.all([...running.keys()].map((name) => stop(name)));
    rmSync(folder, { recursive: true, force: true });
  });

  it('asks for what a template needs, refuses what cannot be right, and makes a second policy beside the first', async () => {
    const make = (template: TemplateId, values: object) =>
      site.call('POST', '/v1/policies/fromTemplate', { template, tenantId: site.tenantId, values });
    await expect(make('WebSite', {})).rejects.toThrow('Address is missing. Enter it, as https://www.example.com/.');
    await expect(make('WebSite', { Address: 'www.example.com' })).rejects.toThrow(
      /"target":"values.Address","message":"Address begins with/,
    );
    await expect(make('SnmpSwitch', { Host: 'https://switch' })).rejects.toThrow('Host is a name or an address, with :port');
    await expect(make('DatabaseHost', { Port: '0' })).rejects.toThrow('Port is a whole number');
    await expect(make('WebSite', { Host: 'a' })).rejects.toThrow('The template asks for Address, and not for Host.');
    const second = await make('WebSite', { Address: 'https://bücher.example/' });
    expect(second).toMatchObject({ name: 'Web site with certificate 2', enabled: false });
    expect(second['operations']).toMatchObject([{ label: 'Web site https://bücher.example/' }]);
    const chosen = await site.call('POST', '/v1/policies/fromTemplate', {
      template: 'WebSite',
      tenantId: site.tenantId,
      values: { Address: 'https://[2001:db8::1]/' },
      deviceSelectionId: second['deviceSelectionId'],
    });
    expect(chosen).toMatchObject({ name: 'Web site with certificate 3', deviceSelectionId: second['deviceSelectionId'] });
    for (const { policyId } of [second, chosen]) await site.call('DELETE', `/v1/policies/${String(policyId)}`);
    await site.client.query(`delete from rule where tenant_id = $1 and name like '%(Web site with certificate _)'`, [site.tenantId]);
  });

  it.each(byTemplate)(
    '%s reports, and its checks say Up',
    async (template) => {
      const { checks, others } = of(template);
      const all = [...checks, ...others];
      expect(await says('1', all)).toEqual({ n: all.length });
      if (template === 'LinuxServer') await says(null, ['System metrics', 'Inventory', 'Largest processes']);
      if (template === 'Backup') await says(null, [errorsOfBackup]);
    },
    150_000,
  );

  it('makes rules for its devices alone, one for each check', async () => {
    const { rows } = await site.client.query<{ name: string }>('select name from rule where tenant_id = $1 order by name', [site.tenantId]);
    expect(rows.map(({ name }) => name.replaceAll(folder, 'F').replaceAll(/(localhost|127\.0\.0\.1):\d+/g, '$1:P'))).toEqual([
      'Database port 127.0.0.1:P: Down (Database host)',
      'Database process postgres: Down (Database host)',
      'Errors of the backup F/backup.log: Errors in the log (Backup)',
      'Newest backup F/backups/*.gz: Down (Backup)',
      'Service ssh: Down (Linux server)',
      'Switch answers 127.0.0.1: Down (Switch by SNMP)',
      'Switch interfaces 127.0.0.1:P: Down (Switch by SNMP)',
      'System metrics: Disk is filling up (Database host)',
      'System metrics: Disk is filling up (Linux server)',
      'Web site https://localhost:P/: Certificate ends within 14 days (Web site with certificate)',
      'Web site https://localhost:P/: Down (Web site with certificate)',
    ]);
    await Promise.all(tried.map(({ breaks }) => breaks()));
  });

  it.each(byTemplate)(
    '%s says Down of what is broken, and opens a unit',
    async (template) => {
      const { checks } = of(template);
      const opening = [...checks, ...(template === 'Backup' ? [errorsOfBackup] : [])];
      expect(await says('0', checks)).toEqual({ n: checks.length });
      await site.until(`${template} has opened ${opening.length} units`, units, [deviceId, opening, opening.length], 60_000);
      if (template === byTemplate.at(-1)) for (const { mends } of tried) mends();
    },
    150_000,
  );

  it.each(byTemplate)(
    '%s says Up of what is mended, and its matches end',
    async (template) => {
      const { checks } = of(template);
      expect(await says('1', checks)).toEqual({ n: checks.length });
      await site.until(`the matches of ${template} have ended`, downs, [deviceId, checks], 60_000);
    },
    150_000,
  );
});
