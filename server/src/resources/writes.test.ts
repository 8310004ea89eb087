/** What the engine's functions write, refuse and record, below HTTP, with hooks of the test. */
import { randomUUID } from 'node:crypto';
import { sql } from '../db/sql.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../context/ctx.ts';
import { servedLocations } from '../features/tenancy/tenancy.served.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { insertSample, sampleBody } from '../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { updateMany } from './bulk.ts';
import { create, createFromBody } from './create.ts';
import { exportRows } from './export.ts';
import { get } from './get.ts';
import { countRows } from './list.ts';
import { remove } from './remove.ts';
import { servedNamed, type AnyRow, type AnyServed, type RowChange } from './served.ts';
import { setFields, update } from './update.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: Ctx;
const locations = servedLocations as unknown as AnyServed;

beforeAll(async () => {
  world = await createWorld();
  [tenantId, otherId] = [(await world.tenant()).tenantId, (await world.tenant()).tenantId];
  me = world.ctx(holder([tenantId]));
});
afterAll(() => world.close());

const name = () => `Location ${randomUUID()}`;
const newLocation = async (extra: object = {}): Promise<AnyRow & { locationId: string }> => {
  const row = await create(me, locations, { name: name(), tenantId, ...extra });
  return { ...row, locationId: String(row['locationId']) };
};
const rows = <T = Record<string, unknown>>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const audits = (id: unknown) =>
  rows<{ verb: string; before: object | null; after: object | null; tenant_id: string | null; actor_name: string; correlation_id: string }>(
    'select verb, before, after, tenant_id, actor_name, correlation_id from audit where entity_id = $1 order by audit_id',
    String(id),
  );
const changes = async (id: unknown) =>
  (
    await rows<{ line: string }>(`select verb || ' ' || tenant_id as line from change where entity_id = $1 order by change_id`, String(id))
  ).map((row) => row.line);
const inOne = [{ target: 'tenantId', message: 'Tenant was not found.' }];
/** A caller with all permissions in the first tenant, and only these permissions in the second. */
const between = (...permissions: string[]) =>
  world.ctx({
    tenants: [tenantId, otherId],
    permissions: new Map([
      [tenantId, new Set<string>(allPermissions)],
      [otherId, new Set(permissions)],
    ]),
  });

describe('a new row', () => {
  it('tells its hooks the fields that have a value, first of the client and then of the server', async () => {
    const changesBy: Record<string, RowChange> = {};
    const note = (hook: string) => (_: Ctx, change: RowChange) => {
      changesBy[hook] = change;
    };
    const served: AnyServed = {
      ...locations,
      fill: (ctx, change) => {
        note('fill')(ctx, change);
        return { city: 'Bonn', state: null };
      },
      check: (ctx, change) => {
        note('check')(ctx, change);
        return [];
      },
      after: note('after'),
    };
    const row = await create(me, served, { name: name(), tenantId, address1: null, address2: '' });
    expect(changesBy['fill']).toMatchObject({ verb: 'create', before: null, changed: ['name', 'tenantId'] });
    expect(changesBy['check']?.changed).toEqual(['name', 'tenantId', 'city']);
    expect(changesBy['after']).toMatchObject({ changed: ['name', 'tenantId', 'city'], after: row });
    expect(row).toMatchObject({ city: 'Bonn', state: null, address1: null });
    expect(await audits(row['locationId'])).toMatchObject([
      { verb: 'create', before: null, after: { city: 'Bonn', tenantId }, tenant_id: tenantId, correlation_id: me.correlationId },
    ]);
    expect(await changes(row['locationId'])).toEqual([`create ${tenantId}`]);
  });

  it('is not written when a hook refuses it or sets a field that there is not', async () => {
    const body = { name: name(), tenantId };
    const refusing: AnyServed = { ...locations, check: () => [{ target: 'name', message: 'No.' }] };
    await expect(create(me, refusing, body)).rejects.toMatchObject({ status: 400, details: [{ target: 'name', message: 'No.' }] });
    await expect(create(me, { ...locations, fill: () => ({ colour: 'red' }) }, body)).rejects.toThrow('locations has no field colour.');
    const failing: AnyServed = { ...locations, after: () => Promise.reject(new Error('The history is full.')) };
    await expect(create(me, failing, body)).rejects.toThrow('The history is full.');
    await expect(create(me, { ...locations, fill: () => ({ tenantId: otherId }) }, body)).rejects.toMatchObject({ details: inOne });
    expect(await rows('select from location where name = $1', body.name)).toEqual([]);
  });

  it('that exists is a conflict, or nothing where the caller said so', async () => {
    const [all, tenants] = [world.ctx(holder('all')), servedNamed('tenants')];
    const body = { name: name() };
    const first = await create(all, tenants, body);
    const conflict = { code: 'Conflict', target: 'name', message: 'There is already a tenant with this name.' };
    await expect(create(all, tenants, body)).rejects.toMatchObject(conflict);
    await expect(createFromBody(all, tenants, body)).rejects.toMatchObject(conflict);
    expect(await create(all, tenants, body, { unlessExists: true })).toBeUndefined();
    expect(await audits(first['tenantId'])).toHaveLength(1);
    const fresh = await create(me, locations, { name: name(), tenantId }, { unlessExists: true, columns: { city: 'Ulm' } });
    expect(fresh).toMatchObject({ city: 'Ulm' });
  });

  it('belongs to a tenant of the caller in which they may create', async () => {
    await expect(create(me, locations, { name: name(), tenantId: otherId })).rejects.toMatchObject({ status: 400, details: inOne });
    const viewer = between('CloudFit.CFS.Locations:view');
    await expect(create(viewer, locations, { name: name(), tenantId: otherId })).rejects.toMatchObject({ status: 403 });
    await expect(create(me, locations, { name: name() })).rejects.toMatchObject({ status: 403 });
    await expect(create(world.ctx(holder('all')), locations, { name: name() })).resolves.toMatchObject({ tenantId: null });
  });
});

