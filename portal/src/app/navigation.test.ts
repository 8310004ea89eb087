import { describe, expect, it } from 'vitest';
import { allPermissions, permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { menu, visibleMenu } from './navigation.ts';

const items = (permissions: readonly string[]) =>
  visibleMenu(menu, new Set(permissions)).flatMap((group) => group.items.map((item) => item.label));

describe('the menu', () => {
  it.each<[string, string, readonly Permission[]]>([
    ['PERM-007', 'Work Units', [permission('WorkUnits', 'view')]],
    ['PERM-009', 'Devices', [permission('Devices', 'view')]],
    ['PERM-011', 'Rules', [permission('Rules', 'view')]],
    ['PERM-014', 'Locations', [permission('Locations', 'edit'), permission('Locations', 'view')]],
  ])('[%s] shows %s to those who may and to nobody else', (_id, label, needs) => {
    expect(items(needs)).toEqual([label]);
    for (const need of needs) expect(items(allPermissions.filter((one) => one !== need))).not.toContain(label);
  });
  it('[PERM-022] hides a group without an allowed item', () => {
    expect(visibleMenu(menu, new Set([permission('Devices', 'view')])).map((group) => group.label)).toEqual(['Menu']);
    expect(visibleMenu(menu, new Set())).toEqual([]);
  });
  it('[SHELL-019][SHELL-026] has the groups Menu and Administration', () => {
    expect(menu.map((group) => group.label)).toEqual(['Menu', 'Administration']);
  });
  it('names every item of the product with what it needs', () => {
    const all = menu.flatMap((group) => group.items);
    expect(all).toHaveLength(15);
    for (const item of all) expect(item.needs.length).toBeGreaterThan(0);
  });
});
