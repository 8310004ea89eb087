/** How pages refresh when each entity changes. */
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import type { LiveRules } from '../api/live.ts';

// The feed of a work unit shows what an action or a step did.
const feed = ['workUnits:history', 'workUnits:pending'] as const;

const shownIn: { readonly [Name in ResourceName]?: readonly (ResourceName | (typeof feed)[number])[] } = {
  // An execution ends after its last try, and only the end is announced.
  actionHistories: ['actionTries', ...feed],
  plannedSteps: feed,
  workUnitNotes: ['workUnits'],
  ruleMatches: ['rules'],
  controlStatuses: ['controlSets'],
  packageVersions: ['packages'],
  operations: ['packages'],
  // Of a run by its interval, only the packet is announced.
  packets: ['operationRuns'],
  deviceOperations: ['operationRuns'],
  subscriptions: ['tenants'],
  campaignDevices: ['campaigns'],
  workUnits: ['communicationWorkUnits'],
  workUnitRelations: ['communicationWorkUnits'],
};

// Packets arrive constantly; lists that show them may refresh later.
const debounceMs: { readonly [Name in ResourceName]?: number } = { packets: 3_000 };
const packets: ResourceName = 'packets';

export const liveRules: LiveRules = {
  shownIn,
  debounceMs,
  unmarked: [packets, presenceEntity],
  // The presence of people is read for one work unit only.
  byRow: [presenceEntity],
};