describe('a change', () => {
  it('writes and tells only what differs', async () => {
    const row = await newLocation({ city: 'Bonn' });
    const notified: RowChange[] = [];
    const served: AnyServed = { ...locations, fill: () => ({ state: 'NRW' }), after: (_, change) => void notified.push(change) };
    expect(await update(me, served, row.locationId, { name: row['name'], city: 'Bonn' })).toMatchObject({ modified: row['modified'] });
    expect([notified, (await audits(row.locationId)).length]).toEqual([[], 1]);
    const after = await update(me, served, row.locationId, { name: row['name'], city: 'Ulm' });
    expect(after).toMatchObject({ city: 'Ulm', state: 'NRW' });
    expect(notified).toMatchObject([{ verb: 'update', before: { city: 'Bonn' }, after, changed: ['city', 'state'] }]);
    expect((await audits(row.locationId)).at(-1)).toMatchObject({ verb: 'update', before: { city: 'Bonn' }, after: { city: 'Ulm' } });
    expect(await changes(row.locationId)).toEqual([`create ${tenantId}`, `update ${tenantId}`]);
  });

  it('is refused by the hook that checks it, and without the permission there', async () => {
    const row = await newLocation();
    const refusing: AnyServed = { ...locations, check: () => [{ target: 'city', message: 'No.' }] };
    await expect(update(me, refusing, row.locationId, { city: 'Ulm' })).rejects.toMatchObject({ status: 400 });
    const viewer = world.ctx(holder([tenantId], ['CloudFit.CFS.Locations:view']));
    await expect(update(viewer, locations, row.locationId, { city: 'Ulm' })).rejects.toMatchObject({ status: 403 });
    await expect(setFields(viewer, locations, row.locationId, { city: 'Ulm' })).rejects.toMatchObject({ status: 403 });
    expect(await get(me, locations, row.locationId)).toMatchObject({ city: null });
  });

  it('to another tenant needs the permission there too, and is told to both', async () => {
    const row = await newLocation();
    const move = (ctx: Ctx, to: string | null) => update(ctx, locations, row.locationId, { tenantId: to });
    await expect(move(me, otherId)).rejects.toMatchObject({ status: 400, details: inOne });
    await expect(move(between('CloudFit.CFS.Locations:view'), otherId)).rejects.toMatchObject({ status: 403 });
    await expect(move(me, null)).rejects.toMatchObject({ status: 403 });
    expect(await changes(row.locationId)).toEqual([`create ${tenantId}`]);
    await expect(move(between('CloudFit.CFS.Locations:view', 'CloudFit.CFS.Locations:edit'), otherId)).resolves.toMatchObject({
      tenantId: otherId,
    });
    expect((await changes(row.locationId)).toSorted()).toEqual(
      [`create ${tenantId}`, `update ${otherId}`, `update ${tenantId}`].toSorted(),
    );
  });

  it('of the server sets what clients may not, and nothing where nothing differs', async () => {
    const row = await newLocation({ city: 'Bonn' });
    const notified: RowChange[] = [];
    const served: AnyServed = { ...locations, after: (_, change) => void notified.push(change) };
    expect(await setFields(me, served, row.locationId, { city: 'Bonn' })).toMatchObject({ city: 'Bonn' });
    expect([notified, (await audits(row.locationId)).length]).toEqual([[], 1]);
    const modified = '2020-01-01T00:00:00.000Z';
    expect(await setFields(me, served, row.locationId, (before) => ({ city: `${String(before['city'])}!`, modified }))).toMatchObject({
      city: 'Bonn!',
      modified,
    });
    expect(notified.map((item) => item.changed)).toEqual([['city', 'modified']]);
    await expect(setFields(me, served, row.locationId, { colour: 'red' })).rejects.toThrow('locations has no field colour.');
  });

  it('of many rows is checked together before any is written', async () => {
    const [one, other] = [await newLocation(), await newLocation()];
    const edits = [one, other].map(({ locationId }) => ({ key: locationId, edit: { city: 'Ulm' } }));
    const refused = updateMany(me, locations, edits, (all) => [{ target: 'city', message: `No, ${all.length}.` }]);
    await expect(refused).rejects.toMatchObject({ status: 400, details: [{ message: 'No, 2.' }] });
    expect(await get(me, locations, one.locationId)).toMatchObject({ city: null });
    expect((await updateMany(me, locations, edits, () => [])).map((row) => [row['locationId'], row['city']])).toEqual([
      [one.locationId, 'Ulm'],
      [other.locationId, 'Ulm'],
    ]);
  });

  it('of many rows names the keys of which there is no row', async () => {
    const [one, missing] = [await newLocation(), randomUUID()];
    const edits = ['x', missing, one.locationId].map((key) => ({ key, edit: { city: 'Ulm' } }));
    const notFound = { code: 'NotFound', message: 'Location was not found.' };
    await expect(updateMany(me, locations, edits)).rejects.toMatchObject({
      status: 404,
      details: ['x', missing].map((target) => ({ ...notFound, target })),
    });
    expect(await get(me, locations, one.locationId)).toMatchObject({ city: null });
  });
});

