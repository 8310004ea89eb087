/** The left menu: its items with the permissions that they require, and their addresses. */
import { permission, viewAudit, type Area, type Permission } from '@cloudfit/contract/permissions.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { IconName } from '../components/icon.tsx';

export interface MenuItem {
  label: string;
  icon: IconName;
  /** The path under `/{tenantId}`, or from the root when `bare`. */
  path: string;
  bare?: boolean;
  /** The person needs all of these permissions to see the item. */
  needs: readonly Permission[];
  /** This one is enough too. */
  or?: Permission;
  /** Other words by which the command palette finds the item. */
  words?: string;
  /** The key after `g` that opens the item; not every item has one. */
  key?: string;
  /** Sub-items. The item is visible only if at least one sub-item is. */
  items?: readonly MenuItem[];
}

export interface MenuGroup {
  label: string;
  items: readonly MenuItem[];
}

const view = (...areas: Area[]) => areas.map((area) => permission(area, 'view'));
const manage = (...areas: Area[]) => areas.flatMap((area) => [permission(area, 'edit'), permission(area, 'view')]);
const t = en.shell.items;

const activityWords = 'queue ledger jobs dead letters retries stuck late failed executions breakers destinations';

/** `g` and this letter open the home page. */
export const homeKey = 'h';

// One line per item: this is a table.
// oxfmt-ignore
export const menu: readonly MenuGroup[] = [
  {
    label: en.shell.menu,
    items: [
      { path: 'workunitsv2', key: 'w', bare: true, label: t.workUnits, icon: 'workUnits', needs: view('WorkUnits') },
      { path: 'inbox', key: 'j', bare: true, label: t.inbox, words: 'notifications mentions assigned watched unread bell', icon: 'bell', needs: view('WorkUnits') },
      { path: 'knowledge', key: 'g', label: t.knowledge, words: 'articles help wiki faq', icon: 'info', needs: view('WorkUnits') },
      { path: 'reports', label: t.reports, words: 'statistics figures volume mttr mtta median noise csv print', icon: 'report', needs: view('WorkUnits') },
      { path: 'workunitcommunications', key: 'c', label: t.communications, icon: 'communications', needs: view('WorkUnitCommunications') },
      { path: 'communicationcontacts', label: t.contacts, words: 'recipients customers subscribers mailing list addresses', icon: 'person', needs: manage('WorkUnitCommunications') },
      { path: 'devices', key: 'd', label: t.devices, icon: 'devices', needs: view('Devices') },
      { path: 'campaigns', key: 'i', label: t.campaigns, words: 'bulk mass rollout roll out deploy batch many devices rings', icon: 'campaigns', needs: view('Devices') },
      { path: 'policies', label: t.policies, words: 'desired state baseline automatic configuration', icon: 'compliance', needs: view('Devices') },
      { path: 'deviceselections', label: t.deviceSelections, words: 'groups filters dynamic saved', icon: 'columns', needs: view('Devices') },
      { path: 'dashboards', label: t.dashboards, words: 'wall display kiosk board tiles widgets', icon: 'dashboards', needs: view('Visualizations') },
      { path: 'blocks', key: 'b', label: t.blocks, words: 'data packets search query', icon: 'blocks', needs: view('Blocks') },
      { path: 'rules', key: 'r', label: t.rules, words: 'conditions thresholds baseline unusual anomaly alerts alarms', icon: 'rules', needs: view('Rules') },
      { path: 'matches', label: t.matches, words: 'rule matches alerts alarms fired events', icon: 'pending', needs: view('Rules', 'Devices') },
      { path: 'maintenance', label: t.maintenance, words: 'silence mute planned downtime outage window hold suppress change', icon: 'wrench', needs: view('Maintenance') },
      { path: 'changecalendar', label: t.changeCalendar, words: 'changes freezes blackout month plan schedule', icon: 'columns', needs: view('WorkUnits') },
      { path: 'compliance', key: 'o', label: t.compliance, words: 'controls evidence sign off signed audit framework oscal attest weekly', icon: 'compliance', needs: view('Compliance') },
    ],
  },
  {
    label: en.shell.administration,
    items: [
      { path: 'tenants', key: 't', bare: true, label: t.tenants, icon: 'tenants', needs: manage('Tenants') },
      { path: 'locations', key: 'l', bare: true, label: t.locations, icon: 'locations', needs: manage('Locations') },
      { path: 'packages', key: 'p', bare: true, label: t.packages, words: 'software versions upload', icon: 'packages', needs: manage('Packages') },
      { path: 'protocols', key: 'u', bare: true, label: t.protocols, icon: 'protocols', needs: manage('WorkUnits.Protocols') },
      { path: 'oncall', key: 'y', bare: true, label: t.onCall, words: 'schedules rotations shifts overrides duty handover', icon: 'phone', needs: view('OnCall') },
      { path: 'actioncatalog', key: 'a', bare: true, label: t.actions, words: 'webhooks http mail scripts integrations', icon: 'actions', needs: manage('ActionDefinitions') },
      { path: 'pendingdevices', key: 'n', bare: true, label: t.pendingDevices, icon: 'pending', needs: manage('Devices', 'PendingDevices') },
      { path: 'tokens', key: 'k', bare: true, label: t.tokens, icon: 'tokens', needs: manage('Tokens') },
      { path: 'sources', label: t.sources, words: 'intake webhook alertmanager grafana prometheus pagerduty opsgenie receivers integrations', icon: 'link', needs: manage('Sources') },
      { path: 'mailboxes', label: t.mailboxes, words: 'imap email', icon: 'mail', needs: manage('Sources') },
      { path: 'workunitsettings', key: 's', bare: true, label: t.workUnitSettings, icon: 'sliders', needs: manage('WorkUnits.Categories', 'WorkUnits.Subcategories') },
      { path: 'versionreport', key: 'v', bare: true, label: t.versionReport, icon: 'report', needs: view('Devices') },
    ],
  },
  {
    label: en.shell.peopleAndAccess,
    items: [
      { path: 'people', key: 'e', bare: true, label: t.people, words: 'users accounts sessions sign-ins invite invitations colleagues see the portal as view as impersonate', icon: 'person', needs: manage('People') },
      { path: 'access', key: 'x', bare: true, label: t.access, words: 'grants groups rights who may', icon: 'check', needs: manage('People') },
      { path: 'permissionsets', key: 'm', bare: true, label: t.permissionSets, words: 'roles rights second factor people', icon: 'lock', needs: manage('People') },
      { path: 'audit', key: 'f', label: t.audit, words: 'history changes log who did what record', icon: 'empty', needs: view('Settings'), or: viewAudit },
    ],
  },
  {
    label: en.shell.system,
    items: [
      { path: 'activity', key: 'q', label: t.activity, words: activityWords, icon: 'refresh', needs: view('Settings') },
      { path: 'outbox', label: t.outbox, words: 'mails email queue smtp not sent', icon: 'mail', needs: manage('Settings') },
      { path: 'installation', label: t.installation, words: 'health status lag queue disk database backup version servers licence smtp', icon: 'report', needs: manage('Settings') },
      { path: 'statuspages', label: t.statusPages, words: 'public status customers incidents uptime components statuspage', icon: 'info', needs: manage('Settings') },
      { path: 'configuration', key: 'z', label: t.configuration, words: 'settings import export features retention environment variables backup copy', icon: 'settings', needs: view('Settings') },
    ],
  },
];

