/** The groups whose devices a rule counts together: which of them are read for a tenant, and how their names are stored. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { deviceTypes, type CountBy } from '@cloudfit/contract/enums.ts';
import { countGroupId, groupsOfEntity, keepGroups, readCountGroups, readGroups } from './count-groups.ts';
import type { Entity } from './entity.ts';
import { createFlow, type Flow } from '../testing/flow.ts';
import { web } from '../testing/hits.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
beforeEach(() => flow.moveToNewTenants());
afterAll(() => flow.close());

async function addDevice(
  row: { locationId?: string; tags?: string; deviceTypeId?: number; isDeleted?: boolean },
  tenantId = flow.tenantId,
) {
  await flow.rows(
    `insert into device (tenant_id, subscription_id, name, location_id, tags, device_type_id, is_deleted)
select tenant_id, subscription_id, $2, $3, $4, coalesce($5, 1), $6 from subscription where tenant_id = $1`,
    tenantId,
    randomUUID(),
    row.locationId ?? null,
    row.tags ?? null,
    row.deviceTypeId ?? null,
    row.isDeleted ?? false,
  );
}
async function addLocation(name: string): Promise<string> {
  const [row] = await flow.rows<{ id: string }>('insert into location (name) values ($1) returning location_id as id', name);
  return row?.id ?? '';
}
const read = async (...rules: { countBy?: CountBy; tenantId?: string }[]) =>
  (
    await readCountGroups(
      flow.db,
      rules.map(({ tenantId = flow.tenantId, ...rule }) => ({ tenantId, ...rule })),
    )
  ).toSorted((a, b) => a.name.localeCompare(b.name));
const names = (groups: readonly Entity[]) => groups.map(({ name }) => name);
const labelOf = (type: number) => deviceTypes.find(({ value }) => value === type)?.label ?? '';

it('are those that have devices, of the kinds by which the rules of a tenant count', async () => {
  const [berlin, oslo] = [await addLocation(`Berlin ${randomUUID()}`), await addLocation(`Oslo ${randomUUID()}`)];
  await addDevice({ locationId: berlin, tags: 'Prod, site:b', deviceTypeId: 2 });
  await addDevice({ locationId: berlin, tags: 'prod', deviceTypeId: 2 });
  await addDevice({ locationId: oslo, tags: 'gone', deviceTypeId: 1, isDeleted: true });
  await addDevice({ locationId: oslo, tags: 'theirs', deviceTypeId: 1 }, flow.otherTenantId);
  const [place] = await read({ countBy: 'Location' });
  expect(place).toMatchObject({
    id: countGroupId(flow.tenantId, 'Location', berlin),
    kind: 'group',
    tenantId: flow.tenantId,
    enabled: true,
    group: { by: 'Location', key: berlin },
  });
  expect(place?.name).toMatch(/^location Berlin/);
  expect(await read({ countBy: 'Location' })).toHaveLength(1);
  expect(names(await read({ countBy: 'Tag' }))).toEqual(['tag prod', 'tag site:b']);
  expect(names(await read({ countBy: 'DeviceType' }))).toEqual([`type ${labelOf(2)}`]);
  expect(names(await read({ countBy: 'DeviceType' }, { countBy: 'Tag' }))).toEqual(['tag prod', 'tag site:b', `type ${labelOf(2)}`]);
  expect(names(await read({ countBy: 'Tag' }, { countBy: 'DeviceType', tenantId: flow.otherTenantId }))).toEqual([
    'tag prod',
    'tag site:b',
    `type ${labelOf(1)}`,
  ]);
  expect(await read({ countBy: 'Subscription' }, {})).toEqual([]);
});

it('know the subscriptions of their devices', async () => {
  const subscription = async (name: string) =>
    (
      await flow.rows<{ id: string }>(
        'insert into subscription (tenant_id, name) values ($1, $2) returning subscription_id as id',
        flow.otherTenantId,
        name,
      )
    )[0]?.id;
  const second = await subscription('Second');
  await addDevice({ tags: 'prod' }, flow.otherTenantId);
  const [group] = await read({ countBy: 'Tag', tenantId: flow.otherTenantId });
  expect(group?.group?.subscriptionIds).toHaveLength(2);
  expect(group?.group?.subscriptionIds).toContain(second);
});

it('keep their names, which follow changes', async () => {
  const id = randomUUID();
  const group = (name: string): Entity => ({
    ...web,
    id,
    kind: 'group',
    tenantId: flow.tenantId,
    name,
    group: { by: 'Location', key: 'l1' },
  });
  const query = vi.spyOn(flow.db, 'query');
  const statements = () => query.mock.calls.filter(([{ name }]) => name === 'count-groups-keep').length;
  await keepGroups(flow.db, [group('location Berlin')]);
  expect(await readGroups(flow.db, [id, randomUUID()])).toEqual([
    { id, kind: 'group', tenantId: flow.tenantId, name: 'location Berlin', enabled: true, group: { by: 'Location', key: 'l1' } },
  ]);
  await keepGroups(flow.db, [group('location Berlin')]);
  await keepGroups(flow.db, []);
  expect(statements()).toBe(1);
  await keepGroups(flow.db, [group('location Bonn')]);
  expect((await readGroups(flow.db, [id])).map(({ name }) => name)).toEqual(['location Bonn']);
  expect(statements()).toBe(2);
  query.mockRestore();
});

it('are all those that a device belongs to', () => {
  const device = { id: 'web', locationId: 'l1', deviceTypeId: 2, tags: 'prod' };
  expect(groupsOfEntity({ ...web, device })).toEqual([
    countGroupId('t1', 'Location', 'l1'),
    countGroupId('t1', 'Tag', 'prod'),
    countGroupId('t1', 'DeviceType', '2'),
  ]);
  expect(groupsOfEntity(web)).toEqual([]);
  expect(countGroupId('t1', 'Tag', 'prod')).toBe(countGroupId('t1', 'Tag', 'prod'));
  expect(new Set([countGroupId('a1', 'Tag', 'x'), countGroupId('b1', 'Tag', 'x'), countGroupId('a1', 'Location', 'x')]).size).toBe(3);
});
