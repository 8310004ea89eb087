import { describe, expect, it } from 'vitest';
import { allPermissions, permission, type Area, type Permission } from '@cloudfit/contract/permissions.ts';
import { addressInTenant, addressOf, itemAt, menu, visibleMenu, type MenuGroup } from './navigation.ts';
import { routes } from './router.tsx';

const tenantId = '01a1fcdb-e331-70c1-ba47-fd1610462aee';
const labels = (groups: readonly MenuGroup[]) => groups.flatMap((group) => group.items.map((item) => item.label));
const view = (...areas: Area[]) => areas.map((area) => permission(area, 'view'));
const both = (...areas: Area[]) => areas.flatMap((area) => [permission(area, 'edit'), permission(area, 'view')]);

describe('who sees an item of the menu', () => {
  it.each<[string, string, readonly Permission[]]>([
    ['[PERM-008]', 'WorkUnit Communications', view('WorkUnitCommunications')],
    ['[PERM-010]', 'Blocks', view('Blocks')],
    ['[PERM-011]', 'Rules', view('Rules')],
    ['[PERM-012]', 'Compliance', view('Compliance')],
    ['[PERM-013]', 'Tenants', both('Tenants')],
    ['[PERM-014]', 'Locations', both('Locations')],
    ['[PERM-015]', 'Package Catalog', both('Packages')],
    ['[PERM-016]', 'Work Unit Protocols', both('WorkUnits.Protocols')],
    ['[PERM-017]', 'Action Catalog', both('ActionDefinitions')],
    ['[PERM-018]', 'Tokens', both('Tokens')],
    ['[PERM-020]', 'Work Unit Settings', both('WorkUnits.Categories', 'WorkUnits.Subcategories')],
  ])('%s %s: those with what it needs, and nobody who lacks one of them', (_id, label, needs) => {
    expect(labels(visibleMenu(menu, new Set(needs)))).toEqual([label]);
    for (const need of needs)
      expect(labels(visibleMenu(menu, new Set(allPermissions.filter((permission) => permission !== need))))).not.toContain(label);
  });

  it('[PERM-007] Work Units, with the inbox, the articles, the reports and the calendar: those who may view work units', () => {
    expect(labels(visibleMenu(menu, new Set(view('WorkUnits'))))).toEqual([
      'Work Units',
      'Inbox',
      'Knowledge',
      'Reports',
      'Change Calendar',
    ]);
    const others = new Set(allPermissions.filter((item) => item !== permission('WorkUnits', 'view')));
    for (const label of ['Work Units', 'Inbox', 'Knowledge', 'Reports', 'Change Calendar'])
      expect(labels(visibleMenu(menu, others))).not.toContain(label);
  });

  it('[PERM-009][PERM-021] Devices and Version Report: those who may view devices', () => {
    expect(labels(visibleMenu(menu, new Set(view('Devices'))))).toEqual([
      'Devices',
      'Campaigns',
      'Policies',
      'Device Selections',
      'Version Report',
    ]);
    const others = new Set(allPermissions.filter((item) => item !== permission('Devices', 'view')));
    for (const label of ['Devices', 'Version Report']) expect(labels(visibleMenu(menu, others))).not.toContain(label);
  });

  it('[PERM-019] Pending Devices: those who may view and edit devices and pending devices', () => {
    const needs = both('Devices', 'PendingDevices');
    expect(labels(visibleMenu(menu, new Set(needs)))).toContain('Pending Devices');
    for (const need of needs)
      expect(labels(visibleMenu(menu, new Set(allPermissions.filter((permission) => permission !== need))))).not.toContain(
        'Pending Devices',
      );
  });

  it('[PERM-022] hides a group without an allowed item', () => {
    expect(visibleMenu(menu, new Set(view('Rules'))).map((group) => group.label)).toEqual(['Menu']);
    expect(visibleMenu(menu, new Set())).toEqual([]);
  });

  it('[PERM-023] hides an item whose own items are all out of reach', () => {
    const [group, child] = [menu[0], menu[0]?.items.find((item) => item.path === 'rules')];
    if (!group || !child) throw new Error('The menu has no rules.');
    const nested: MenuGroup[] = [{ label: group.label, items: [{ ...child, label: 'Automation', needs: [], items: [child] }] }];
    expect(labels(visibleMenu(nested, new Set(view('Rules'))))).toEqual(['Automation']);
    expect(visibleMenu(nested, new Set(view('Devices')))).toEqual([]);
  });
});

describe('where the menu leads', () => {
  it('[SHELL-019][SHELL-026] has the groups Menu and Administration', () => {
    expect(menu.map((group) => group.label)).toEqual(['Menu', 'Administration', 'People and Access', 'System']);
  });

  it('[SHELL-001] has devices, packages, rules, protocols, blocks, compliance and work units, and a screen at the address of each item', () => {
    const tenantRoutes = routes.flatMap((route) => route.children ?? []).find((route) => route.path === ':tenantId')?.children ?? [];
    const paths = new Set(tenantRoutes.map((route) => route.path));
    const items = menu.flatMap((group) => group.items.map((item) => item.path));
    expect(items.filter((path) => !paths.has(path))).toEqual([]);
    for (const path of ['devices', 'packages', 'rules', 'protocols', 'blocks', 'compliance', 'workunitsv2']) expect(items).toContain(path);
  });

  it('gives no letter to two items', () => {
    const keys = menu.flatMap((group) => group.items.flatMap((item) => item.key ?? []));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('knows the item of an address', () => {
    expect(itemAt('/workunitsv2')?.label).toBe('Work Units');
    expect(itemAt(`/${tenantId}/locations`)?.label).toBe('Locations');
    expect(itemAt(`/${tenantId}/campaigns/01a1fcdb-e331-70c1-ba47-fd1610462aef`)?.label).toBe('Campaigns');
    expect(itemAt(`/${tenantId}`)).toBeUndefined();
    expect(itemAt(`/${tenantId}/packets/devices/`)).toBeUndefined();
  });

  it('writes addresses with the tenant or without', () => {
    expect(addressOf({ path: 'devices' }, tenantId)).toBe(`/${tenantId}/devices`);
    expect(addressOf({ path: 'tenants', bare: true }, tenantId)).toBe('/tenants');
  });

  it('puts the new tenant into the place of the old one', () => {
    expect(addressInTenant(`/${tenantId}/devices?search=x`, tenantId, 'other')).toBe('/other/devices?search=x');
    expect(addressInTenant('/workunitsv2', undefined, 'other')).toBe('/workunitsv2');
    expect(addressInTenant('/', undefined, 'other')).toBe('/other');
  });
});