/** A person with any of these permissions sees the picker of tenant and subscription (PERM-024..028). */
export const pickerNeeds: readonly Permission[] = [
  permission('Blocks', 'view'),
  permission('Devices', 'view'),
  permission('PendingDevices', 'edit'),
  permission('Tokens', 'edit'),
];

function visibleItems(items: readonly MenuItem[], permissions: ReadonlySet<string>): MenuItem[] {
  return items
    .filter((item) => item.needs.every((need) => permissions.has(need)) || (item.or && permissions.has(item.or)))
    .map((item) => (item.items ? { ...item, items: visibleItems(item.items, permissions) } : item))
    .filter((item) => item.items?.length !== 0);
}

/** Groups and items that the person may see, without empty groups. */
export function visibleMenu(groups: readonly MenuGroup[], permissions: ReadonlySet<string>): readonly MenuGroup[] {
  return groups.map((group) => ({ ...group, items: visibleItems(group.items, permissions) })).filter((group) => group.items.length > 0);
}

/** The address of an item. */
export function addressOf(item: Pick<MenuItem, 'path' | 'bare'>, tenantId: string | null): string {
  return item.bare || !tenantId ? `/${item.path}` : `/${tenantId}/${item.path}`;
}

/** The item of a screen, named by the path of the item. */
export const itemOf = (path: string | undefined): MenuItem | undefined =>
  menu.flatMap((group) => group.items).find((item) => item.path === path);

/** The item whose screen an address shows: `/{item}`, `/{tenantId}/{item}` or `/{tenantId}/{item}/{row}`. */
export function itemAt(pathname: string): MenuItem | undefined {
  const parts = pathname.split('/').filter(Boolean);
  const screen = parts.length <= 2 ? parts.at(-1) : parts.length === 3 ? parts[1] : undefined;
  return itemOf(screen);
}

/** The address of the same screen in another tenant. */
export function addressInTenant(address: string, from: string | undefined, to: string): string {
  if (from && address.startsWith(`/${from}`)) return `/${to}${address.slice(from.length + 1)}`;
  return address === '/' ? `/${to}` : address;
}