describe('a reference', () => {
  it('names a row of the same tenant or of all, which the caller can see', async () => {
    const devices = servedNamed('devices');
    const subscription = await rows<{ id: string }>('select subscription_id as id from subscription where tenant_id = $1', tenantId);
    const all = world.ctx(holder('all'));
    const both = world.ctx(holder([tenantId, otherId]));
    const globalOne = await create(all, locations, { name: name() });
    const theirs = await create(both, locations, { name: name(), tenantId: otherId });
    const ours = await newLocation();
    const device = (ctx: Ctx, locationId: unknown) =>
      create(ctx, devices, { name: name(), tenantId, subscriptionId: subscription[0]?.id, locationId });
    const missing = { status: 400, details: [{ target: 'locationId', message: 'Location was not found.' }] };
    expect(await device(me, ours.locationId)).toMatchObject({ locationId: ours.locationId });
    expect(await device(me, globalOne['locationId'])).toMatchObject({ tenantId });
    await expect(device(me, theirs['locationId'])).rejects.toMatchObject(missing);
    await expect(device(both, theirs['locationId'])).rejects.toMatchObject(missing);
    await expect(device(me, randomUUID())).rejects.toMatchObject(missing);
  });

  it('of a global row names no row of a tenant', async () => {
    const all = world.ctx(holder('all'));
    const subscription = await rows<{ subscriptionId: string }>(
      'select subscription_id as "subscriptionId" from subscription where tenant_id = $1',
      tenantId,
    );
    const home = { tenantId, subscriptionId: subscription[0]?.subscriptionId ?? '' };
    const ours = await insertSample(world, requireResource('onCallSchedules'), home);
    const step = async (protocolOf: string | null) => {
      const protocol = await create(all, servedNamed('protocols'), { name: name(), tenantId: protocolOf });
      const body = await sampleBody(world, requireResource('protocolActions'), home);
      return createFromBody(all, servedNamed('protocolActions'), {
        ...body,
        protocolId: protocol['protocolId'],
        hoursScheduleId: ours['onCallScheduleId'],
      });
    };
    expect(await step(tenantId)).toMatchObject({ tenantId, hoursScheduleId: ours['onCallScheduleId'] });
    await expect(step(null)).rejects.toMatchObject({
      details: [{ target: 'hoursScheduleId', message: 'Schedule of the hours was not found.' }],
    });
  });
});

