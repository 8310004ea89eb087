/**
 * Measures queries over a million work units: compilation of a query, two levels of expansion, the choices of a filter,
 * and the open units of past days.
 */
import { searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type pg from 'pg';
import { openStates } from '@cloudfit/contract/enums.ts';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx } from '../../server/src/context/ctx.ts';
import { compile } from '../../server/src/db/compile.ts';
import { selectQuery } from '../../server/src/query/select.ts';
import { readable, readableBy } from '../../server/src/resources/scope.ts';
import { servedNamed } from '../../server/src/resources/served.ts';
import { measure, percentile, type BenchRow } from '../load.ts';

/** Typical queries over a large list. */
const typical: Readonly<Record<string, string>> = {
  grid: "$filter=stateId in ('New','Acknowledged') and tenantId eq 0197f000-0000-7000-8000-000000000001&$orderby=severityId,created desc&$top=10&$count=true&$expand=tenant($select=name)",
  search: `$filter=(${searchFilter(workUnits, 'pump', false, ['tenant/name']) ?? ''}) and not (stateId eq 'Closed')&$top=10&$count=true`,
  lambda:
    "$filter=notes/any(n:contains(tolower(n/detail),'valve') and n/created ge 2026-01-01T00:00:00Z) and created ge now() sub duration'P7D'&$orderby=notes/$count desc",
  expand:
    '$select=title,stateId&$expand=tenant($select=name;$expand=subscriptions($select=name)),notes($filter=isExternalNote;$orderby=created desc;$top=5)',
  grouped:
    "$apply=filter(stateId ne 'Closed')/groupby((tenant/name,severityId),aggregate($count as n,effort with sum as effort))&$filter=n gt 10&$orderby=n desc",
};

const runs = 2_000;

/** The time from query text to SQL, without the database. */
export function textsToStatements(ctx: Ctx): BenchRow {
  const served = servedNamed('workUnits');
  const figures: Record<string, number> = {};
  for (const [name, text] of Object.entries(typical)) {
    const query = encodeURI(text);
    const once = (): unknown =>
      compile(
        selectQuery(
          { root: readable(ctx, served), readableOf: readableBy(ctx) },
          bindQuery(served.resource, parseOptions(query), requireResource),
          { top: 10, skip: 0, cut: false },
        ),
      );
    for (let i = 0; i < runs; i++) once();
    const started = performance.now();
    for (let i = 0; i < runs; i++) once();
    figures[`${name} ms`] = Math.round(((performance.now() - started) / runs) * 1_000) / 1_000;
  }
  return {
    name: 'parse, bind and compile of five typical queries',
    figures: { 'slowest ms': Math.max(...Object.values(figures)), ...figures },
  };
}

/** Adds two notes to each of the tenant's first 1,000 units by severity, newest first. */
export async function addNotes(client: pg.Client, tenant: string): Promise<void> {
  await client.query(
    `insert into work_unit_note (work_unit_id, tenant_id, detail, created_by, correlation_id)
     select work_unit_id, tenant_id, 'Looked at it, part ' || n, 'bench', uuidv7()
     from (select work_unit_id, tenant_id from work_unit where tenant_id = $1 order by severity_id, created desc, work_unit_id limit 1000) u, generate_series(1, 2) n`,
    [tenant],
  );
  await client.query('vacuum analyze work_unit_note');
}

interface Server {
  port: number;
  bearer: string;
  seconds: number;
}

