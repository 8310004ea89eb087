import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchFilter } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { indexUnitsWork } from './index-units.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const run = () => indexUnitsWork.run(world.system.db);
const words = async (tenantId: string) =>
  (
    await world.system.db.query<{ word: string }>({
      text: 'select word from search_word where tenant_id = $1 order by 1',
      values: [tenantId],
    })
  ).map(({ word }) => word);

async function desk() {
  const { tenantId } = await world.tenant();
  const caller = holder([tenantId]);
  const make = async (title: string) =>
    (await world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title, severityId: 'Sev2' })).body['workUnitId'];
  const titles = async (text: string) => {
    const filter = encodeURIComponent(searchFilter(workUnits, text) ?? '');
    const { body } = await world.call(caller, 'GET', `/v1/workunits?$filter=${filter}&$orderby=workUnitId`);
    return (body.value ?? []).map((unit) => unit['title']);
  };
  return { tenantId, caller, make, titles };
}

it('indexes the units of before, in batches, with their notes, and then no more', async () => {
  const { caller, make, titles } = await desk();
  const unit = await make('Marigold one');
  await make('Marigold two');
  await world.call(caller, 'PUT', '/v1/workunitnotes', { workUnitId: unit, detail: 'Fuse replaced' });
  const { db } = world.system;
  await db.query({ text: 'delete from work_unit_text' });
  await db.query({ text: 'insert into work_unit_text_todo select 0, max(work_unit_id) + 1 from work_unit' });
  expect(await titles('marigold')).toEqual([]);
  expect(await db.query<{ n: number }>({ text: 'select index_old_work_units(1) as n' })).toEqual([{ n: 1 }]);
  expect(await titles('marigold')).toEqual(['Marigold two']);
  // A note that is written before the job comes indexes its unit.
  await world.call(caller, 'PUT', '/v1/workunitnotes', { workUnitId: unit, detail: 'And the lid' });
  expect(await titles('marigold lid fuse')).toEqual(['Marigold one']);
  await run();
  expect([await titles('marigold'), await titles('fuse lid')]).toEqual([['Marigold one', 'Marigold two'], ['Marigold one']]);
  await db.query({ text: "update work_unit_text set body = ' gone '" });
  await run();
  expect(await titles('marigold')).toEqual([]);
});

it('forgets words that no text has any more, of those noted a day ago', async () => {
  const { tenantId, caller, make } = await desk();
  const unit = await make('Begonia valve');
  await make('Valve');
  await world.call(caller, 'POST', `/v1/workunits/${String(unit)}`, { title: 'Crocus' });
  await run();
  expect(await words(tenantId)).toEqual(['begonia', 'crocus', 'valve']);
  await world.system.db.query({
    text: "update search_word set noted = now() - interval '2 days' where tenant_id = $1",
    values: [tenantId],
  });
  await run();
  expect(await words(tenantId)).toEqual(['crocus', 'valve']);
});

it('leaves the texts of very many units, and of very many notes, to the job', async () => {
  const { tenantId, titles, make } = await desk();
  const { db } = world.system;
  const addUnits = (title: string, amount: number) =>
    db.query({
      text: `insert into work_unit (tenant_id, work_unit_type_id, severity_id, title, created_by, modified_by)
        select $1, 1, 'Sev2', $2 || case when n > 1 then '' else ' first' end, 'test', 'test' from generate_series(1, $3::int) n`,
      values: [tenantId, title, amount],
    });
  const single = Number(await make('Freesia'));
  await addUnits('Gentian few', 2);
  await addUnits('Gentian', 1_001);
  expect(await titles('gentian first')).toEqual(['Gentian few first']);
  await db.query({
    text: `insert into work_unit_note (tenant_id, work_unit_id, detail, created_by, correlation_id) select tenant_id, work_unit_id, 'Watered', 'test', uuidv7() from work_unit
      where tenant_id = $1 and (title like 'Gentian%' or work_unit_id = $2)`,
    values: [tenantId, single],
  });
  expect(await titles('freesia watered')).toEqual([]);
  expect(await db.query({ text: 'select first from work_unit_text_todo' })).toHaveLength(2);
  await run();
  await run();
  expect(await db.query({ text: 'select first from work_unit_text_todo' })).toEqual([]);
  expect(await titles('gentian first watered')).toEqual(['Gentian few first', 'Gentian first']);
  expect(await titles('freesia watered')).toEqual(['Freesia']);
  expect(await words(tenantId)).toEqual(['first', 'freesia', 'gentian', 'watered']);
});
