/**
 * Measures work units: list and create over HTTP, compared with bare handlers; the list's SQL over a million rows, compared
 * with bare SQL; queries, the chart of open units, and the chain of next links.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { actions } from '../../server/src/app/actions.ts';
import { openAckLinks } from '../../server/src/platform/ack-links.ts';
import { openContactLinks } from '../../server/src/platform/contact-links.ts';
import { openCalendarLinks } from '../../server/src/platform/calendar-links.ts';
import { openFeedLinks } from '../../server/src/platform/feeds/feed-links.ts';
import { masterKeyOf } from '../../server/src/auth/master-key.ts';
import { ensureShippedSets } from '../../server/src/auth/shipped.ts';
import { systemCtx } from '../../server/src/auth/system-ctx.ts';
import { openTenantSecrets } from '../../server/src/auth/tenant-secrets.ts';
import { openDatabase } from '../../server/src/db/connection.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { columnName } from '../../server/src/db/column-name.ts';
import { registerServed } from '../../server/src/resources/served.ts';
import { served } from '../../server/src/app/served.ts';
import { chainOverHttp } from './chain.ts';
import { bareServer, measure, percentile, type BenchRow } from '../load.ts';
import {
  addNotes,
  choicesOverHttp,
  expandOverHttp,
  openOverTimeOverHttp,
  panelOverHttp,
  searchesOverHttp,
  textsToStatements,
} from './queries.ts';
import { reportsOverHttp } from './reports.ts';
import { serveApi } from '../serve-api.ts';
import { addToken, indexForSearch, withoutIndexes } from '../site.ts';

/** The columns that the API returns; the bare statement selects the same columns. */
const columns = Object.keys(workUnits.fields)
  .map((name) => columnName(name))
  .join(', ');
const clients = 8;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const units = Number(process.env['BENCH_WORK_UNITS'] ?? 1_000_000);
const tenants = 200;

/** The state of the unit with a number: a few of a hundred units are open, as at a service desk without backlog. */
const states = `(array['New','Acknowledged','InProgress','InProgress','OnHold','Mitigated','Resolved','Resolved','Canceled','Canceled'])`;
const stateOf = `case when n * 37 % 100 < 10 then ${states}[1 + n * 37 % 100] else 'Closed' end`;

/** The tenants of a database that an earlier run has filled. */
async function filled(client: pg.Client): Promise<{ small: string; large: string } | undefined> {
  const { rows } = await client.query<{ tenant_id: string }>(
    `select tenant_id from tenant where name in ('Tenant 1', 'Tenant 2') and exists (select from work_unit) order by name`,
  );
  const [large, small] = rows;
  return large && small && { large: large.tenant_id, small: small.tenant_id };
}

/** Seeds one tenant with 100,000 units, the others with equal shares. Returns the ids of one small tenant and the large one. */
async function fill(client: pg.Client): Promise<{ small: string; large: string }> {
  const tenantIds = (
    await client.query<{ tenant_id: string }>(
      `insert into tenant (name) select 'Tenant ' || n from generate_series(1, ${tenants}) n returning tenant_id`,
    )
  ).rows.map((r) => r.tenant_id);
  const [large = '', small = ''] = tenantIds;
  const insert = (count: number, tenant: string) =>
    client.query(
      `insert into work_unit (tenant_id, title, description, severity_id, state_id, assigned_to, work_unit_type_id, created, resolved, created_by, modified_by, stake_holder_full_name)
     select ${tenant}, 'Gateway ' || n || ' stopped reporting', 'Opened by a rule after three packets in a row.', 'Sev' || (n * 7 % 5), ${stateOf},
       case when n % 3 = 0 then 'person' || n % 500 || '@example.com' end, 1 + n % 3, now() - n * interval '37 seconds',
       case when not (${stateOf} = any('{New,Acknowledged,InProgress,OnHold,Mitigated}')) then now() - n * interval '37 seconds' + n % 7919 * interval '11 seconds' end, 'bench', 'bench', 'Person ' || (n % 500)
     from generate_series(1, ${count}) n`,
      [tenantIds],
    );
  await withoutIndexes(client, 'work_unit', async () => {
    await insert(100_000, '($1::uuid[])[1]');
    await insert(units - 100_000, `($1::uuid[])[2 + n % ${tenants - 1}]`);
  });
  await client.query('vacuum analyze work_unit');
  await indexForSearch(client);
  await client.query('vacuum analyze work_unit_text');
  await client.query('vacuum analyze search_word');
  await addNotes(client, large);
  return { small, large };
}

