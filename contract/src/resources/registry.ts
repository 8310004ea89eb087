/** The list of all entities of the API, for server, portal and the resource suite. */
import type { Resource } from '../resource.ts';
import { actionDefinitions } from './action-definitions.ts';
import { actionHistories } from './action-histories.ts';
import { actionTries } from './action-tries.ts';
import { blockLogs } from './block-logs.ts';
import { blocks } from './blocks.ts';
import { campaignDevices, campaigns } from './campaigns.ts';
import { complianceSignOffs, controlEvidence, controls, controlSets, controlStatuses } from './compliance.ts';
import { audit } from './audit.ts';
import { communicationWorkUnits } from './communication-work-units.ts';
import { complianceReport } from './compliance-report.ts';
import { deviceInstallations } from './device-installations.ts';
import { deviceLogs } from './device-logs.ts';
import { deviceOperations } from './device-operations.ts';
import { dashboardLinks } from './dashboard-links.ts';
import { dashboards } from './dashboards.ts';
import { destinations } from './destinations.ts';
import { devices } from './devices.ts';
import { externalNotes } from './external-notes.ts';
import { features } from './features.ts';
import { grants } from './grants.ts';
import { callBacks } from './call-backs.ts';
import { inboxItems } from './inbox-items.ts';
import { invitations } from './invitations.ts';
import { locations } from './locations.ts';
import { eventDeliveries, eventSubscriptions } from './event-subscriptions.ts';
import { unitLinks } from './unit-links.ts';
import { mailboxes } from './mailboxes.ts';
import { maintenanceWindows } from './maintenance-windows.ts';
import { jobs, outboxMessages } from './outbox.ts';
import { operationRuns } from './operation-runs.ts';
import { notifications } from './notifications.ts';
import { onCallOverrides, onCallSchedules } from './on-call.ts';
import { operations } from './operations.ts';
import { packageVersions } from './package-versions.ts';
import { packages } from './packages.ts';
import { packetInfos } from './packet-infos.ts';
import { packets } from './packets.ts';
import { pendingDevices } from './pending-devices.ts';
import { directories } from './directories.ts';
import { people } from './people.ts';
import { permissionSets } from './permission-sets.ts';
import { plannedSteps, protocolActions } from './protocol-actions.ts';
import { protocols } from './protocols.ts';
import { mibs } from './mibs.ts';
import { publishers } from './publishers.ts';
import { resolutionCenterWorkUnits } from './resolution-center-work-units.ts';
import { ruleExceptions } from './rule-exceptions.ts';
import { ruleMatches } from './rule-matches.ts';
import { unitMatches } from './unit-matches.ts';
import { rules } from './rules.ts';
import { serviceLevels, workingCalendars, workUnitClocks } from './service-levels.ts';
import { statusPages } from './status-pages.ts';
import { statusSubscribers } from './status-subscribers.ts';
import { subscriptions } from './subscriptions.ts';
import { tenantSecrets } from './tenant-secrets.ts';
import { customerTemplates } from './customer-templates.ts';
import { offboardings } from './offboardings.ts';
import { tenantGroups } from './tenant-groups.ts';
import { tenants } from './tenants.ts';
import { tokens } from './tokens.ts';
import { workUnitCategories } from './work-unit-categories.ts';
import { workUnitCommunicationActivities } from './work-unit-communication-activities.ts';
import { workUnitCommunications } from './work-unit-communications.ts';
import { workUnitNotes } from './work-unit-notes.ts';
import { workUnitRelations } from './work-unit-relations.ts';
import { workUnitSubcategories } from './work-unit-subcategories.ts';
import { workUnitTypes } from './work-unit-types.ts';
import { workUnits } from './work-units.ts';
import { changeFreezes } from './change-freezes.ts';
import { knowledgeArticles, knowledgeArticleUses, knowledgeArticleVersions } from './knowledge-articles.ts';
import { communicationContacts } from './communication-contacts.ts';
import { communicationMails } from './communication-mails.ts';
import { communicationTemplates } from './communication-templates.ts';
import { communicationUpdates } from './communication-updates.ts';
import { sources } from './sources.ts';
import { deviceSelections, selectionMembers } from './device-selections.ts';
import { policies, policyExceptions, policyItems } from './policies.ts';

const declared = [
  tenantGroups,
  customerTemplates,
  offboardings,
  tenants,
  audit,
  subscriptions,
  locations,
  devices,
  pendingDevices,
  packages,
  packageVersions,
  publishers,
  mibs,
  operations,
  deviceOperations,
  operationRuns,
  campaigns,
  campaignDevices,
  deviceInstallations,
  deviceLogs,
  complianceReport,
  packets,
  packetInfos,
  rules,
  ruleExceptions,
  ruleMatches,
  unitMatches,
  actionDefinitions,
  actionHistories,
  actionTries,
  blocks,
  blockLogs,
  dashboards,
  dashboardLinks,
  statusPages,
  statusSubscribers,
  protocols,
  protocolActions,
  plannedSteps,
  notifications,
  onCallSchedules,
  onCallOverrides,
  maintenanceWindows,
  controlSets,
  controls,
  controlStatuses,
  controlEvidence,
  complianceSignOffs,
  outboxMessages,
  destinations,
  jobs,
  workUnits,
  inboxItems,
  callBacks,
  workUnitTypes,
  workUnitNotes,
  workUnitCategories,
  workUnitSubcategories,
  workUnitRelations,
  workUnitClocks,
  serviceLevels,
  workingCalendars,
  workUnitCommunications,
  workUnitCommunicationActivities,
  communicationWorkUnits,
  resolutionCenterWorkUnits,
  externalNotes,
  directories,
  people,
  permissionSets,
  grants,
  invitations,
  tokens,
  tenantSecrets,
  features,
  changeFreezes,
  knowledgeArticles,
  knowledgeArticleVersions,
  knowledgeArticleUses,
  communicationContacts,
  communicationUpdates,
  communicationMails,
  communicationTemplates,
  sources,
  eventSubscriptions,
  eventDeliveries,
  unitLinks,
  mailboxes,
  deviceSelections,
  selectionMembers,
  policies,
  policyItems,
  policyExceptions,
] as const;

export type ResourceName = (typeof declared)[number]['name'];

/** The type of the resource with this declared name. */
export type NamedResource<Name extends string> = Extract<(typeof declared)[number], { name: Name }>;

export const resources: readonly Resource[] = declared;

const byName = new Map(resources.map((r) => [r.name.toLowerCase(), r]));

/** Returns the resource of this name, ignoring case; undefined if there is none. */
export function findResource(name: string): Resource | undefined {
  return byName.get(name.toLowerCase());
}

/** Like `findResource`, but throws if there is no such resource. */
export function requireResource(name: string): Resource {
  const resource = byName.get(name.toLowerCase());
  if (!resource) throw new Error(`No resource is called ${name}.`);
  return resource;
}
