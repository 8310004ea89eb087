/** Saved views of lists: of which lists, for whom, and what a stored filter contains in place of its reader. */
import type { ResourceName } from '../resources/registry.ts';

/** The screens with a list that views can be saved of, by the last part of their address, and the entity that each lists. */
export const viewScreens = {
  workunitsv2: 'workUnits',
  workunitcommunications: 'workUnitCommunications',
  devices: 'devices',
  campaigns: 'campaigns',
  dashboards: 'dashboards',
  blocks: 'blocks',
  rules: 'rules',
  matches: 'ruleMatches',
  maintenance: 'maintenanceWindows',
  tenants: 'tenants',
  locations: 'locations',
  packages: 'packages',
  mibs: 'mibs',
  publishers: 'publishers',
  protocols: 'protocols',
  oncall: 'onCallSchedules',
  actioncatalog: 'actionDefinitions',
  pendingdevices: 'pendingDevices',
  tokens: 'tokens',
  workunitsettings: 'workUnitCategories',
  servicelevels: 'serviceLevels',
  workingcalendars: 'workingCalendars',
  versionreport: 'complianceReport',
  people: 'people',
  access: 'grants',
  invitations: 'invitations',
  permissionsets: 'permissionSets',
  outbox: 'outboxMessages',
  statuspages: 'statusPages',
} as const satisfies Record<string, ResourceName>;

export type ViewScreen = keyof typeof viewScreens;

/** Whether views can be saved of the list at this part of an address. */
export function isViewScreen(part: string): part is ViewScreen {
  return Object.hasOwn(viewScreens, part);
}

/** Who sees a view: its owner, the members of an assignment group, or everybody in its tenant who may view the list. */
export const viewSharing = ['Me', 'Team', 'Tenant'] as const;
export type ViewSharing = (typeof viewSharing)[number];

/**
 * What the stored filter of a view contains in place of its reader. The ids are no tenant and no subscription; a sign-in name has
 * no braces.
 */
export const readerMarks = {
  tenantId: '00000000-0000-4000-8000-00000000000a',
  subscriptionId: '00000000-0000-4000-8000-00000000000b',
  userName: '{reader}',
} as const;

export const viewLimits = { name: 60, address: 4_000, filter: 8_000, columns: 100, perPerson: 200, counted: 30, countUpTo: 1_000 } as const;
