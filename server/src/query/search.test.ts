import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { searchFilter } from '@cloudfit/contract/query/build.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { columnName } from './columns.ts';
import { planList } from '../resources/list.ts';
import { neededText } from './search.ts';
import { servedNamed } from '../resources/served.ts';

function needed(filter: string): string | undefined {
  const query = bindQuery(workUnits, parseOptions(`$filter=${encodeURIComponent(filter)}`), requireResource);
  return query.filter && neededText(query.filter, workUnits);
}

describe('neededText', () => {
  it('finds what the search box asks for', () => {
    expect(needed(searchFilter(workUnits, 'Pump') ?? '')).toBe('pump');
    expect(needed(searchFilter(workUnits, 'Pump 7', true) ?? '')).toBe('pump 7');
    expect(needed(`stateId eq 'New' and (contains(title,'Pump') or contains(description,'PUMP'))`)).toBe('pump');
    expect(needed(`startswith(title,'Pump')`)).toBe('Pump');
  });

  it.each([
    `contains(title,'pump') or stateId eq 'New'`,
    `contains(title,'pump') or contains(title,'valve')`,
    `contains(resolution,'pump')`,
    `not contains(title,'pump')`,
    `title ne 'pump'`,
    `contains(tenant/name,'pump')`,
    `contains('pump',title)`,
    `stateId eq 'New' and contains(title,'pu')`,
  ])('does not narrow where rows without the text may match: %s', (filter) => {
    expect(needed(filter)).toBeUndefined();
  });
});

