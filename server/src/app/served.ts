/** Every served resource of this server. */
import { servedActionDefinitions, servedActionHistories, servedActionTries } from '../features/actions/actions.served.ts';
import { servedBlockLogs, servedBlocks } from '../features/blocks/blocks.served.ts';
import {
  servedComplianceSignOffs,
  servedControlEvidence,
  servedControls,
  servedControlSets,
  servedControlStatuses,
} from '../features/compliance/compliance.served.ts';
import { servedStatusPages, servedStatusSubscribers } from '../features/status-pages/status-pages.served.ts';
import { servedDashboards } from '../features/dashboards/dashboards.served.ts';
import { servedDashboardLinks } from '../features/dashboards/links/links.served.ts';
import { servedDestinations, servedJobs, servedOutboxMessages } from '../features/outbox/outbox.served.ts';
import { servedNotifications, servedPlannedSteps, servedProtocolActions, servedProtocols } from '../features/protocols/protocols.served.ts';
import { servedOnCallOverrides, servedOnCallSchedules } from '../features/protocols/on-call/on-call.served.ts';
import { servedDirectories } from '../features/directories/directories.served.ts';
import { servedAudit } from '../features/audit/audit.served.ts';
import { servedDevices, servedPacketInfos, servedPackets } from '../features/devices/devices.served.ts';
import { servedCampaignDevices, servedCampaigns } from '../automation/campaigns/campaigns.served.ts';
import { servedComplianceReport, servedDeviceInstallations } from '../features/devices/installations/installations.served.ts';
import { servedDeviceLogs } from '../features/devices/log.served.ts';
import { servedDeviceOperations } from '../features/devices/operations/device-operations.served.ts';
import { servedOperationRuns } from '../features/devices/operations/operation-runs.served.ts';
import { servedPendingDevices } from '../features/devices/pending.served.ts';
import { servedOperations, servedPackages, servedPackageVersions } from '../features/packages/packages.served.ts';
import { servedMibs } from '../features/devices/mibs/mibs.served.ts';
import { servedPublishers } from '../features/packages/publishers.served.ts';
import { servedGrants, servedPeople, servedPermissionSets } from '../features/people/people.served.ts';
import { servedInvitations } from '../features/people/invitations.served.ts';
import { servedMaintenanceWindows } from '../features/maintenance/maintenance.served.ts';
import { servedFeatures } from '../features/installation/features.served.ts';
import { servedRuleMatches, servedRules, servedUnitMatches } from '../features/rules/rules.served.ts';
import { servedLocations, servedSubscriptions } from '../features/tenancy/tenancy.served.ts';
import { servedTenantSecrets } from '../features/tenancy/secrets.served.ts';
import { servedRuleExceptions } from '../features/rules/rule-exceptions.served.ts';
import { servedCustomerTemplates } from '../features/configuration/customers/customer-templates.served.ts';
import { keepEnding } from '../features/tenancy/offboarding/keep-ending.ts';
import { servedOffboardings } from '../features/tenancy/offboarding/offboardings.served.ts';
import { servedTenantGroups } from '../features/tenancy/tenant-groups.served.ts';
import { servedTenants } from '../features/tenancy/tenants.served.ts';
import { servedTokens } from '../features/tokens/tokens.served.ts';
import { servedCallBacks } from '../features/work-units/call-backs/call-backs.served.ts';
import { servedInboxItems } from '../features/work-units/inbox/inbox.served.ts';
import { servedWorkUnitCategories, servedWorkUnitSubcategories } from '../features/work-units/categories/categories.served.ts';
import {
  servedCommunicationWorkUnits,
  servedWorkUnitCommunicationActivities,
  servedWorkUnitCommunications,
} from '../features/work-units/communications/communications.served.ts';
import { servedWorkUnitRelations } from '../features/work-units/related/relations.served.ts';
import {
  servedServiceLevels,
  servedWorkingCalendars,
  servedWorkUnitClocks,
} from '../features/work-units/service-levels/service-levels.served.ts';
import { servedExternalNotes, servedResolutionCenterWorkUnits } from '../features/work-units/resolution-center/resolution-center.served.ts';
import { servedChangeFreezes } from '../features/work-units/approvals/change-freezes.served.ts';
import { servedWorkUnitNotes, servedWorkUnits, servedWorkUnitTypes } from '../features/work-units/work-units.served.ts';
import {
  servedArticleUses,
  servedArticleVersions,
  servedKnowledgeArticles,
} from '../features/knowledge-articles/knowledge-articles.served.ts';
import { servedCommunicationContacts } from '../features/work-units/contacts/contacts.served.ts';
import { servedCommunicationTemplates } from '../features/work-units/contacts/templates.served.ts';
import { servedCommunicationMails, servedCommunicationUpdates } from '../features/work-units/contacts/updates.served.ts';
import { servedMailboxes } from '../features/mailboxes/mailboxes.served.ts';
import { servedSources } from '../features/sources/sources.served.ts';
import { servedDeviceSelections, servedSelectionMembers } from '../automation/selections/selections.served.ts';
import { servedPolicies, servedPolicyItems } from '../automation/policies/policies.served.ts';
import { servedPolicyExceptions } from '../automation/policies/policy-exceptions.served.ts';
import { keepManaged } from '../features/configuration/managed.ts';
import {
  servedEventDeliveries,
  servedEventSubscriptions,
  servedUnitLinks,
} from '../features/event-subscriptions/event-subscriptions.served.ts';
import type { AnyServed } from '../resources/served.ts';

