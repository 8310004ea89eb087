/** How pages refresh when each entity changes. */
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import type { LiveRules } from '../api/live.ts';

// What an action or a step did stands in the feed of its work unit.
const feed = ['workUnits:history', 'workUnits:pending'] as const;

const shownIn: { readonly [Name in ResourceName]?: readonly (ResourceName | (typeof feed)[number])[] } = {
  // The end of an execution follows its last try.
  actionHistories: ['actionTries', ...feed],
  plannedSteps: feed,
  workUnitNotes: ['workUnits'],
  ruleMatches: ['rules'],
  controlStatuses: ['controlSets'],
  packageVersions: ['packages'],
  operations: ['packages'],
  // A run by its interval is told by its packet alone.
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
  // The people at a unit are read for that unit only.
  byRow: [presenceEntity],
};
