/**
 * Each index of work units is written for each new one, so each names the query that needs it: a sorted list, or one of the queries below.
 * One that none names fails here, and so does a query that reads all units instead.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStates } from '@cloudfit/contract/enums.ts';
import { planList } from '../../resources/list.ts';
import { sortedLists } from '../../testing/statements/sorted-lists.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { servedWorkUnits } from './work-units.served.ts';

const units = 15_000;
const portion = 1_500;
const person = 'person7@example.com';
const open = `state_id in (${openStates.map((state) => `'${state}'`).join(', ')})`;

let world: TestWorld;
let tenantId: string;

beforeAll(async () => {
  world = await createWorld();
  for (let n = 0; n < 20; n += 1) tenantId = (await world.tenant(`Tenant ${n}`)).tenantId;
  const { db } = world.system;
  // Most units are closed, the newest are open, and few have what is rare. In portions, because a statement may take ten seconds.
  const insert = `insert into work_unit (tenant_id, title, description, severity_id, state_id, assigned_to, assignment_group, work_unit_type_id, created, modified, created_by,
  modified_by, stake_holder_full_name, stake_holder_phone_number, stake_holder_email_address, approver1, approver2, line, rule_id, snoozed_until, unanswered_since, clock_due, clock_warn,
  planned_finish_time, affected_devices, opened_by_rule_match_id)
select t.ids[1 + n % 20], (array['Disk full on', 'High CPU of', 'No packets from', 'Update of', 'Backup failed on'])[1 + n % 5] || ' host-' || (n * 7919 % 5000), 'Opened by a rule ' || n,
  'Sev' || 1 + n * 7 % 4, case when n > $1::int * 0.95 and n % 3 > 0 or n % 211 = 0 then (array['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated'])[1 + n % 5]
    else (array['Resolved', 'Closed', 'Canceled'])[1 + n % 3] end,
  case when n % 3 > 0 then 'person' || n * 31 % 200 || '@example.com' end, case when n % 5 > 2 then 'Group ' || n * 17 % 30 end, 1 + n % 3,
  now() - ($1 - n) * interval '37 seconds', now() - ($1 - n) * interval '31 seconds', 'person' || n % 100, 'test',
  case when n % 2 = 0 then 'Person ' || n * 13 % 900 end, case when n % 4 = 0 then '+49 30 ' || n * 7 % 90000 end, case when n % 2 = 0 then 'p' || n * 13 % 900 || '@customer.example' end,
  case when n % 300 = 7 then $2 end, case when n % 900 = 7 then $2 end, case when n % 100 = 0 then md5(n % 1000 || '')::uuid end, case when n % 100 = 0 then md5(n % 1000 || '')::uuid end,
  case when n % 500 = 0 then now() end, case when n % 500 = 1 then now() end, case when n % 500 = 2 then now() end, case when n % 500 = 2 then now() end,
  case when n % 30 = 1 then now() end, case when n % 300 = 1 then jsonb_build_array(md5(n || '')::uuid) else '[]' end, case when n % 100 = 3 then md5(n || '')::uuid end
from generate_series($3::int, $4::int) n, (select array_agg(tenant_id order by tenant_id) as ids from tenant where name like 'Tenant %') t`;
  for (let n = 1; n <= units; n += portion) await db.query({ text: insert, values: [units, person, n, n + portion - 1] });
  await db.query({ text: 'analyze work_unit' });
}, 240_000);
afterAll(() => world.close());

const id = '0197f000-0000-7000-8000-00000000ffff';
const query = (where: string, rest = ''): string => `select work_unit_id from work_unit where ${where} ${rest}`;

/** Indexes that serve no sorted list, each with the query that needs it, and where that stands. */
const others: Readonly<Record<string, { query: string; of: string }>> = {
  work_unit_affected_devices: {
    query: query(`affected_devices <> '[]' and affected_devices @> to_jsonb('${id}'::uuid)`),
    of: 'the search by names of devices, work_units_found()',
  },
  work_unit_category_units: {
    query: query(`work_unit_category_id = '${id}'`),
    of: 'the foreign key, when a category is deleted',
  },
  work_unit_subcategory_units: {
    query: query(`work_unit_subcategory_id = '${id}'`),
    of: 'the foreign key, when a subcategory is deleted',
  },
  work_unit_protocol: { query: query(`protocol_id = '${id}'`), of: 'the foreign key, when a protocol is deleted' },
  work_unit_clock_due: { query: query('clock_due is not null', 'order by clock_due, work_unit_id limit 10'), of: 'the list of due clocks' },
  work_unit_clock_warn: { query: query(`clock_warn < now() - interval '1 day'`), of: 'the filter of units whose clock warns' },
  work_unit_created_by: {
    query: query(`created_by = '${person}'`, 'order by created desc, work_unit_id limit 10'),
    of: 'own requests, and whether a person is named on a unit (people-names.ts)',
  },
  work_unit_found: {
    query: `select found_work_units('%host-4711%')`,
    of: 'filters that look for a text',
  },
  work_unit_line: { query: query(`line = md5('100')::uuid`, 'order by work_unit_id desc'), of: 'order-of-messages.ts' },
  work_unit_opened_by: { query: query(`opened_by_rule_match_id = '${id}'`), of: 'consequences.ts, and one unit for each match' },
  work_unit_plan: {
    query: query(`tenant_id = $1 and work_unit_type_id = 2 and planned_finish_time > now() + interval '1 day'`),
    of: 'the calendar of changes, collisions.action.ts',
  },
  work_unit_reference: {
    query: query(`tenant_id = $1 and reference_url = 'https://github.com/acme/ops/issues/1'`),
    of: 'links.ts, the unit of a ticket that is its reference',
  },
  work_unit_rule: { query: query(`rule_id = '${id}'`, 'order by created desc'), of: 'the units of a rule' },
  work_unit_snoozed: { query: query(`snoozed_until <= now() - interval '1 day'`, 'order by snoozed_until'), of: 'wake-units.ts' },
  work_unit_stakeholder: { query: query(`stake_holder_email_key = 'p5@customer.example'`), of: 'own-requests.ts' },
  work_unit_unanswered: {
    query: query('unanswered_since is not null', 'order by unanswered_since desc limit 100'),
    of: 'ledger.action.ts',
  },
  work_unit_waits_for_anybody: {
    query: query(
      `tenant_id = $1 and assignment_group is null and state_id = 'New' and assigned_to is null`,
      'order by severity_id, created desc, work_unit_id limit 10',
    ),
    of: 'do-now.action.ts',
  },
  work_unit_waits_in_group: {
    query: query(
      `assignment_group = 'Group 5' and assigned_to is null and ${open}`,
      'order by severity_id, created desc, work_unit_id limit 10',
    ),
    of: 'do-now.action.ts',
  },
};