async function listInSql(client: pg.Client, tenant: string, path: string, port: number, bearer: string): Promise<BenchRow> {
  const bare = {
    rows: `select ${columns} from work_unit t where t.tenant_id = $1 and t.state_id in ('New', 'Acknowledged') order by severity_id, created desc, work_unit_id limit 10`,
    count: "select count(*)::int from work_unit t where t.tenant_id = $1 and t.state_id in ('New', 'Acknowledged')",
  };
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const started = performance.now();
    await client.query({ name: 'bare-rows', text: bare.rows, values: [tenant] });
    await client.query({ name: 'bare-count', text: bare.count, values: [tenant] });
    if (i >= 50) times.push(performance.now() - started);
  }
  const ours = await measure({
    port,
    clients: 1,
    seconds,
    headers: { authorization: `Bearer ${bearer}` },
    requests: [{ method: 'GET', path }],
  });
  const bareP95 = percentile(times, 0.95);
  return {
    name: `work unit list over HTTP, ${units.toLocaleString('en')} units of ${tenants} tenants, filter, two-column sort, count, one client`,
    figures: { 'p50 ms': ours.p50, 'p95 ms': ours.p95, 'bare SQL p50 ms': percentile(times, 0.5), 'bare SQL p95 ms': bareP95 },
    ratio: { of: 'p95 over the same SQL bare (at most)', value: Math.round((ours.p95 / bareP95) * 100) / 100 },
  };
}

async function listOverHttp(pool: pg.Pool, tenant: string, path: string, port: number, bearer: string): Promise<BenchRow> {
  const bare = await bareServer(async () => {
    const [rows, count] = await Promise.all([
      pool.query({
        name: 'rows',
        text: `select ${columns} from work_unit t where t.tenant_id = $1 and t.state_id = 'New' order by severity_id, created desc, work_unit_id limit 10`,
        values: [tenant],
      }),
      pool.query<{ count: number }>({
        name: 'count',
        text: "select count(*)::int as count from work_unit t where t.tenant_id = $1 and t.state_id = 'New'",
        values: [tenant],
      }),
    ]);
    return { '@odata.count': count.rows[0]?.count, value: rows.rows };
  });
  const ceiling = await measure({ port: bare.port, clients, seconds, headers: {}, requests: [{ method: 'GET', path: '/' }] });
  bare.close();
  const ours = await measure({
    port,
    clients,
    seconds,
    headers: { authorization: `Bearer ${bearer}` },
    requests: [{ method: 'GET', path }],
  });
  return {
    name: `work unit list over HTTP, ${clients} clients, one tenant of 100,000 units, with count`,
    figures: { 'requests/s': ours.perSecond, 'p50 ms': ours.p50, 'p95 ms': ours.p95, 'bare handler requests/s': ceiling.perSecond },
    ratio: { of: 'bare node:http handler with the same SQL', value: Math.round((ours.perSecond / ceiling.perSecond) * 100) / 100 },
  };
}

