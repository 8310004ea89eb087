import pg from 'pg';
import { searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureShippedSets } from '../auth/shipped.ts';
import { fillDemo } from '../demo/fill.ts';
import { findSampleNames, screenLists, type ScreenList } from '../testing/screen-lists.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { list, planList } from './list.ts';
import { servedNamed } from './served.ts';

const size = { tenants: 20, people: 40, devices: 2_000, workUnits: 30_000, unitDays: 365, packetDays: 1, packetMinutes: 60 };

/** Tables that grow with use; scanning one becomes slower over time. */
const large = /^(work_unit|work_unit_note|packet.*|latest_packet|rule_match|rule_evaluation|action_history|audit|change|device|block)$/;

let world: TestWorld;
let lists: readonly ScreenList[];
let tenantId: string;

beforeAll(async () => {
  world = await createWorld();
  await ensureShippedSets(world.system.db);
  await fillDemo(world.system.db, { size, seed: 1, at: new Date('2026-11-20T15:30:00Z') });
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  await client.query(`insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, correlation_id)
    select tenant_id, 'system', 'test', 'create', 'tenants', tenant_id, tenant_id from tenant, generate_series(1, 500)`);
  await client.query(`insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, correlation_id, reference_id, message_id)
    select tenant_id, gen_random_uuid(), 1, jsonb_build_object('ProtocolActionId', gen_random_uuid())::text, gen_random_uuid(), n::text, gen_random_uuid()
    from tenant, generate_series(1, 500) n`);
  // The texts of so many units are left to a job.
  for (let left = true; left;) {
    const { rows } = await client.query<{ n: number }>('select index_old_work_units(5000) as n');
    left = (rows[0]?.n ?? 0) > 0;
  }
  await client.query('vacuum analyze');
  await client.end();
  const named = await findSampleNames(world.system.db);
  tenantId = named.tenantId;
  lists = screenLists(named);
}, 300_000);
afterAll(() => world.close());

interface Node {
  'Node Type': string;
  'Actual Loops'?: number;
  'Relation Name'?: string;
  Plans?: Node[];
}

function scanned(node: Node): string[] {
  const scannedHere = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...scannedHere, ...(node.Plans ?? []).flatMap(scanned)];
}

describe('lists that are sorted', () => {
  const plan = async (set: string, query: string): Promise<Node> => {
    const ctx = world.ctx(holder('all'));
    const { statement } = planList(ctx, servedNamed(set), query);
    const [row] = await ctx.db.query<{ 'QUERY PLAN': { Plan: Node }[] }>({
      text: `explain (analyze, format json) ${statement.text}`,
      values: statement.values ?? [],
    });
    return row?.['QUERY PLAN'][0]?.Plan ?? { 'Node Type': 'none' };
  };
  const loops = (node: Node): number => Math.max(node['Actual Loops'] ?? 0, ...(node.Plans ?? []).map(loops));

  it.each(['timestamp desc', 'receivedTimestamp asc'])('make the JSON of the rows of the page alone: packets by %s', async (order) => {
    const first = `$orderby=${order}&$top=10`;
    expect(loops(await plan('packets', first))).toBeLessThanOrEqual(10);
    const { next } = await list(world.ctx(holder('all')), servedNamed('packets'), `$orderby=${order}`, { maxPageSize: 10 });
    expect(loops(await plan('packets', `$orderby=${order}&$top=10&$skiptoken=${next?.skiptoken}`))).toBeLessThanOrEqual(10);
  });

  it.each(['referenceType', 'referenceId', 'createdBy'])('read relations of all tenants by an index of %s', async (field) => {
    for (const order of ['asc', 'desc']) expect(scanned(await plan('workUnitRelations', `$orderby=${field} ${order}&$top=10`))).toEqual([]);
  });
});

