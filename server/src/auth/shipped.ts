/** The permission sets of every installation. Their ids are fixed; their permissions are reset at each start. */
import {
  allPermissions,
  areas,
  permission,
  permissionVerbs,
  runOperations,
  viewAudit,
  viewMine,
  type Area,
  type Permission,
  type PermissionVerb,
} from '@cloudfit/contract/permissions.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { changed } from '../db/changed.ts';
import type { Db } from '../db/db.ts';
import { invalidatePeople } from './invalidate.ts';

export interface ShippedSet {
  id: string;
  name: string;
  description: string;
  permissions: readonly Permission[];
}

const all = (area: Area): Permission[] => permissionVerbs.map((verb) => permission(area, verb));
const some = (verbs: readonly PermissionVerb[], ...of: Area[]): Permission[] =>
  of.flatMap((area) => verbs.map((verb) => permission(area, verb)));

/** The permissions for the calls of the portal's shell. */
const shell = some(
  ['view'],
  'Tenants',
  'Subscriptions',
  'CurrentUser',
  'Home',
  'WorkUnits.Types',
  'WorkUnits.Categories',
  'WorkUnits.Subcategories',
  'WorkUnits.ServiceLevels',
  'People',
);
const secret: readonly Area[] = ['Tokens'];

const operator: Permission[] = [
  ...shell,
  ...some(['view'], 'Packets', 'Resources', 'Compliance', 'Visualizations', 'WorkUnits.Protocols', 'Packages', 'Packages.Publishers'),
  ...[
    'Devices',
    'PendingDevices',
    'Blocks',
    'Locations',
    'Maintenance',
    'Rules',
    'ActionDefinitions',
    'Articles',
    'WorkUnits',
    'WorkUnitCommunications',
    'Visualizations',
    'OnCall',
    'OnCall.Overrides',
  ].flatMap((area) => all(area as Area)),
];

const serviceDesk: Permission[] = [
  ...shell,
  ...some(
    ['view'],
    'Devices',
    'Blocks',
    'Locations',
    'Packets',
    'Rules',
    'ActionDefinitions',
    'Resources',
    'Visualizations',
    'WorkUnits.Protocols',
    'Packages',
    'Packages.Publishers',
    'OnCall',
  ),
  ...some(['create', 'edit', 'view'], 'Articles', 'WorkUnits', 'WorkUnitCommunications', 'Maintenance'),
  ...all('OnCall.Overrides'),
];

const unique = (permissions: readonly Permission[]): Permission[] => [...new Set(permissions)];

export const shippedSets = {
  administrator: {
    id: '00000000-0000-4000-8000-0000000000a1',
    name: 'Administrator',
    description: 'Everything.',
    permissions: allPermissions,
  },
  operator: {
    id: '00000000-0000-4000-8000-0000000000a2',
    name: 'Operator',
    description: 'Runs devices, rules and work units.',
    permissions: unique(operator),
  },
  reader: {
    id: '00000000-0000-4000-8000-0000000000a3',
    name: 'Reader',
    description: 'Sees everything except tokens, changes nothing.',
    permissions: some(['view'], ...areas.filter((area) => !secret.includes(area))),
  },
  serviceDesk: {
    id: '00000000-0000-4000-8000-0000000000a4',
    name: 'Service Desk',
    description: 'Takes and works on work units; sees what they are about.',
    permissions: unique(serviceDesk),
  },
  resolutionCenter: {
    id: '00000000-0000-4000-8000-0000000000a5',
    name: 'Resolution Center',
    description: 'Own requests only.',
    permissions: [viewMine],
  },
  auditor: {
    id: '00000000-0000-4000-8000-0000000000a6',
    name: 'Auditor',
    description: 'Reads the whole audit, and nothing else.',
    permissions: unique([...some(['view'], 'Tenants', 'CurrentUser', 'Home'), viewAudit]),
  },
  operationRunner: {
    id: '00000000-0000-4000-8000-0000000000a7',
    name: 'Operation Runner',
    description: 'Runs operations of devices on demand; changes nothing else.',
    permissions: unique([
      ...some(['view'], 'Tenants', 'Subscriptions', 'CurrentUser', 'Home', 'Devices', 'Locations', 'Packages'),
      runOperations,
    ]),
  },
} as const satisfies Record<string, ShippedSet>;

/**
 * Creates or resets the shipped permission sets. Idempotent; servers of older and newer versions may run it at the same
 * time.
 */
export function ensureShippedSets(db: Db): Promise<void> {
  return db.transaction(async (tx) => {
    const written = await tx.query({
      text: `with written as (
        insert into permission_set as s (permission_set_id, name, description, permissions)
        select x.id, x.name, x.description, x.permissions from jsonb_to_recordset($1) as x(id uuid, name text, description text, permissions jsonb)
        on conflict (permission_set_id) do update set permissions = excluded.permissions, description = excluded.description, modified = now()
        where s.permissions is distinct from excluded.permissions returning tenant_id, s.permission_set_id)
        ${changed(permissionSets, 'update', 'written', 'uuidv7()')} returning 1`,
      values: [JSON.stringify(Object.values(shippedSets))],
    });
    if (written.length > 0) await invalidatePeople(tx);
  });
}