describe('a removal', () => {
  it('is refused by a hook or without the permission, and otherwise told and recorded', async () => {
    const row = await newLocation();
    const notified: RowChange[] = [];
    const served = (message?: string): AnyServed => ({
      ...locations,
      check: () => (message ? [{ target: 'name', message }] : []),
      after: (_, change) => void notified.push(change),
    });
    await expect(remove(me, served('It is needed.'), row.locationId)).rejects.toMatchObject({ status: 400 });
    const editor = world.ctx(holder([tenantId], ['CloudFit.CFS.Locations:view', 'CloudFit.CFS.Locations:edit']));
    await expect(remove(editor, served(), row.locationId)).rejects.toMatchObject({ status: 403 });
    await expect(remove(me, served(), row.locationId, '"0"')).rejects.toMatchObject({ status: 412 });
    expect(notified).toEqual([]);
    await remove(me, served(), row.locationId);
    expect(notified).toMatchObject([{ verb: 'delete', before: { name: row['name'] }, after: { name: row['name'] }, changed: [] }]);
    expect((await audits(row.locationId)).at(-1)).toMatchObject({ verb: 'delete', before: { name: row['name'] }, after: null });
    expect((await changes(row.locationId)).at(-1)).toBe(`delete ${tenantId}`);
    await expect(get(me, locations, row.locationId)).rejects.toMatchObject({ status: 404 });
  });
});

describe('an export', () => {
  const exported = async (ctx: Ctx, query: string, narrow?: Parameters<typeof exportRows>[3]) => {
    const { csv, columns, rows: lines } = await exportRows(ctx, locations, query, narrow);
    return { csv, labels: columns.map((column) => column.label), cells: lines.map((line) => columns.map((column) => column.value(line))) };
  };

  it('has the fields of the row and of the one row that it expands, and is audited in each tenant of the caller', async () => {
    const [row] = [await newLocation()];
    const ctx = world.ctx(holder([tenantId, otherId]));
    const query = `$select=name&$expand=tenant($select=name)&$filter=locationId eq ${row.locationId}`;
    const [tenant] = await rows<{ name: string }>('select name from tenant where tenant_id = $1', tenantId);
    expect(await exported(ctx, query)).toEqual({
      csv: 'locations.csv',
      labels: ['Name', 'Tenant Name'],
      cells: [[row['name'], tenant?.name]],
    });
    const entries = await rows<{ tenant_id: string | null; after: object | null }>(
      "select tenant_id, after from audit where verb = 'export' and correlation_id = $1 order by 1",
      ctx.correlationId,
    );
    expect(entries).toEqual([tenantId, otherId].toSorted().map((item) => ({ tenant_id: item, after: { query, rows: 1 } })));
    const all = world.ctx(holder('all'));
    await exported(all, `${query}&$top=0`);
    expect(
      await rows("select tenant_id, after->'rows' as rows from audit where verb = 'export' and correlation_id = $1", all.correlationId),
    ).toEqual([{ tenant_id: null, rows: 0 }]);
  });

  it('has an empty cell where there is no row to expand, all fields without a selection, and only the narrowed rows', async () => {
    const globalOne = await create(world.ctx(holder('all')), locations, { name: name() });
    const id = String(globalOne['locationId']);
    expect((await exported(me, `$select=name&$expand=tenant&$filter=locationId eq ${id}`)).cells).toEqual([[globalOne['name'], null]]);
    expect((await exported(me, '$top=1')).labels).toEqual(Object.values(locations.resource.fields).map((field) => field.label));
    const narrow = sql<boolean>`t.location_id = ${id}`;
    expect((await exported(me, '$select=name', narrow)).cells).toEqual([[globalOne['name']]]);
    expect(await countRows(me, locations, '$top=0', narrow)).toBe(1);
    expect(await countRows(me, locations, "$filter=name eq 'nothing'", narrow)).toBe(0);
  });

  it('without expanded rows has names instead of keys, for callers who may view the rows with these names', async () => {
    const { locationId } = await newLocation();
    const query = `$select=locationId,tenantId&$filter=locationId eq ${locationId}`;
    const [tenant] = await rows<{ name: string }>('select name from tenant where tenant_id = $1', tenantId);
    expect(await exported(me, query)).toMatchObject({ labels: ['Location ID', 'Tenant'], cells: [[locationId, tenant?.name]] });
    const onlyLocations = world.ctx(holder([tenantId], ['CloudFit.CFS.Locations:view']));
    expect((await exported(onlyLocations, query)).cells).toEqual([[locationId, tenantId]]);
    const report = await exportRows(me, servedNamed('complianceReport'), '$select=tenantId,tenantName');
    expect(report.columns.map((column) => column.label)).toEqual(['Tenant ID', 'Tenant']);
  });

  it('is neither of groups nor of many rows of one', async () => {
    await expect(exported(me, '$apply=groupby((name))')).rejects.toMatchObject({ status: 501, target: '$apply' });
    await expect(exportRows(me, servedNamed('tenants'), '$expand=subscriptions')).rejects.toMatchObject({ status: 400, target: '$expand' });
  });
});