describe('the searched text of work units', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  it('holds every searched field', async () => {
    const [row] = await world.system.db.query<{ expression: string }>({
      text: "select pg_get_expr(adbin, adrelid) as expression from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = 'work_unit'::regclass and attname = 'search_text'",
    });
    const searched = Object.entries(workUnits.fields).flatMap(([name, field]) => (field.search ? [columnName(name)] : []));
    expect(searched.filter((column) => !row?.expression.includes(column))).toEqual([]);
  });

  it('finds by any of them, whatever the case, and takes signs of patterns for themselves', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    const make = (fields: object) =>
      world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title: 'Quiet', severityId: 'Sev2', ...fields });
    await make({ title: 'Straße 100% voll' });
    await make({ stakeHolderEmailAddress: 'Mara_X@Example.com' });
    await make({ description: 'Kühlung PUMPE' });
    const titles = async (text: string) => {
      const { body } = await world.call(
        caller,
        'GET',
        `/v1/workunits?$filter=${encodeURIComponent(searchFilter(workUnits, text) ?? '')}&$count=true`,
      );
      return [
        body['@odata.count'],
        ...(body.value ?? []).map((unit) => unit['description'] ?? unit['stakeHolderEmailAddress'] ?? unit['title']),
      ];
    };
    expect(await titles('100%')).toEqual([1, 'Straße 100% voll']);
    expect(await titles('mara_x@')).toEqual([1, 'Mara_X@Example.com']);
    expect(await titles('pumpe')).toEqual([1, 'Kühlung PUMPE']);
    expect(await titles('maraXx@')).toEqual([0]);
  });

  it('finds a phrase as a whole, though the index is asked for the beginnings of its longer words only', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    for (const title of ['Update the firmware of till-04', 'Firmware on till-04', 'till-04 firmware', 'Firmwide till-04', '7 of 9 up'])
      await world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title, severityId: 'Sev2' });
    const titles = async (text: string) => {
      const filter = encodeURIComponent(searchFilter(workUnits, text) ?? '');
      const { body } = await world.call(caller, 'GET', `/v1/workunits?$filter=${filter}&$count=true&$orderby=title`);
      return [body['@odata.count'], ...(body.value ?? []).map((unit) => unit['title'])];
    };
    expect(await titles('FIRMWARE of till')).toEqual([1, 'Update the firmware of till-04']);
    expect(await titles('ware  of till')).toEqual([0]);
    expect(await titles('of 9')).toEqual([1, '7 of 9 up']);
    expect(await titles('firmware')).toHaveLength(4);
    expect(await titles('firmware on till')).toEqual([1, 'Firmware on till-04']);
    expect(await titles('firmwide till')).toEqual([1, 'Firmwide till-04']);
  });

  it('pages through what it found in any order', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    const common = { tenantId, workUnitTypeId: 1, severityId: 'Sev2' };
    for (const [n, assignedTo] of ['b', undefined, 'c', 'a', undefined].entries())
      await world.call(caller, 'PUT', '/v1/workunits', { ...common, title: `Needle ${n}`, ...(assignedTo ? { assignedTo } : {}) });
    const page = async (order: string, paging: string) => {
      const { body } = await world.call(
        caller,
        'GET',
        `/v1/workunits?$filter=contains(title,'Needle')&$count=true&$orderby=${order}&${paging}`,
      );
      return [body['@odata.count'], ...(body.value ?? []).map((unit) => Number(String(unit['title']).slice(-1)))];
    };
    expect(await page('assignedTo,title desc', '$top=3')).toEqual([5, 4, 1, 3]);
    expect(await page('assignedTo,title desc', '$top=3&$skip=3')).toEqual([5, 0, 2]);
    expect(await page('assignedTo desc,title', '$top=4&$skip=1')).toEqual([5, 0, 3, 1, 4]);
    expect(await page("length(title),indexof(title,'2') desc,title", '$top=2')).toEqual([5, 2, 0]);
    expect(await page('title', '$top=0')).toEqual([5]);
  });

  it('is not asked for a value that has an index of its own, and once for the rows and their count', () => {
    const text = (filter: string): string =>
      planList(world.system, servedNamed('workUnits'), `$filter=${encodeURIComponent(filter)}&$count=true`).statement.text;
    const timesAsked = (filter: string): number => text(filter).split('search_text').length - 1;
    expect(timesAsked("assignedTo eq 'mara@example.com' and stateId eq 'New'")).toBe(0);
    expect(timesAsked("assignedTo eq 'mara@example.com' and contains(title,'pump')")).toBe(1);
    expect(timesAsked("title eq 'Pump 7'")).toBe(1);
  });

  it('finds by the name of the tenant and by numbers too, each caller their own', async () => {
    const [mine, other] = [await world.tenant(), await world.tenant()];
    const make = async ({ tenantId }: { tenantId: string }, title: string) =>
      (await world.call(holder([tenantId]), 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title, severityId: 'Sev2' })).body;
    const [pump, valve] = [await make(mine, 'Pump of Alpha'), await make(other, 'Valve')];
    const { name } = (await world.call(holder([mine.tenantId]), 'GET', `/v1/tenants(${mine.tenantId})`)).body;
    const titles = async (tenants: string[], text: string) => {
      const filter = searchFilter(workUnits, text, false, ['tenant/name', 'workUnitId', 'publicWorkUnitId']) ?? '';
      const { body } = await world.call(holder(tenants), 'GET', `/v1/workunits?$filter=${encodeURIComponent(filter)}&$count=true`);
      expect(body['@odata.count']).toBe(body.value?.length);
      return (body.value ?? []).map((unit) => unit['title']);
    };
    const both = [mine.tenantId, other.tenantId];
    expect(await titles(both, String(name))).toEqual(['Pump of Alpha']);
    expect(await titles([other.tenantId], String(name))).toEqual([]);
    expect(await titles(both, String(valve['publicWorkUnitId']))).toContain('Valve');
    expect(await titles([mine.tenantId], String(valve['publicWorkUnitId']))).not.toContain('Valve');
    expect(await titles(both, String(pump['title']))).toEqual(['Pump of Alpha']);
    // The tenants in the argument do not widen the scope of the session.
    const ids = await world.database.scoped([other.tenantId]).query<{ id: number }>({
      text: "select searched_work_units('%pump of alpha%', $1::uuid[]) as id",
      values: [both],
    });
    expect(ids).toEqual([]);
  });
});
