/** The optimised groupings return the same rows as the general one, and fill the choices of filters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample } from '../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { planList } from '../resources/list.ts';
import { servedNamed } from '../resources/served.ts';
import { maxSteps } from './distinct.ts';

let world: TestWorld;
let tenants: { tenantId: string; subscriptionId: string }[];
let callers: Record<string, TestCaller>;

beforeAll(async () => {
  world = await createWorld();
  tenants = await Promise.all(['Alpha', 'Beta', 'Gamma', 'Delta'].map((name) => world.tenant(name)));
  const [a = '', b = '', c = '', d = ''] = tenants.map((t) => t.tenantId);
  callers = { everybody: holder('all'), one: holder([a]), two: holder([b, a]), none: holder([d]) };
  await world.system.db.query({
    text: `insert into work_unit (tenant_id, title, severity_id, state_id, assigned_to, work_unit_type_id, created_by, modified_by)
      select ($1::uuid[])[1 + n % 3], 'Unit ' || n, 'Sev' || (n % 5), case when n % 4 = 0 then 'Closed' else 'New' end,
        case when n % 5 > 0 then 'Person ' || (n % 13) end, 1 + n % 2, 'test', 'test' from generate_series(1, 400) n`,
    values: [[a, b, c]],
  });
  await world.system.db.query({
    text: "insert into location (tenant_id, name) select ($1::uuid[])[1 + n % 4], 'Place ' || (n % 7) from generate_series(1, 60) n",
    values: [[a, b, null, c]],
  });
});
afterAll(() => world.close());

async function groups(caller: TestCaller, set: string, query: string): Promise<{ rows: unknown; count: unknown }> {
  const { status, body } = await world.call(caller, 'GET', `/v1/${set}?${encodeURI(query)}`);
  expect([query, status, body['error']]).toEqual([query, 200, undefined]);
  return { rows: body.value, count: body['@odata.count'] };
}

const sqlOf = (caller: TestCaller, set: string, query: string): string =>
  planList(world.ctx(caller), servedNamed(set), query).statement.text;

describe('the values of an indexed field', () => {
  const filters = [
    '',
    'A',
    'B',
    "contains(tolower(assignedTo),'1')",
    "contains(tenant/name,'a')",
    "stateId eq 'New'",
    'assignedTo ne null',
    'tenantId ne A',
    'tenantId in (A,B) and assignedTo ne null',
  ];
  const keys = [
    'assignedTo',
    'tenantId',
    'tenant/name',
    'tenantId,tenant/name',
    'stateId',
    'assignedTo,stateId',
    'workUnitType/name',
    'title',
    'workUnitId',
  ];
  const options = ['', '&$top=3&$skip=1', '&$count=true&$top=2', '&$orderby=KEY desc&$top=4', '&$filter=KEY ne null&$top=1000'];

  it.each(keys)(
    'are those of a plain grouping by %s, whoever asks',
    async (key) => {
      const [first = ''] = key.split(',');
      for (const caller of Object.values(callers)) {
        for (const filter of filters) {
          const condition = /^[AB]$/.test(filter) ? `tenantId eq ${filter}` : filter;
          const where = condition.replaceAll(/\b([AB])\b/g, (_, name: string) => tenants[name === 'A' ? 0 : 1]?.tenantId ?? '');
          for (const option of options) {
            const steps = [...(where === '' ? [] : [`filter(${where})`]), `groupby((${key}))`];
            const tail = option.replaceAll('KEY', first);
            const fast = await groups(caller, 'workUnits', `$apply=${steps.join('/')}${tail}`);
            // A page of all rows uses the general grouping.
            const plain = await groups(caller, 'workUnits', `$apply=skip(0)/${steps.join('/')}${tail}`);
            expect({ where, tail, ...fast }).toEqual({ where, tail, ...plain });
          }
        }
      }
    },
    60_000,
  );

  it('are found by steps where an index has them', () => {
    const { everybody, one, two } = callers as Record<'everybody' | 'one' | 'two', TestCaller>;
    for (const query of ['groupby((assignedTo))', 'groupby((tenant/name))', "filter(contains(assignedTo,'1'))/groupby((assignedTo))"])
      for (const caller of [everybody, one, two])
        expect([query, sqlOf(caller, 'workUnits', `$apply=${query}`)]).toEqual([query, expect.stringContaining('recursive')]);
    expect(sqlOf(everybody, 'workUnits', '$apply=groupby((environment))')).not.toContain('recursive');
    expect(sqlOf(everybody, 'workUnits', "$apply=filter(stateId eq 'New')/groupby((assignedTo))")).not.toContain('recursive');
  });

  it('are grouped plainly when they are too many for steps', async () => {
    await world.system.db.query({
      text: `insert into work_unit (tenant_id, title, assigned_to, work_unit_type_id, created_by, modified_by)
        select $1, 'Many', 'Many ' || lpad(n::text, 6, '0'), 1, 'test', 'test' from generate_series(1, $2::int) n`,
      values: [tenants[3]?.tenantId, maxSteps + 10],
    });
    const { count, rows } = await groups(
      callers['none'] as TestCaller,
      'workUnits',
      '$apply=groupby((assignedTo))&$count=true&$top=1&$orderby=assignedTo desc',
    );
    expect([count, rows]).toEqual([maxSteps + 10, [{ assignedTo: `Many ${String(maxSteps + 10).padStart(6, '0')}` }]]);
  });

  it('have those of everybody among them', async () => {
    const everyones = await groups(callers['one'] as TestCaller, 'locations', '$apply=groupby((tenantId,tenant/name))');
    expect(everyones.rows).toEqual([
      { tenantId: null, tenant: { name: null } },
      { tenantId: tenants[0]?.tenantId, tenant: { name: 'Alpha' } },
    ]);
    const plain = await groups(callers['one'] as TestCaller, 'locations', '$apply=skip(0)/groupby((name))');
    expect(await groups(callers['one'] as TestCaller, 'locations', '$apply=groupby((name))')).toEqual(plain);
  });
});

describe('choices of filters', () => {
  it.each([
    ['[API-039]', 'actionDefinitions'],
    ['[API-050]', 'protocols'],
    ['[API-062]', 'rules'],
    ['[API-129]', 'locations'],
    ['[API-136]', 'workUnits'],
    ['', 'devices'],
  ])('%s groups %s by the name of their tenant', async (_id, name) => {
    for (const home of tenants.slice(0, 2)) await insertSample(world, requireResource(name), home);
    const grouped = '$apply=groupby((tenant/name))&$orderby=tenant/name&$top=1000';
    const { rows } = await groups(callers['one'] as TestCaller, name, grouped);
    expect((rows as { tenant: { name: string | null } }[]).filter((row) => row.tenant.name !== null)).toEqual([
      { tenant: { name: 'Alpha' } },
    ]);
    expect(JSON.stringify((await groups(callers['two'] as TestCaller, name, grouped)).rows)).toContain('"Beta"');
  });

  it('[API-137] groups work units by whom they are assigned to', async () => {
    const { rows } = await groups(
      callers['one'] as TestCaller,
      'workUnits',
      "$apply=filter(contains(tolower(assignedTo),'person 1'))/groupby((assignedTo))",
    );
    expect(rows).toEqual(['Person 1', 'Person 10', 'Person 11', 'Person 12'].map((assignedTo) => ({ assignedTo })));
  });

  it('[API-210] groups categories by the type of their work units', async () => {
    await insertSample(world, requireResource('workUnitCategories'), tenants[0] ?? { tenantId: '', subscriptionId: '' });
    const { rows } = await groups(callers['one'] as TestCaller, 'workUnitCategories', '$apply=groupby((workUnitType/name,workUnitTypeId))');
    expect(rows).toEqual([{ workUnitType: { name: expect.any(String) }, workUnitTypeId: expect.any(Number) }]);
  });
});
