/** A search of words that very many units have ranks the newest of them; whatever fewer have is found and ranked as without that. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

const units = 12_000;
let world: TestWorld;
let [large, small, both]: TestCaller[] = [];
let smallId: string;

beforeAll(async () => {
  world = await createWorld();
  const tenantId = (await world.tenant('Alder Water')).tenantId;
  smallId = (await world.tenant('Birch Power')).tenantId;
  [large, small, both] = [holder([tenantId]), holder([smallId]), holder('all')];
  // The oldest quarter is about pumps, and one of them is leaking. Every tenth unit is severe and of the small tenant, and the newest are of the other.
  await world.system.db.query({
    text: `insert into work_unit (tenant_id, title, description, severity_id, state_id, work_unit_type_id, created_by, modified_by)
      select case when n % 10 = 0 and n < $3 - 2000 then $2::uuid else $1::uuid end,
        case when n = 300 then 'Leaking pump' when n <= 3000 then 'Pump ' || n || ' stopped' else 'Gateway ' || n || ' stopped' end,
        'Reported by the night watch', case when n % 10 = 0 then 'Sev1' else 'Sev3' end, case when n <= 100 then 'Resolved' else 'New' end, 1, 'x', 'x'
      from generate_series(1, $3::int) n`,
    values: [tenantId, smallId, units],
  });
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  await client.query('select index_old_work_units(20000)');
  await client.query('analyze work_unit_text');
  await client.end();
}, 60_000);
afterAll(() => world.close());

async function find(
  text: string,
  { who = both, of = '', page = '&$top=10&countUpTo=10000' }: { who?: TestCaller | undefined; of?: string; page?: string } = {},
) {
  const filter = encodeURIComponent(`${of}${searchFilter(workUnits, text) ?? ''}`);
  const order = encodeURIComponent(`${searchOrder(workUnits, text) ?? ''},workUnitId desc`);
  const { body } = await world.call(who ?? null, 'GET', `/v1/workunits?$filter=${filter}&$orderby=${order}&$count=true${page}`);
  return { count: body['@odata.count'], titles: (body.value ?? []).map((row) => String(row['title'])) };
}
const all = '&$top=10';

it('ranks the newest thousand of a word that all have, and says that there are more than are counted', async () => {
  const { count, titles } = await find('stopped');
  expect([count, titles[0]]).toEqual([10_001, `Gateway ${units} stopped`]);
  expect((await find('stopped', { page: '&$top=1000&countUpTo=10000' })).titles.at(-1)).toBe(`Gateway ${units - 999} stopped`);
  const { body } = await world.call(
    both ?? null,
    'GET',
    "/v1/workunits?$filter=found('stopped')&$orderby=workUnitId&$top=1&$count=true&countUpTo=10000",
  );
  expect(body.value?.[0]?.['title']).toBe(`Gateway ${units - 999} stopped`);
  expect((await find('watch nihgt')).count).toBe(10_001);
  expect((await find('"night watch"')).count).toBe(10_001);
});

it('finds all where the page goes beyond these, and where nobody limits the count', async () => {
  expect((await find('stopped', { page: '&$top=10&$skip=11000&countUpTo=20000' })).titles[0]).toBe('Pump 1000 stopped');
  expect((await find('stopped', { page: all })).count).toBe(units - 1);
});

it('finds what fewer have wherever it is, ranked as always', async () => {
  for (const text of ['leaking', 'leaking watch', 'pump', 'pmup stopped', '#7', '2999', 'alder pump', 'zzz watch', '!?', 'x'.repeat(200)])
    expect([text, await find(text)]).toEqual([text, await find(text, { page: all })]);
  expect((await find('leaking watch')).titles).toEqual(['Leaking pump']);
});

it('looks among what the other conditions leave, also where the newest of them have no such word', async () => {
  for (const of of ["stateId eq 'Resolved' and ", "severityId eq 'Sev1' and ", "stateId eq 'New' and contains(title,'Pump') and "])
    for (const text of ['stopped', 'pump', 'watch leaking'])
      expect([of, text, await find(text, { of })]).toEqual([of, text, await find(text, { of, page: all })]);
  const ordinary = "severityId eq 'Sev3' and ";
  expect(await find('pump', { of: ordinary })).toEqual(await find('pump', { of: ordinary, page: all }));
  const { count, titles } = await find('stopped', { of: ordinary });
  expect([count, titles[0]]).toEqual([10_001, `Gateway ${units - 1} stopped`]);
});

it('sees a tenant of few units as those, whether it is the caller or the filter that chooses it', async () => {
  const expected = await find('stopped', { who: small, page: all });
  expect(expected).toMatchObject({ count: 998, titles: [`Gateway ${units - 2010} stopped`, ...expected.titles.slice(1)] });
  expect(await find('stopped', { who: small })).toEqual(expected);
  expect(await find('stopped', { of: `tenantId eq ${smallId} and ` })).toEqual(expected);
  expect(await find('stopped birch')).toEqual(expected);
  expect((await find('stopped', { who: large, of: `tenantId eq ${smallId} and ` })).titles).toEqual([]);
  expect(await find('stopped', { who: large })).toMatchObject({ count: 10_001 });
});