describe('lists of screens', () => {
  it('never scan a table that grows with use from end to end', async () => {
    const faults: string[] = [];
    for (const { screen, set, query, all } of lists) {
      const ctx = world.ctx(holder(all ? 'all' : [tenantId]));
      const { statement } = planList(ctx, servedNamed(set), encodeURI(query));
      const [row] = await ctx.db.query<{ 'QUERY PLAN': { Plan: Node }[] }>({
        text: `explain (format json) ${statement.text}`,
        values: statement.values ?? [],
      });
      const largeScans = row ? row['QUERY PLAN'].flatMap(({ Plan }) => scanned(Plan)).filter((table) => large.test(table)) : ['no plan'];
      if (largeScans.length > 0) faults.push(`${screen}: ${largeScans.join(', ')}`);
      const answer = await world.call(holder(all ? 'all' : [tenantId]), 'GET', `/v1/${set}?${encodeURI(query)}`);
      if (answer.status !== 200) faults.push(`${screen}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    expect(faults).toEqual([]);
  });
});

describe('a search of several words', () => {
  /** The pages of the database that the search reads, when all that it needs is in memory. */
  async function pagesOf(terms: readonly string[]): Promise<number> {
    const { db } = world.system;
    type Explained = { 'QUERY PLAN': { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }[] };
    const text = 'explain (analyze, buffers, format json) select * from search_units($1, null, null, null, null, null)';
    await db.query({ text, values: [terms] });
    const [row] = await db.query<Explained>({ text, values: [terms] });
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    return plan ? plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] : 0;
  }

  it('looks up the rare one, and not the one that many units have', async () => {
    const [rare] = await world.system.db.query<{ n: string }>({
      text: `select max(public_work_unit_id)::text as n from work_unit where title like '%stopped reporting'`,
    });
    const terms = ['stopped', 'reporting', rare?.n ?? ''];
    const answer = async () =>
      (
        await world.system.db.query<{ id: number }>({
          text: 'select work_unit_id as id from search_units($1, null, null, null, null, null)',
          values: [terms],
        })
      ).length;
    expect(await answer()).toBe(1);
    const alone = await pagesOf([rare?.n ?? '']);
    expect(await pagesOf(terms)).toBeLessThan(alone * 4 + 300);
    expect(await pagesOf(['stopped', 'reporting'])).toBeGreaterThan(alone * 4 + 300);
  });

  it('reads the texts of the units that a filter leaves, where all have the word, for those of all and of one tenant', async () => {
    const isNew = "stateId eq 'New'";
    const query = (text: string, filter: string) =>
      `$filter=${filter} and ${searchFilter(workUnits, text) ?? ''}&$orderby=${searchOrder(workUnits, text) ?? ''},workUnitId&$top=200&$count=true`;
    // A word of the texts of nearly all units, and none that has it alone in its title.
    const [common] = await world.system.db.query<{ word: string; n: number }>({
      text: `select word, count(*)::int as n from work_unit_text, lateral (select distinct word from string_to_table(body, ' ') word) w
        where word ~ '^[a-z]{4,}$' group by word order by n desc limit 1`,
    });
    const { word = '', n = 0 } = common ?? {};
    expect(n).toBeGreaterThan(3_000);
    for (const [caller, scope] of [
      [holder('all'), 'true'],
      [holder([tenantId]), `u.tenant_id = '${tenantId}'`],
    ] as const) {
      const client = new pg.Client({ connectionString: world.url });
      await client.connect();
      const { rows } = await client.query<{ id: number }>(
        `select u.work_unit_id::int as id from work_unit u join work_unit_text s using (work_unit_id)
          where u.state_id = 'New' and ${scope} and strpos(s.body, $1) > 0 order by search_rank(s.public_work_unit_id, s.body, array[$1]) desc, 1`,
        [word],
      );
      await client.end();
      const page = await list(world.ctx(caller), servedNamed('workUnits'), query(word, isNew));
      expect(rows.length).toBeGreaterThan(0);
      expect([page.count, page.value.map((row) => row['workUnitId'])]).toEqual([rows.length, rows.slice(0, 200).map(({ id }) => id)]);
    }
    const pages = async (filter: string): Promise<number> => {
      const ctx = world.ctx(holder('all'));
      const { statement } = planList(ctx, servedNamed('workUnits'), query(word, filter));
      const [row] = await ctx.db.query<{ 'QUERY PLAN': { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }[] }>({
        text: `explain (analyze, buffers, format json) ${statement.text}`,
        values: statement.values ?? [],
      });
      const plan = row?.['QUERY PLAN'][0]?.Plan;
      return plan ? plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] : 0;
    };
    const [few, many] = [await pages(isNew), await pages("stateId ne 'New'")];
    expect(few * 3).toBeLessThan(many);
  });
});
