/** How pages follow the changes of each entity. */
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import type { LiveRules } from '../api/live.ts';

const shownIn: { readonly [Name in ResourceName]?: readonly ResourceName[] } = {
  workUnitNotes: ['workUnits'],
  ruleMatches: ['rules'],
  controlStatuses: ['controlSets'],
  packageVersions: ['packages'],
  operations: ['packages'],
  subscriptions: ['tenants'],
  workUnits: ['communicationWorkUnits'],
  workUnitRelations: ['communicationWorkUnits'],
};

// Packets come all the time; lists that show them need not follow faster.
const debounceMs: { readonly [Name in ResourceName]?: number } = { packets: 3_000 };
const packets: ResourceName = 'packets';

export const liveRules: LiveRules = {
  shownIn,
  debounceMs,
  unmarked: [packets, presenceEntity],
  // Who looks at one unit is asked of that unit alone.
  byRow: [presenceEntity],
};