async function p95Of({ port, bearer, seconds }: Server, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${bearer}` };
  return (await measure({ port, clients: 1, seconds, headers, requests: [{ method: 'GET', path: encodeURI(path) }] })).p95;
}

export async function expandOverHttp(server: Server, tenant: string): Promise<BenchRow> {
  const rows = `$filter=tenantId eq ${tenant}&$orderby=severityId,created desc&$top=1000`;
  const fields = '$select=publicWorkUnitId,title,severityId,stateId,assignedTo,created,modified';
  const expand = '$expand=tenant($select=name;$expand=subscriptions($select=name)),notes($select=detail,created,createdBy)';
  return {
    name: '1,000 work units over HTTP with the columns of a grid, their tenant with its subscriptions, and their notes; one client',
    figures: {
      'p95 ms': await p95Of(server, `/v1/workunits?${rows}&${fields}&${expand}`),
      'all columns p95 ms': await p95Of(server, `/v1/workunits?${rows}&${expand}`),
    },
  };
}

export async function choicesOverHttp(server: Server, tenant: string): Promise<BenchRow> {
  const choices = {
    'tenants p95 ms': '$apply=groupby((tenantId,tenant/name))&$orderby=tenant/name&$top=1000',
    'tenants with a 9 p95 ms': "$apply=filter(contains(tolower(tenant/name),'9'))/groupby((tenantId,tenant/name))&$top=1000",
    'assigned to p95 ms': '$apply=groupby((assignedTo))&$top=1000',
    'assigned to, of one tenant p95 ms': `$apply=filter(tenantId eq ${tenant})/groupby((assignedTo))&$top=1000&$count=true`,
    'states p95 ms': '$apply=groupby((stateId))',
  };
  const figures: Record<string, number> = {};
  for (const [name, query] of Object.entries(choices)) figures[name] = await p95Of(server, `/v1/workunits?${query}`);
  return {
    name: 'choices of a filter over all work units over HTTP, one client',
    figures: { 'slowest p95 ms': percentile(Object.values(figures), 0.999), ...figures },
  };
}

/** What people type: rare words, words that all units have, two of them, parts, numbers, mistyped words, and what nobody has. */
const searches = {
  'a number': '54321',
  'two words': '54321 stopped',
  'a name': 'person 417',
  'a part': 'ateway 65432',
  'a mistyped word': 'gatewya 65432',
  'a note': 'looked part',
  'a word that all units have': 'gateway',
  'two such words': 'stopped reporting',
  'a phrase of them': '"stopped reporting"',
  'two letters': 'ga',
  'one digit': '1',
  'a beginning that one of sixty units has': '54',
  'a mistyped word of all units': 'gatewya',
  'names of all customers': 'tenant',
  'no unit, 200 letters': 'xqzv'.repeat(50),
  'no unit, an address': '10.0.0.17',
};

/** Measures the search of work units, ranked and counted. `common` is a word that all units have. */
export async function searchesOverHttp(server: Server, tenant: string): Promise<BenchRow> {
  const query = (text: string, of = ''): string =>
    `/v1/workunits?$filter=${of}${searchFilter(workUnits, text) ?? ''}&$orderby=${searchOrder(workUnits, text) ?? ''},severityId,created desc&$top=10&$count=true&countUpTo=10000`;
  const figures: Record<string, number> = {};
  for (const [name, text] of Object.entries(searches)) figures[`${name} p95 ms`] = await p95Of(server, query(text));
  const open = "stateId in ('New','Acknowledged','InProgress','OnHold','Mitigated') and ";
  figures['a word that all units have, of one tenant p95 ms'] = await p95Of(server, query('gateway', `tenantId eq ${tenant} and `));
  figures['a word that all units have, in open states p95 ms'] = await p95Of(server, query('gateway', open));
  const slowest = Math.max(...Object.values(figures));
  figures['two words of one tenant p95 ms'] = await p95Of(server, query('54321 stopped', `tenantId eq ${tenant} and `));
  figures['a word that all units have, in state New p95 ms'] = await p95Of(server, query('gateway', "stateId eq 'New' and "));
  return {
    name: 'search of work units over HTTP, ranked and counted, over all tenants, one client',
    figures: { 'slowest p95 ms': slowest, ...figures },
  };
}

/** What the portal reads when a person opens a unit from the list, in one request. */
const readsOfPanel = (id: number, tenant: string): readonly string[] => [
  `/v1/workUnits(${id})?$expand=tenant,workUnitType,relations,clocks($orderby=workUnitClockId),protocol($select=protocolId,name),rule($select=ruleId,name,color)`,
  `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`,
  `/v1/workunits/${id}/pendingActions`,
  `/v1/notifications?$filter=workUnitId eq ${id}&$orderby=created desc&$top=100`,
  `/v1/plannedSteps?$filter=workUnitId eq ${id} and ended eq null&$orderby=due asc&$top=20`,
  `/v1/workunits/${id}/watchers`,
  `/v1/workunits/${id}/seen`,
  `/v1/workunits/${id}/alsoNow`,
  '/api/generallookup/workunitcatgories',
  '/api/generallookup/workunitsubcatgories',
  `/v1/tenants/${tenant}/assignmentGroups`,
];

/** Measures the first request of an opened panel, over units that have notes. */
export async function panelOverHttp({ port, bearer, seconds }: Server, client: pg.Client, tenant: string): Promise<BenchRow> {
  const { rows } = await client.query<{ id: number }>(
    'select distinct work_unit_id::int as id from work_unit_note where tenant_id = $1 order by id limit 50',
    [tenant],
  );
  const body = (id: number) =>
    JSON.stringify({ requests: readsOfPanel(id, tenant).map((url, at) => ({ id: String(at), method: 'GET', url })) });
  const [first] = rows;
  const headers = { authorization: `Bearer ${bearer}`, prefer: 'continue-on-error' };
  const tried = await fetch(`http://127.0.0.1:${port}/v1/$batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: body(first?.id ?? 0),
  });
  const { responses = [] } = (await tried.json()) as { responses?: { id: string; status: number }[] };
  const failed = responses.filter(({ status }) => status !== 200);
  if (responses.length === 0 || failed.length > 0) throw new Error(`Parts of the panel were not answered: ${JSON.stringify(failed)}`);
  const requests = rows.map(({ id }) => ({ method: 'POST', path: '/v1/$batch', body: body(id) }));
  return {
    name: `the panel of a unit over HTTP: ${responses.length} reads in one request, one client`,
    figures: { 'p95 ms': (await measure({ port, clients: 1, seconds, headers, requests })).p95 },
  };
}

