import { afterAll, beforeAll, expect, it } from 'vitest';
import fc from 'fast-check';
import { searchForm } from '@cloudfit/contract/query/search-form.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const ask = (caller: TestCaller | null, text: string, workUnitIds: unknown[]) =>
  world.call(caller, 'POST', '/v1/workunits/searchplaces', { text, workUnitIds });

it('tells what the search looks for, and which field or note of a unit has it', async () => {
  const { tenantId } = await world.tenant('Alder Water');
  const caller = holder([tenantId]);
  const make = async (fields: object) => {
    const unit = { tenantId, workUnitTypeId: 1, title: 'Quiet', severityId: 'Sev2', ...fields };
    return Number((await world.call(caller, 'PUT', '/v1/workunits', unit)).body['workUnitId']);
  };
  const till = await make({ title: 'Payment terminal offline', description: 'Branch in Leeds', stakeHolderFullName: 'Henrietta Moss' });
  const other = await make({ title: 'Payment page' });
  await world.call(caller, 'PUT', '/v1/workunitnotes', {
    workUnitId: till,
    detail: `${'Long before. '.repeat(30)}The night backup failed.`,
  });
  const places = async (text: string, ids = [till]) => (await ask(caller, text, ids)).body;
  expect(await places('paymnet')).toEqual({ terms: ['paymnet| payment'], places: [] });
  expect(await places('leeds payment', [till, other])).toEqual({
    terms: ['leeds', 'payment'],
    places: [
      { workUnitId: till, field: 'description', text: 'Branch in Leeds' },
      { workUnitId: other, field: 'related', text: '' },
    ],
  });
  expect(await places('henrieta')).toMatchObject({ places: [{ field: 'stakeHolderFullName', text: 'Henrietta Moss' }] });
  expect(await places('offline backup')).toMatchObject({
    places: [{ field: 'note', text: expect.stringMatching(/^….*night backup failed\.$/) }],
  });
  expect(await places('alder')).toMatchObject({ places: [{ field: 'related', text: '' }] });
  expect(await places('?')).toEqual({ terms: [], places: [] });
  // All tenants.
  expect((await ask(holder('all'), 'leeds', [till])).body).toMatchObject({ places: [{ field: 'description' }] });
  expect((await ask(null, 'leeds', [till])).status).toBe(401);
  expect((await ask(holder([tenantId], ['CloudFit.CFS.Devices:view']), 'leeds', [till])).status).toBe(403);
  const { tenantId: elsewhere } = await world.tenant();
  expect((await ask(holder([elsewhere]), 'leeds', [till])).body).toEqual({ terms: ['leeds'], places: [] });
  expect((await ask(caller, 'x'.repeat(501), ['a'])).body).toMatchObject({
    error: { details: [{ target: 'text' }, { target: 'workUnitIds.0' }] },
  });
});

it('makes the form of a text in the database as in memory', async () => {
  const texts = fc.array(
    fc.string({ unit: fc.constantFrom(...Array.from('aeouAEOU\u00e4\u00f6\u00fc\u00df\u00e6\u00bd-. #7x\u0308\u0301\n\u0416\u4e2d')) }),
    { minLength: 200, maxLength: 200 },
  );
  const values = fc.sample(texts, 1)[0] ?? [];
  const rows = await world.system.db.query<{ form: string | null }>({
    text: 'select search_form(value) as form from unnest($1::text[]) with ordinality t (value, n) order by n',
    values: [values],
  });
  expect(rows.map(({ form }) => form)).toEqual(values.map((value) => searchForm(value)));
});
