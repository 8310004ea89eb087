/** By entity: which queries a page refreshes after a change, and when. */
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import type { ResourceName } from '@cloudfit/contract/resources/registry.ts';
import type { LiveRules } from '../api/live.ts';

// The feed of a work unit shows what an action or a step did.
const feed = ['workUnits:history', 'workUnits:pending'] as const;
const doNow = 'workUnits:doNow';

const shownIn: { readonly [Name in ResourceName]?: readonly (ResourceName | (typeof feed)[number] | typeof doNow)[] } = {
  // The change stream announces tries as changes of their execution.
  actionHistories: ['actionTries', ...feed, doNow],
  plannedSteps: [...feed, doNow],
  callBacks: [doNow],
  inboxItems: [doNow],
  workUnitCommunications: [doNow],
  workUnitNotes: ['workUnits'],
  ruleMatches: ['rules'],
  controlStatuses: ['controlSets'],
  packageVersions: ['packages'],
  operations: ['packages'],
  // The change stream does not announce every run by its interval, but each packet of a run.
  packets: ['operationRuns'],
  deviceOperations: ['operationRuns'],
  subscriptions: ['tenants'],
  campaignDevices: ['campaigns'],
  workUnits: ['communicationWorkUnits'],
  workUnitRelations: ['communicationWorkUnits'],
};

// Packets arrive constantly, so lists of packets refresh at most every three seconds.
const debounceMs: { readonly [Name in ResourceName]?: number } = { packets: 3_000 };
const packets: ResourceName = 'packets';

export const liveRules: LiveRules = {
  shownIn,
  debounceMs,
  unmarked: [packets, presenceEntity],
  // A page reads the presence of people at one work unit, so it ignores changes at other work units.
  byRow: [presenceEntity],
};