const chartDays = 14;

/** Adds changes to a tenant's units of the last 30 days: up to three of the state, and for every fifth one of the severity. */
async function addChanges(client: pg.Client, tenant: string): Promise<number> {
  const {
    rows: [before],
  } = await client.query<{ count: number }>(`select count(*)::int from work_unit_note where tenant_id = $1 and detail = 'Changed'`, [
    tenant,
  ]);
  if (before && before.count > 0) return before.count;
  const { rowCount } = await client.query(
    `insert into work_unit_note (work_unit_id, tenant_id, detail, created_by, correlation_id, history_type, field, old_value, new_value, created)
     select work_unit_id, tenant_id, 'Changed', 'bench', uuidv7(), type, field, old_value, new_value, least(created + after, now())
     from work_unit, lateral (values
       ('WorkUnitStateChange', 'stateId', 'New', 'Acknowledged', interval '5 minutes', true),
       ('WorkUnitStateChange', 'stateId', 'Acknowledged', 'InProgress', interval '1 hour', state_id <> 'Acknowledged'),
       ('WorkUnitStateChange', 'stateId', 'InProgress', state_id, work_unit_id % 90 * interval '1 hour', state_id not in ('Acknowledged', 'InProgress')),
       ('FieldChange', 'severityId', 'Sev4', severity_id, interval '30 minutes', work_unit_id % 5 = 0)
     ) step (type, field, old_value, new_value, after, is_taken)
     where tenant_id = $1 and created > now() - interval '30 days' and state_id <> 'New' and is_taken`,
    [tenant],
  );
  await client.query('vacuum analyze work_unit_note');
  return rowCount ?? 0;
}

/** Measures the chart of the home page. The ceiling reads the same changes and open units, but computes no chart. */
export async function openOverTimeOverHttp(server: Server, client: pg.Client, tenant: string): Promise<BenchRow> {
  const changes = await addChanges(client, tenant);
  const times: number[] = [];
  for (let i = 0; i < 60; i++) {
    const started = performance.now();
    await client.query({
      name: 'bare-changes',
      text: `select count(*) from work_unit_note
        where tenant_id = $1 and created >= date_trunc('day', now()) - $2 * interval '1 day' and field in ('stateId', 'severityId')`,
      values: [tenant, chartDays - 1],
    });
    await client.query({
      name: 'bare-open',
      text: 'select severity_id, state_id, count(*) from work_unit where tenant_id = $1 and state_id = any($2) group by 1, 2',
      values: [tenant, openStates],
    });
    if (i >= 10) times.push(performance.now() - started);
  }
  const bareP95 = percentile(times, 0.95);
  const p95 = await p95Of(server, `/v1/workunits/GetOpenOverTime(days=${chartDays},minutes=0)?tenantId=${tenant}`);
  return {
    name: `open units of ${chartDays} days over HTTP, one tenant of 100,000 units with ${changes.toLocaleString('en')} changes in 30 days, one client`,
    figures: { 'p95 ms': p95, 'bare SQL p95 ms': bareP95 },
    ratio: { of: 'p95 over bare statements that read the same rows (at most)', value: Math.round((p95 / bareP95) * 100) / 100 },
  };
}