async function createOverHttp(pool: pg.Pool, tenant: string, port: number, bearer: string): Promise<BenchRow> {
  const body = JSON.stringify({
    workUnitId: -1,
    title: 'Pump 7 is silent',
    description: 'No packet for ten minutes.',
    severityId: 'Sev2',
    workUnitTypeId: 1,
    tenantId: tenant,
    assignedTo: 'mara@example.com',
  });
  const bare = await bareServer(async (text) => {
    const unit = JSON.parse(text) as Record<string, unknown>;
    const { rows } = await pool.query({
      name: 'insert',
      text: 'insert into work_unit (tenant_id, title, description, severity_id, work_unit_type_id, assigned_to, created_by, modified_by) values ($1, $2, $3, $4, $5, $6, $7, $7) returning *',
      values: [
        unit['tenantId'],
        unit['title'],
        unit['description'],
        unit['severityId'],
        unit['workUnitTypeId'],
        unit['assignedTo'],
        'bench',
      ],
    });
    return rows[0];
  });
  const ceiling = await measure({ port: bare.port, clients, seconds, headers: {}, requests: [{ method: 'PUT', path: '/', body }] });
  bare.close();
  const ours = await measure({
    port,
    clients,
    seconds,
    headers: { authorization: `Bearer ${bearer}` },
    requests: [{ method: 'PUT', path: '/v1/workunits', body }],
  });
  return {
    name: `work unit create over HTTP, ${clients} clients, with audit, history and change rows`,
    figures: { 'creates/s': ours.perSecond, 'p50 ms': ours.p50, 'p95 ms': ours.p95, 'bare handler creates/s': ceiling.perSecond },
    ratio: {
      of: 'bare node:http handler that inserts the unit alone',
      value: Math.round((ours.perSecond / ceiling.perSecond) * 100) / 100,
    },
  };
}

/** Runs the bench. `url` is the address of an empty database, which the bench fills. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const log = pino({ level: 'error' });
  const database = openDatabase({ url, max: 10, onError: (error) => log.error(error) });
  await ensureShippedSets(database.scoped('all'));
  const { small, large } = (await filled(client)) ?? (await fill(client));
  const bearer = await addToken(client, null);
  await registerServed(database, served);
  const settings = {
    oidc: { authority: '', clientId: '', lifetime: 0, scope: '', extraQueryParams: {} },
    version: '',
    environment: { name: '', color: '' },
    secrets: openTenantSecrets(masterKeyOf([randomBytes(32).toString('base64')])),
    mailServerIsSet: true,
    ackLinks: openAckLinks({ signatures: () => [] }, 'http://localhost'),
    contactLinks: openContactLinks({ signatures: () => [] }, 'http://localhost'),
    calendarLinks: openCalendarLinks({ signatures: () => [] }, 'http://localhost'),
    feedLinks: openFeedLinks({ signatures: () => [] }, 'http://localhost'),
    packageKeys: [],
    seriesRetention: { packetDays: 30, minuteDays: 30, hourDays: 730 },
    publicUrl: 'http://localhost',
    database,
    pushKey: '',
    rules: () => Promise.reject(new Error('This bench explains nothing.')),
    mailboxes: {} as never,
    directories: {} as never,
    installationWork: {
      backupFolder: '',
      folderFor: () => Promise.reject(new Error('This bench makes no backup.')),
      start: () => Promise.resolve(undefined),
    },
  };
  const api = await serveApi(database, { actions: actions(settings) });
  const { port } = api;
  const query = (tenant: string, filter: string): string =>
    `/v1/workunits?$filter=${encodeURIComponent(`tenantId eq ${tenant} and ${filter}`)}&$orderby=severityId,created%20desc&$top=10&$count=true`;
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const rows = [
    await listInSql(client, small, query(small, "stateId in ('New','Acknowledged')"), port, bearer),
    await listOverHttp(pool, large, query(large, "stateId eq 'New'"), port, bearer),
    await createOverHttp(pool, small, port, bearer),
    textsToStatements(systemCtx({ database, log, name: 'bench' })),
    await expandOverHttp({ port, bearer, seconds }, large),
    await choicesOverHttp({ port, bearer, seconds }, small),
    await searchesOverHttp({ port, bearer, seconds }, large),
    await panelOverHttp({ port, bearer, seconds }, client, large),
    await openOverTimeOverHttp({ port, bearer, seconds }, client, large),
    await reportsOverHttp({ port, bearer }, client, database.scoped('all'), large),
    await chainOverHttp({ port, bearer }, client, small, 'title'),
  ];
  await api.close();
  await pool.end();
  await client.end();
  await database.close();
  return rows;
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
