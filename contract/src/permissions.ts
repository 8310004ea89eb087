/** Permission strings of the product: `CloudFit.CFS.{Area}:{verb}` (spec 000 §6, PERM-002..005). */

export const areas = [
  'ActionDefinitions',
  'Articles',
  'Blocks',
  'Compliance',
  'CurrentUser',
  'Devices',
  'Home',
  'Locations',
  'Maintenance',
  'OnCall',
  'OnCall.Overrides',
  'Packages',
  'Packages.Publishers',
  'Packets',
  'PendingDevices',
  'People',
  'Resources',
  'Rules',
  'Settings',
  'Sources',
  'Subscriptions',
  'Tenants',
  'Tokens',
  'WorkUnits',
  'WorkUnits.Categories',
  'WorkUnits.Protocols',
  'WorkUnits.ServiceLevels',
  'WorkUnits.Subcategories',
  'WorkUnits.Types',
  'WorkUnitCommunications',
  'Visualizations',
] as const;

export type Area = (typeof areas)[number];
export type PermissionVerb = 'create' | 'edit' | 'view' | 'delete';
export type Permission =
  | `CloudFit.CFS.${Area}:${PermissionVerb}`
  | 'CloudFit.CFS.WorkUnits:view:mine'
  | 'CloudFit.CFS.WorkUnits:override:approval'
  | 'CloudFit.CFS.Settings:view:audit'
  | 'CloudFit.CFS.Devices:run:operations';

export const permissionVerbs = ['create', 'edit', 'view', 'delete'] as const;

export function permission(area: Area, verb: PermissionVerb): Permission {
  return `CloudFit.CFS.${area}:${verb}`;
}

/** Lets people view their requests in the resolution center, and no other work units (PERM-005). */
export const viewMine: Permission = 'CloudFit.CFS.WorkUnits:view:mine';

/** Lets people start a change without its approvals in an emergency, and edit an approved plan without clearing them. */
export const overrideApproval: Permission = 'CloudFit.CFS.WorkUnits:override:approval';

/** Lets auditors read every entry of the audit in their tenants, and nothing else: not even the rows that the entries are about. */
export const viewAudit: Permission = 'CloudFit.CFS.Settings:view:audit';

/** Lets people request and withdraw runs of operations that run on demand, without the right to edit devices. */
export const runOperations: Permission = 'CloudFit.CFS.Devices:run:operations';

export const allPermissions: readonly Permission[] = [
  ...areas.flatMap((area) => permissionVerbs.map((verb) => permission(area, verb))),
  viewMine,
  overrideApproval,
  viewAudit,
  runOperations,
];

const permissionTexts: ReadonlySet<string> = new Set(allPermissions);

export function isPermission(text: string): text is Permission {
  return permissionTexts.has(text);
}