const all: readonly AnyServed[] = [
  servedRuleExceptions,
  servedTenantGroups,
  servedCustomerTemplates,
  servedOffboardings,
  servedTenants,
  servedSubscriptions,
  servedLocations,
  servedDevices,
  servedPendingDevices,
  servedPackages,
  servedPackageVersions,
  servedPublishers,
  servedMibs,
  servedOperations,
  servedDeviceOperations,
  servedOperationRuns,
  servedCampaigns,
  servedCampaignDevices,
  servedDeviceInstallations,
  servedDeviceLogs,
  servedComplianceReport,
  servedPackets,
  servedPacketInfos,
  servedRules,
  servedRuleMatches,
  servedUnitMatches,
  servedActionDefinitions,
  servedActionHistories,
  servedActionTries,
  servedBlocks,
  servedBlockLogs,
  servedDashboards,
  servedDashboardLinks,
  servedStatusPages,
  servedStatusSubscribers,
  servedProtocols,
  servedProtocolActions,
  servedPlannedSteps,
  servedNotifications,
  servedInboxItems,
  servedCallBacks,
  servedOnCallSchedules,
  servedOnCallOverrides,
  servedMaintenanceWindows,
  servedControlSets,
  servedControls,
  servedControlStatuses,
  servedControlEvidence,
  servedComplianceSignOffs,
  servedOutboxMessages,
  servedJobs,
  servedDestinations,
  servedWorkUnits,
  servedWorkUnitTypes,
  servedWorkUnitNotes,
  servedWorkUnitCategories,
  servedWorkUnitSubcategories,
  servedWorkUnitRelations,
  servedWorkUnitCommunications,
  servedWorkUnitCommunicationActivities,
  servedCommunicationWorkUnits,
  servedResolutionCenterWorkUnits,
  servedExternalNotes,
  servedWorkUnitClocks,
  servedServiceLevels,
  servedWorkingCalendars,
  servedDirectories,
  servedPeople,
  servedPermissionSets,
  servedGrants,
  servedInvitations,
  servedAudit,
  servedTokens,
  servedTenantSecrets,
  servedFeatures,
  servedChangeFreezes,
  servedKnowledgeArticles,
  servedArticleVersions,
  servedArticleUses,
  servedCommunicationContacts,
  servedCommunicationUpdates,
  servedCommunicationMails,
  servedCommunicationTemplates,
  servedSources,
  servedEventSubscriptions,
  servedEventDeliveries,
  servedUnitLinks,
  servedMailboxes,
  servedDeviceSelections,
  servedSelectionMembers,
  servedPolicies,
  servedPolicyItems,
  servedPolicyExceptions,
];

export const served: readonly AnyServed[] = all.map((resource) => keepManaged(keepEnding(resource)));
