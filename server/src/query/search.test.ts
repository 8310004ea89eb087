import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindQuery } from '@cloudfit/contract/query/bind-query.ts';
import { parseOptions } from '@cloudfit/contract/query/options.ts';
import { contains, searchFilter } from '@cloudfit/contract/query/build.ts';
import { neededText } from '@cloudfit/contract/query/needed-text.ts';
import { folded } from '@cloudfit/contract/query/text.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { columnName } from '../db/column-name.ts';
import { planList } from '../resources/list.ts';
import { servedNamed } from '../resources/served.ts';

function needed(filter: string, of: Resource = workUnits): string | undefined {
  const query = bindQuery(of, parseOptions(`$filter=${encodeURIComponent(filter)}`), requireResource);
  return query.filter && neededText(query.filter, of);
}

describe('neededText', () => {
  it('finds what the search box asks for', () => {
    expect(needed(searchFilter(devices, 'Pump', false) ?? '', devices)).toBe('pump');
    expect(needed(searchFilter(workUnits, 'Pump 7', true) ?? '')).toBe('pump 7');
    expect(needed(`stateId eq 'New' and (contains(title,'Pump') or contains(description,'PUMP'))`)).toBe('pump');
    expect(needed(`startswith(title,'Pump')`)).toBe('pump');
    expect(needed(`contains(title,'Straße Köln')`)).toBe('strasse koln');
  });

  it.each([
    `contains(title,'pump') or stateId eq 'New'`,
    `contains(title,'pump') or contains(title,'valve')`,
    `contains(category,'pump')`,
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

  it.each(['workUnits', 'workUnitNotes', 'devices'])('holds every searched field of %s', async (name) => {
    const { resource, table } = servedNamed(name);
    const [row] = await world.system.db.query<{ expression: string }>({
      text: `select pg_get_indexdef($1::regclass) as expression`,
      values: [`${table}_found`],
    });
    const searched = Object.entries(resource.fields).flatMap(([name, field]) => (field.search ? [columnName(name)] : []));
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

  it('folds each letter in the database as in memory', async () => {
    const rows = await world.system.db.query<{ code: number; text: string }>({
      text: `select code, folded('a' || chr(code) || 'b') as text from generate_series(1, 12351) code`,
    });
    const wrong = rows.filter(({ code, text }) => text !== folded(`a${String.fromCodePoint(code)}b`));
    expect(wrong.map(({ code, text }) => `${code.toString(16)} ${text}`)).toEqual([]);
  });

  it('finds texts however they are cased, accented or composed, also those that were stored before texts were', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    const make = (title: string) => world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title, severityId: 'Sev2' });
    for (const title of [
      'St\u00f6rung Halle',
      'Stra\u00dfe 7',
      'K\u00f6ln S\u00fcd',
      '\u0130stanbul',
      'M\u00f8re \u0141\u00f3d\u017a',
      'Plain',
    ])
      await make(title);
    const old = await make('Old');
    await world.system.db.query({
      text: 'update work_unit set title = $2 where work_unit_id = $1',
      values: [old.body['workUnitId'], 'Ko\u0308ln Nord'],
    });
    const titles = async (text: string) => {
      const filter = encodeURIComponent(searchFilter(workUnits, text) ?? '');
      const { body } = await world.call(caller, 'GET', `/v1/workunits?$filter=${filter}&$count=true&$orderby=title`);
      expect(body['@odata.count']).toBe(body.value?.length);
      return (body.value ?? []).map((unit) => unit['title']);
    };
    for (const text of ['K\u00f6ln', 'Ko\u0308ln', 'koln', 'KO\u0308LN'])
      expect(await titles(text)).toEqual(['Ko\u0308ln Nord', 'K\u00f6ln S\u00fcd']);
    for (const text of ['Storung', 'STO\u0308RUNG', 'st\u00f6rung']) expect(await titles(text)).toEqual(['St\u00f6rung Halle']);
    for (const text of ['Strasse', 'STRA\u1e9eE', 'stra\u00dfe\u00a07']) expect(await titles(text)).toEqual(['Stra\u00dfe 7']);
    expect([await titles('istanbul'), await titles('more lodz'), await titles('pla\u200bin')]).toEqual([
      ['\u0130stanbul'],
      ['M\u00f8re \u0141\u00f3d\u017a'],
      ['Plain'],
    ]);
  });

  it('finds work units by their notes, resolution, custom values, internal id, and number as it is printed', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    const make = async (fields: object) =>
      (await world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title: 'Quiet', severityId: 'Sev2', ...fields }))
        .body;
    const noted = await make({ title: 'Noted' });
    await world.call(caller, 'PUT', '/v1/workunitnotes', { workUnitId: noted['workUnitId'], detail: 'Serial SN-ZX81-99 swapped' });
    const valued = await make({ title: 'Valued' });
    await world.system.db.query({
      text: 'update work_unit set custom_value9 = $2, resolution = $3 where work_unit_id = $1',
      values: [valued['workUnitId'], 'Geb\u00e4ude 4', 'Fuse repl\u00e1ced'],
    });
    const internal = await make({ title: 'Internal', internalWorkUnitId: 'INT-77-Q' });
    const titles = async (how: string, who = caller) => {
      const { body } = await world.call(who, 'GET', `/v1/workunits?${how}&$orderby=title&$count=true`);
      expect(body['@odata.count']).toBe(body.value?.length);
      return (body.value ?? []).map((unit) => unit['title']);
    };
    const bySearch = (text: string) => `$search=${encodeURIComponent(`"${text}"`)}`;
    const byFilter = (text: string) => `$filter=${encodeURIComponent(searchFilter(workUnits, text) ?? '')}`;
    for (const how of [bySearch, byFilter]) {
      expect(await titles(how('sn-zx81-99'))).toEqual(['Noted']);
      for (const text of ['gebaude 4', 'fuse replaced']) expect(await titles(how(text))).toEqual(['Valued']);
      expect(await titles(how('int-77'))).toEqual(['Internal']);
      for (const text of [`#${String(internal['publicWorkUnitId'])}`, String(internal['publicWorkUnitId'])])
        expect(await titles(how(text))).toContain('Internal');
      expect(await titles(how('sn-zx81-99'), holder('all'))).toEqual(['Noted']);
      // Notes of other tenants, and entries of the history, are not searched.
      const { tenantId: other } = await world.tenant();
      expect(await titles(how('sn-zx81-99'), holder([other]))).toEqual([]);
    }
    await world.call(caller, 'POST', `/v1/workunits/${String(noted['workUnitId'])}`, { stateId: 'Acknowledged' });
    expect(await titles(byFilter('acknowledged'))).toEqual([]);
    expect(await titles('$search=NOT "sn-zx81-99"')).toEqual(['Internal', 'Valued']);
  });

  it('shows requesters nothing of internal notes', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    const unit = { tenantId, workUnitTypeId: 1, title: 'Mine', severityId: 'Sev2' };
    const { body } = await world.call(caller, 'PUT', '/v1/workunits', unit);
    await world.call(caller, 'PUT', '/v1/workunitnotes', { workUnitId: body['workUnitId'], detail: 'internal secretword' });
    const center = requireResource('resolutionCenterWorkUnits');
    expect(searchFilter(center, 'secretword')).not.toContain('notes');
  });

  it('finds devices by name, description, tags, and what their machines are known by, by an index', async () => {
    const { tenantId, subscriptionId } = await world.tenant();
    const caller = holder([tenantId]);
    const make = (fields: object) => world.call(caller, 'PUT', '/v1/devices', { tenantId, subscriptionId, name: 'quiet', ...fields });
    await make({ name: 'K\u00e4lte-1' });
    await make({ name: 'b', description: 'Rack 7, Geb\u00e4ude S\u00fcd' });
    await make({ name: 'c', tags: 'site:k\u00f6ln,critical' });
    const machine = await make({ name: 'd' });
    await world.system.db.query({
      text: 'update device set registered_as = $2, host_facts = $3 where device_id = $1',
      values: [machine.body['deviceId'], 'WEB-7.example\n192.0.2.9', 'SN-ZX81\n02:00:5e:10:00:01'],
    });
    const names = async (text: string) => {
      const filter = encodeURIComponent(searchFilter(devices, text) ?? '');
      const { body } = await world.call(caller, 'GET', `/v1/devices?$filter=${filter}&$orderby=name`);
      return (body.value ?? []).map((device) => device['name']);
    };
    for (const text of ['web-7', '192.0.2.9', 'sn-zx81', '02:00:5E:10']) expect(await names(text)).toEqual(['d']);
    expect([await names('kalte'), await names('gebaude'), await names('koln')]).toEqual([['K\u00e4lte-1'], ['b'], ['c']]);
    const filter = encodeURIComponent(searchFilter(devices, 'kalte') ?? '');
    expect(planList(world.system, servedNamed('devices'), `$filter=${filter}`).statement.text).toContain('"found_devices"');
  });

  it('finds a phrase as a whole, though the index is asked for the beginnings of its longer words only', async () => {
    const { tenantId } = await world.tenant();
    const caller = holder([tenantId]);
    for (const title of ['Update the firmware of till-04', 'Firmware on till-04', 'till-04 firmware', 'Firmwide till-04', '7 of 9 up'])
      await world.call(caller, 'PUT', '/v1/workunits', { tenantId, workUnitTypeId: 1, title, severityId: 'Sev2' });
    const titles = async (text: string) => {
      const filter = encodeURIComponent(contains(workUnits, 'title', text));
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
    const timesAsked = (filter: string): number => text(filter).split('"found_work_units"').length - 1;
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
      text: "select found_work_units('%pump of alpha%', $1::uuid[]) as id",
      values: [both],
    });
    expect(ids).toEqual([]);
  });
});
