/** The left menu: every item of the product, what it needs, and whether its screen is built. */
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { IconName } from '../components/icon.tsx';

export interface MenuItem {
  id: string;
  label: string;
  icon: IconName;
  /** Under `/{tenantId}`, or from the root when `bare`. */
  path: string;
  bare?: boolean;
  /** All of them. */
  needs: readonly Permission[];
  built: boolean;
}

export interface MenuGroup {
  label: string;
  items: readonly MenuItem[];
}

const view = (...areas: Parameters<typeof permission>[0][]) => areas.map((area) => permission(area, 'view'));
const manage = (...areas: Parameters<typeof permission>[0][]) =>
  areas.flatMap((area) => [permission(area, 'edit'), permission(area, 'view')]);
const items = en.shell.items;

export const menu: readonly MenuGroup[] = [
  {
    label: en.shell.menu,
    items: [
      {
        id: 'workunitsv2',
        label: items.workUnits,
        icon: 'workUnits',
        path: 'workunitsv2',
        bare: true,
        needs: view('WorkUnits'),
        built: true,
      },
      {
        id: 'workunitcommunications',
        label: items.communications,
        icon: 'communications',
        path: 'workunitcommunications',
        needs: view('WorkUnitCommunications'),
        built: false,
      },
      { id: 'devices', label: items.devices, icon: 'devices', path: 'devices', needs: view('Devices'), built: true },
      { id: 'blocks', label: items.blocks, icon: 'blocks', path: 'blocks', needs: view('Blocks'), built: false },
      { id: 'rules', label: items.rules, icon: 'rules', path: 'rules', needs: view('Rules'), built: true },
      { id: 'compliance', label: items.compliance, icon: 'compliance', path: 'compliance', needs: view('Compliance'), built: false },
    ],
  },
  {
    label: en.shell.administration,
    items: [
      { id: 'tenants', label: items.tenants, icon: 'tenants', path: 'tenants', needs: manage('Tenants'), built: false },
      { id: 'locations', label: items.locations, icon: 'locations', path: 'locations', needs: manage('Locations'), built: true },
      { id: 'packages', label: items.packages, icon: 'packages', path: 'packages', needs: manage('Packages'), built: false },
      { id: 'protocols', label: items.protocols, icon: 'protocols', path: 'protocols', needs: manage('WorkUnits.Protocols'), built: false },
      {
        id: 'actioncatalog',
        label: items.actions,
        icon: 'actions',
        path: 'actioncatalog',
        needs: manage('ActionDefinitions'),
        built: false,
      },
      {
        id: 'pendingdevices',
        label: items.pendingDevices,
        icon: 'pending',
        path: 'pendingdevices',
        needs: manage('Devices', 'PendingDevices'),
        built: false,
      },
      { id: 'tokens', label: items.tokens, icon: 'tokens', path: 'tokens', needs: manage('Tokens'), built: false },
      {
        id: 'workunitsettings',
        label: items.workUnitSettings,
        icon: 'sliders',
        path: 'workunitsettings',
        needs: manage('WorkUnits.Categories', 'WorkUnits.Subcategories'),
        built: false,
      },
      { id: 'versionreport', label: items.versionReport, icon: 'report', path: 'versionreport', needs: view('Devices'), built: false },
    ],
  },
];

/** Any one of these shows the tenant and subscription picker (PERM-024..028). */
export const pickerNeeds: readonly Permission[] = [
  permission('Blocks', 'view'),
  permission('Devices', 'view'),
  permission('PendingDevices', 'edit'),
  permission('Tokens', 'edit'),
];

/** Groups and items that the person may see; a group without items is left out. */
export function visibleMenu(groups: readonly MenuGroup[], permissions: ReadonlySet<string>): readonly MenuGroup[] {
  return groups
    .map((group) => ({ ...group, items: group.items.filter((item) => item.built && item.needs.every((need) => permissions.has(need))) }))
    .filter((group) => group.items.length > 0);
}
