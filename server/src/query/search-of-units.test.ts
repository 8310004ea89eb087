import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { columnName } from '../db/column-name.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function desk(name?: string) {
  const { tenantId, subscriptionId } = await world.tenant(name);
  const caller = holder([tenantId]);
  const make = async (fields: object) =>
    (await world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title: 'Quiet', severityId: 'Sev2', ...fields })).body;
  const note = (unit: Record<string, unknown>, detail: string) =>
    world.call(caller, 'PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail });
  const titles = async (text: string, who: TestCaller = caller): Promise<unknown[]> => {
    const filter = encodeURIComponent(searchFilter(workUnits, text) ?? '');
    const order = encodeURIComponent(searchOrder(workUnits, text) ?? '');
    const { body } = await world.call(who, 'GET', `/v1/workunits?$filter=${filter}&$orderby=${order},workUnitId&$count=true`);
    expect(body['@odata.count']).toBe(body.value?.length);
    return (body.value ?? []).map((unit) => unit['title']);
  };
  return { tenantId, subscriptionId, caller, make, note, titles };
}

describe('the search of work units', () => {
  it('finds words in any order and in any field, their beginnings and their parts', async () => {
    const { make, note, titles } = await desk('Alder Water');
    const till = await make({ title: 'Payment terminal offline', description: 'Branch in Leeds', stakeHolderFullName: 'Henrietta Moss' });
    await make({ title: 'Payment page slow' });
    await note(till, 'The night backup failed too');
    for (const text of [
      'leeds payment',
      'PAYMENT leeds',
      'offline term',
      'ayment eeds',
      'moss backup',
      'backup "night backup"',
      'alder moss',
    ])
      expect([text, await titles(text)]).toEqual([text, ['Payment terminal offline']]);
    for (const text of ['leeds page', '"backup night"', 'payment birch']) expect([text, await titles(text)]).toEqual([text, []]);
    expect(await titles('?! -')).toEqual([]);
    for (const text of [`#${String(till['publicWorkUnitId'])}`, String(till['publicWorkUnitId'])])
      expect(await titles(text)).toEqual(['Payment terminal offline']);
    expect(await titles(`#${String(till['publicWorkUnitId']).slice(0, -1)}`)).toEqual([]);
  });

  it.each(['paymnet', 'pyament', 'payent', 'paymeent', 'paymebt', 'henrieta', 'henreit', 'payment terminl', 'terminall moss'])(
    'finds by the mistyped %s',
    async (typed) => {
      const { make, titles } = await desk();
      await make({ title: 'Payment terminal offline', stakeHolderFullName: 'Henrietta Moss' });
      await make({ title: 'Firmware of the gateway' });
      expect(await titles(typed)).toEqual(['Payment terminal offline']);
    },
  );

  it('corrects no number, no word that is there, and by no word of another tenant', async () => {
    const [mine, other] = [await desk(), await desk()];
    await mine.make({ title: 'Till 1504 and the valve' });
    await mine.make({ title: 'The value is wrong' });
    await other.make({ title: 'Secretword' });
    await mine.make({ title: 'Secretwork' });
    await mine.make({ title: 'Part of a number' });
    expect(await mine.titles('100')).toEqual([]);
    expect(await mine.titles('1505')).toEqual([]);
    expect(await mine.titles('valve')).toEqual(['Till 1504 and the valve']);
    expect(await mine.titles('secretword')).toEqual(['Secretwork']);
    expect(await mine.titles('till', other.caller)).toEqual([]);
  });

  it.each(['Muller', 'Mueller', 'M\u00fcller', 'mu\u0308ller', 'MUELLER', 'uller'])(
    'finds all spellings of a name by %s',
    async (typed) => {
      const { make, titles } = await desk();
      for (const name of ['Muller', 'Mueller', 'M\u00fcller', 'Miller'])
        await make({ title: `Call of ${name}`, stakeHolderFullName: name });
      expect(await titles(typed)).toEqual(['Call of Muller', 'Call of Mueller', 'Call of M\u00fcller']);
    },
  );

  it('puts first what it finds best', async () => {
    const { make, note, titles } = await desk();
    const noted = await make({ title: 'Noted' });
    await note(noted, 'The pump was oiled');
    await make({ title: 'Described', description: 'A pump' });
    await make({ title: 'Bilgepump of the cellar' });
    await make({ title: 'Pumps of the cellar' });
    await make({ title: 'A pump of the cellar' });
    const order = ['A pump of the cellar', 'Pumps of the cellar', 'Bilgepump of the cellar', 'Described', 'Noted'];
    expect(await titles('pump')).toEqual(order);
  });

  it('is asked once for rows and number, also by groups, by what it does not find, and beside another search', async () => {
    const { caller, make, titles } = await desk();
    await make({ title: 'Pump of the cellar', severityId: 'Sev1' });
    await make({ title: 'Pump of the roof' });
    await make({ title: 'Lamp of the roof' });
    const rows = async (query: string) => (await world.call(caller, 'GET', `/v1/workunits?${encodeURI(query)}`)).body.value ?? [];
    const groups = await rows("$apply=filter(found('pump'))/groupby((severityId),aggregate($count as n))&$orderby=severityId");
    expect(groups.map((group) => [group['severityId'], group['n']])).toEqual([
      ['Sev1', 1],
      ['Sev2', 1],
    ]);
    const titlesOf = async (filter: string) => (await rows(`$filter=${filter}&$orderby=workUnitId`)).map((row) => row['title']);
    expect(await titlesOf("not found('pump')")).toEqual(['Lamp of the roof']);
    expect(await titlesOf("found('pump') and found('roof')")).toEqual(['Pump of the roof']);
    expect(await titlesOf("found('cellar') or found('lamp')")).toEqual(['Pump of the cellar', 'Lamp of the roof']);
    const ranked = await rows("$filter=severityId ne 'Sev0'&$orderby=relevance('pump') desc,workUnitId");
    expect(ranked.map((row) => row['title'])).toEqual(['Pump of the cellar', 'Pump of the roof', 'Lamp of the roof']);
    expect(await titles('roof')).toEqual(['Pump of the roof', 'Lamp of the roof']);
  });

  it('follows changes of the unit and its notes, also of another tenant', async () => {
    const { caller, make, titles, tenantId } = await desk();
    const unit = await make({ title: 'Valve' });
    await world.call(caller, 'POST', `/v1/workunits/${String(unit['workUnitId'])}`, { title: 'Gasket', resolution: 'Tightened' });
    expect([await titles('valve'), await titles('gasket'), await titles('tightened')]).toEqual([[], ['Gasket'], ['Gasket']]);
    const { tenantId: other } = await world.tenant();
    const both = holder([tenantId, other]);
    await world.call(both, 'POST', `/v1/workunits/${String(unit['workUnitId'])}`, { tenantId: other });
    expect([await titles('gasket'), await titles('gasket', holder([other]))]).toEqual([[], ['Gasket']]);
  });

  it('keeps the notes of two writers at once', async () => {
    const { make, note, titles } = await desk();
    const unit = await make({ title: 'Busy' });
    const words = ['apricot', 'blueberry', 'cranberry', 'damson', 'elderflower', 'figtree'];
    await Promise.all(words.map((word) => note(unit, `Note of ${word}`)));
    for (const word of words) expect(await titles(word)).toEqual(['Busy']);
  });

  it('finds by devices and communications, for those who may view them', async () => {
    const { caller, make, titles, tenantId, subscriptionId } = await desk();
    const device = await world.call(caller, 'PUT', '/v1/devices', { tenantId, subscriptionId, name: 'gw-east-07' });
    const change = await make({ title: 'Planned', workUnitTypeId: 1 });
    await world.system.db.query({
      text: 'update work_unit set affected_devices = to_jsonb(array[$2::uuid]) where work_unit_id = $1',
      values: [change['workUnitId'], device.body['deviceId']],
    });
    const outage = await make({ title: 'Outage' });
    await world.system.db.query({
      text: `with told as (insert into work_unit_communication (tenant_id, title, details, created_by, user_changed_by) values ($1, 'Slow sign-in', 'Carlisle only', 'x', 'x') returning *)
        insert into work_unit_relation (work_unit_id, tenant_id, reference_type, reference_id, created_by)
        select $2, $1, 'WorkUnitCommunication', work_unit_communication_id::text, 'x' from told`,
      values: [tenantId, outage['workUnitId']],
    });
    for (const who of [caller, holder('all')]) {
      expect(await titles('gw-east', who)).toEqual(['Planned']);
      expect(await titles('carlisle outage', who)).toEqual(['Outage']);
    }
    const onlyUnits = holder([tenantId], ['CloudFit.CFS.WorkUnits:view']);
    expect([await titles('gw-east', onlyUnits), await titles('carlisle', onlyUnits)]).toEqual([[], []]);
  });

  it.each([
    ['[WU-020] the title', { title: 'Gate of Lund' }],
    ['[WU-021] the reference', { referenceId: 'LUND-7' }],
    ['[WU-022] the description', { description: 'Seen in Lund' }],
    ['[WU-024] the person', { assignedTo: 'mara@lund.example' }],
    ['[WU-026] the caller', { stakeHolderFullName: 'Eva Lund' }],
    ['[WU-027] the phone', { stakeHolderPhoneNumber: 'Lund 46' }],
    ['[WU-028] the mail', { stakeHolderEmailAddress: 'eva@lund.example' }],
  ])('%s is searched, whatever the case', async (_what, fields) => {
    const { make, titles } = await desk();
    await make({});
    const { title } = await make({ title: 'Other', ...fields });
    expect(await titles('lUNd')).toEqual([title]);
  });

  it('[WU-023] searches the name of the tenant, for those who may see it', async () => {
    const { make, titles, tenantId } = await desk('Lundgate Energy');
    await make({ title: 'Of the tenant' });
    expect(await titles('lundgate')).toEqual(['Of the tenant']);
    expect(await titles('lundgate', holder([tenantId], ['CloudFit.CFS.WorkUnits:view']))).toEqual([]);
  });

  it('[WU-025] searches both numbers when the text is one', async () => {
    const { make, titles } = await desk();
    const unit = await make({ title: 'Numbered' });
    for (const name of ['workUnitId', 'publicWorkUnitId']) expect(await titles(String(unit[name]))).toContain('Numbered');
  });

  it('looks at every searched field', async () => {
    const [row] = await world.system.db.query<{ source: string }>({
      text: "select prosrc as source from pg_proc where proname = 'index_work_units'",
    });
    const [trigger] = await world.system.db.query<{ source: string }>({
      text: "select pg_get_triggerdef(oid) as source from pg_trigger where tgname = 'indexed_change' and tgrelid = 'work_unit'::regclass",
    });
    const searched = Object.entries(workUnits.fields).flatMap(([name, field]) => (field.search ? [columnName(name)] : []));
    expect(searched.filter((column) => !row?.source.includes(column))).toEqual([]);
    expect(searched.filter((column) => !trigger?.source.includes(column))).toEqual(['public_work_unit_id']);
  });
});