interface PlanNode {
  'Index Name'?: string;
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function explain(tenants: 'all' | readonly string[], text: string, values: readonly unknown[] = []): Promise<PlanNode[]> {
  const [row] = await world.database
    .scoped(tenants)
    .query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ text: `explain (format json) ${text}`, values });
  return row ? nodesOf(row['QUERY PLAN'][0].Plan) : [];
}

/** Whether a query reads this index, also within a function. */
function scans(index: string, text: string): Promise<boolean> {
  return world.system.db.transaction(async (tx) => {
    await tx.query({ text, values: text.includes('$1') ? [tenantId] : [] });
    const [row] = await tx.query<{ scans: number }>({
      text: 'select pg_stat_get_xact_numscans($1::regclass)::int as scans',
      values: [index],
    });
    return (row?.scans ?? 0) > 0;
  });
}

it('each index of work units serves a query', async () => {
  const used = new Set<string>();
  const slow: string[] = [];
  for (const { name, path, all } of sortedLists({ person })) {
    if (!path.startsWith('/v1/workUnits?')) continue;
    const tenants = all ? 'all' : [tenantId];
    const caller = world.ctx(holder(tenants));
    const { statement } = planList(caller, servedWorkUnits, encodeURI(path.slice(path.indexOf('?') + 1)), { wire: true });
    const nodes = await explain(tenants, statement.text, statement.values);
    for (const { 'Index Name': index } of nodes) if (index?.startsWith('work_unit_')) used.add(index);
    // A page far behind is fetched faster from the table when it is this small.
    const readsAll = nodes.some((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'work_unit');
    if (readsAll && name.endsWith('first page')) slow.push(name);
  }
  for (const [index, { query: text }] of Object.entries(others)) {
    if (await scans(index, text)) used.add(index);
    else slow.push(`${index} is not used for: ${text}`);
  }
  expect(slow).toEqual([]);
  const rows = await world.system.db.query<{ name: string }>({
    text: `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'work_unit'::regclass order by 1`,
  });
  expect(rows.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
}, 240_000);
