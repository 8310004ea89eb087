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
  await db.query({ text: 'insert into work_unit_text_todo select max(work_unit_id) + 1 from work_unit' });
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
