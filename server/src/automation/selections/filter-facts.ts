/** Which changes may change the members of a selection, by the text of its filter. */

/** The relations of devices by the entities whose changes a filter that names them depends on. */
const entities: Readonly<Record<string, readonly string[]>> = {
  tenant: ['tenants'],
  subscription: ['subscriptions'],
  location: ['locations'],
  parentDevice: ['devices'],
  enrolmentToken: ['tokens'],
  operations: ['deviceOperations', 'operations', 'packages'],
  installations: ['deviceInstallations', 'packages', 'packageVersions'],
  selections: ['selectionMembers', 'deviceSelections'],
};

/** The entities of rows that a filter names by their ids; when one is deleted, the selection says so. */
const byId: Readonly<Record<string, readonly string[]>> = {
  tenantId: ['tenants'],
  subscriptionId: ['subscriptions'],
  locationId: ['locations'],
  parentDeviceId: ['devices'],
  enrolledBy: ['tokens'],
};

export interface FilterFacts {
  /** Entities beside the devices themselves: after a change of one, all devices are looked at. */
  entities: readonly string[];
  /** Whether the result changes without a change of an entity: with time, with packets, with matches. */
  isLive: boolean;
}

export function filterFacts(filter: string): FilterFacts {
  const named = (name: string) => new RegExp(String.raw`\b${name}/`).test(filter);
  const namedById = Object.entries(byId).flatMap(([field, list]) => (new RegExp(String.raw`\b${field}\b`).test(filter) ? list : []));
  return {
    entities: [...new Set([...Object.entries(entities).flatMap(([name, list]) => (named(name) ? list : [])), ...namedById])],
    isLive: /\bnow\s*\(/.test(filter) || named('packet') || named('ruleMatches'),
  };
}

/** All entities whose changes are followed. */
export const followedEntities: readonly string[] = [
  ...new Set(['devices', 'deviceOperations', 'deviceInstallations', 'packageVersions', 'tenantGroups', ...Object.values(entities).flat()]),
];
