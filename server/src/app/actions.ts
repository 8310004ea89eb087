/** All actions of this server except the calls that write their own answer (`rawRoutes`). */
import { testMailAction, type MailSettings } from '../automation/test-mail.action.ts';
import { previewActionAction } from '../automation/previews/preview-action.action.ts';
import { renderEmailAction } from '../automation/previews/render-email.action.ts';
import { previewWorkUnitAction } from '../automation/units/preview-work-unit.action.ts';
import { actionLists } from '../features/actions/lists.action.ts';
import { replayExecutionAction } from '../features/actions/replay.action.ts';
import { tryOrStopActions } from '../features/actions/try-or-stop.action.ts';
import { testActionAction } from '../features/actions/test.action.ts';
import { blockActions } from '../features/blocks/blocks.action.ts';
import { deviceActions } from '../features/devices/devices.action.ts';
import { addCheckAction, addPolicyCheckAction } from '../automation/checks/add-check.action.ts';
import { policyActions } from '../automation/policies/policies.action.ts';
import { campaignActions } from '../automation/campaigns/campaigns.action.ts';
import { configurationParts } from './configuration-parts.ts';
import { configurationActions } from '../features/configuration/configuration.action.ts';
import { customerActions } from '../features/configuration/customers/customers.action.ts';
import { createToken } from '../features/tokens/tokens.served.ts';
import { evidenceActions } from '../features/compliance/evidence.action.ts';
import { weekActions } from '../features/compliance/sign-off.action.ts';
import { exportControlSetsAction } from '../features/compliance/export.action.ts';
import { versionsOverTimeAction } from '../features/devices/versions/versions.action.ts';
import { sendAgentLogsAction } from '../features/devices/agent/logs.action.ts';
import { agentIdentityActions } from '../features/devices/agent/register.action.ts';
import { reportInstallationsAction } from '../features/devices/installations/report.action.ts';
import { agentSecretsAction } from '../features/devices/operations/agent-secrets.ts';
import { keepLicence, licenceEnd } from '../features/lookups/license.ts';
import { lookupActions, type LookupSettings } from '../features/lookups/lookups.action.ts';
import { ledgerAction } from '../features/ledger/ledger.action.ts';
import { replayJobAction } from '../features/outbox/replay.action.ts';
import { backupsAction } from '../features/installation/backups.action.ts';
import { installationWorkActions, type InstallationRuns } from '../features/installation/work.action.ts';
import { installationSettingsAction } from '../features/installation/settings.action.ts';
import { healthAction } from '../features/installation/health.action.ts';
import { knowledgeActions } from '../features/knowledge-articles/knowledge.action.ts';
import { firstStepsActions } from '../features/installation/first-steps.action.ts';
import { maintenanceActions } from '../features/maintenance/maintenance.action.ts';
import { noticesAction } from '../features/installation/notices.action.ts';
import { handoverActions } from '../features/protocols/on-call/handover.action.ts';
import { onCallActions } from '../features/protocols/on-call/on-call.action.ts';
import { matchedRulesAction } from '../features/protocols/matched-rules.action.ts';
import { pendingActionsAction } from '../features/protocols/pending.action.ts';
import { simulateAction, simulateDraftAction } from '../features/protocols/simulate.action.ts';
import { triggerAction } from '../features/protocols/trigger.action.ts';
import { seriesActions, type SeriesParts } from '../features/series/series.action.ts';
import { ruleNoiseAction } from '../features/rules/noise.action.ts';
import { ruleLookupActions } from '../features/rules/lookups.action.ts';
import { toggleRuleAction } from '../features/rules/toggle.action.ts';
import { packageActions } from '../features/packages/packages.action.ts';
import { countRowsAction } from '../features/views/count-rows.action.ts';
import { savedViewActions } from '../features/views/saved-views.action.ts';
import { sessionActions } from '../features/session/session.action.ts';
import { assignmentGroupsAction } from '../features/tenancy/assignment-groups.action.ts';
import { offboardingActions } from '../features/tenancy/offboarding/offboarding.action.ts';
import { secretUsesAction } from '../features/tenancy/secret-uses.ts';
import { tenantSecretActions } from '../features/tenancy/secrets.action.ts';
import { listSubscriptionsAction } from '../features/tenancy/subscriptions.action.ts';
import { toggleTenantAction } from '../features/tenancy/toggle.action.ts';
import { whyActions } from '../features/people/why.action.ts';
import { accessActions, inviteSomebody } from '../features/people/access.action.ts';
import { peopleActions } from '../features/people/sessions.action.ts';
import { photoActions } from '../features/people/photos/photos.action.ts';
import { browserActions } from '../features/people/notifications/browsers.action.ts';
import { preferenceActions } from '../features/people/notifications/preferences.action.ts';
import { directoryActions, type DirectoryParts } from '../features/directories/directories.action.ts';
import { mailboxActions, type TryMailbox } from '../features/mailboxes/mailboxes.action.ts';
import { sendAgentItemsAction } from '../intake/listener-items.action.ts';
import { mailActions } from '../intake/mail/mails.action.ts';
import type { MailTaker } from '../intake/mail/take-mail.ts';
import type { SourceIntake } from '../intake/take.ts';
import type { FileStore } from '../platform/file-store.ts';
import { sourceActions } from '../features/sources/sources.action.ts';
import { chatAccountActions } from '../features/people/chat-accounts.action.ts';
import { feedActions } from '../features/feeds/feeds.action.ts';
import type { FeedLinks } from '../platform/feeds/feed-links.ts';
import { eventSubscriptionActions } from '../features/event-subscriptions/event-subscriptions.action.ts';
import { tokenActions } from '../features/tokens/tokens.action.ts';
import { accessRequestAction, type AccessRequestParts } from '../features/work-units/access-requests/access-request.action.ts';
import { approvalActions } from '../features/work-units/approvals/approvals.action.ts';
import { aroundActions } from '../features/work-units/around/also-now.action.ts';
import { byKeyActions } from '../features/work-units/by-key/by-key.action.ts';
import { htmlOf } from '../outbound/mail-html.ts';
import { communicationUpdateActions } from '../features/work-units/contacts/updates.action.ts';
import { ownSubscriptionActions } from '../features/work-units/contacts/own-subscription.action.ts';
import type { ContactLinks } from '../platform/contact-links.ts';
import { communicationActions } from '../features/work-units/communications/communications.action.ts';
import { doNowAction } from '../features/work-units/do-now/do-now.action.ts';
import { historyActions } from '../features/work-units/feed/history.action.ts';
import { mergeActions } from '../features/work-units/merge/merge.action.ts';
import { onCallLoadAction } from '../features/work-units/reports/on-call-load.action.ts';
import { reportScheduleActions } from '../features/work-units/reports/schedules.action.ts';
import { workUnitReportAction } from '../features/work-units/reports/report.action.ts';
import { openOverTimeActions } from '../features/work-units/open-over-time.action.ts';
import { searchPlacesActions } from '../features/work-units/search-places.action.ts';
import { snoozeWorkUnitsAction } from '../features/work-units/snooze/snooze.action.ts';
import { workUnitLookupActions } from '../features/work-units/lookups.action.ts';
import { callBackActions } from '../features/work-units/call-backs/call-backs.action.ts';
import { callerActions } from '../features/work-units/callers/callers.action.ts';
import { inboxActions } from '../features/work-units/inbox/inbox.action.ts';
import { watcherActions } from '../features/work-units/watchers/watchers.action.ts';
import { presenceActions } from '../features/work-units/presence/presence.action.ts';
import { visitActions } from '../features/work-units/visits/visits.action.ts';
import { resolveWorkUnitsAction } from '../features/work-units/resolve.action.ts';
import { resolutionCenterActions } from '../features/work-units/resolution-center/resolution-center.action.ts';
import { previewStatusPageAction } from '../features/status-pages/preview.action.ts';
import { customersAction } from '../features/dashboards/tiles/customers.ts';
import { tilesAction, type TileCalls } from '../features/dashboards/tiles/read-tiles.ts';
import { dashboardLinkActions } from '../features/dashboards/links/links.action.ts';
import { statusServicesAction } from '../features/status-pages/services.action.ts';
import type { StreamLag } from '../ingest/stream/lag.ts';
import { backtestActions } from '../rules/backtest/backtest.action.ts';
import { backtestOfTenantsActions } from '../rules/backtest/backtest-of-tenants.action.ts';
import { collisionsAction } from '../rules/changes/collisions.action.ts';
import { reviewAction } from '../rules/changes/review.action.ts';
import { impactAction } from '../rules/impact/impact.action.ts';
import { matchingNowAction, matchingOfTenantsAction } from '../rules/impact/matching-now.action.ts';
import { maintenanceNowAction } from '../rules/run/maintenance/maintenance-now.action.ts';
import type { CalendarLinks } from '../platform/calendar-links.ts';
import type { CompiledRules } from '../rules/run/compiled-rules.ts';
import { previewRuleExceptionAction } from '../rules/impact/exception-preview.action.ts';
import { joinRulesActions } from '../features/rules/join-rules.action.ts';
import { explainActions, explainEntityAction } from '../rules/explain/explain.action.ts';
import type { AckLinks } from '../platform/ack-links.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Action } from '@cloudfit/contract/action.ts';
import { readSeries } from '@cloudfit/contract/actions/series/series.ts';
import type { Ctx } from '../context/ctx.ts';
import type { ImplementedAction, ImplementedCall } from '../resources/action.ts';

/** The parts that the actions need besides a ctx. */
export interface ActionParts extends LookupSettings, AccessRequestParts, SeriesParts {
  /** Runs backups and trial restores. */
  installationWork: InstallationRuns;
  secrets: TenantSecrets;
  /** The address at which people open the portal. */
  publicUrl: string;
  ackLinks: AckLinks;
  contactLinks: ContactLinks;
  calendarLinks: CalendarLinks;
  feedLinks: FeedLinks;
  /** The key with which browsers subscribe to push messages. */
  pushKey: string;
  /** The public keys with which agents verify packages. */
  packageKeys: readonly string[];
  /** Whether a mail server is set; without a mail server, mails wait in the outbox. */
  mailServerIsSet: boolean;
  /** How much waits in the stream of packets; absent without one. */
  streamLag?: (() => Promise<StreamLag>) | undefined;
  /** The mail server, for a test mail; absent without one. */
  mail?: MailSettings | undefined;
  /** How mails are taken, and where they are stored. */
  mailboxes: { store: FileStore; taker: MailTaker; tryMailbox: TryMailbox };
  /** Takes what agents hear for sources; absent where nothing is taken for sources. */
  intake?: SourceIntake | undefined;
  directories: DirectoryParts;
  /** All enabled rules, compiled. */
  rules: () => Promise<CompiledRules>;
}

export function actions(parts: ActionParts): readonly ImplementedAction[] {
  const all = actionsOf(parts);
  return [...all, ...whyActions(parts.database, all)];
}

/** The function of an action, for a feature that calls it by what it declares. */
function callOf<I, O>(action: Action<I, O>, all: readonly ImplementedAction[]): (ctx: Ctx, input: I) => Promise<O> {
  const call = all.find((item): item is ImplementedCall => item.action === (action as Action) && 'bind' in item);
  if (!call) throw new Error(`${action.name} is not implemented.`);
  return async (ctx, input) => (await call.bind(<J>() => input as unknown as J)(ctx)) as O;
}

/** Calls of other features that the tiles of dashboards read by. */
const tileCalls = (parts: SeriesParts): TileCalls => ({ readSeries: callOf(readSeries, seriesActions(parts)) });

function actionsOf(parts: ActionParts): readonly ImplementedAction[] {
  return [
    ...lookupActions(parts),
    ...sessionActions,
    ...historyActions,
    ...mergeActions,
    ...aroundActions,
    ...presenceActions,
    ...visitActions,
    ...inboxActions,
    doNowAction,
    ...callBackActions,
    ...callerActions,
    ...savedViewActions,
    countRowsAction,
    ...watcherActions,
    ...packageActions,
    ...deviceActions,
    ...campaignActions,
    ...policyActions,
    addCheckAction,
    addPolicyCheckAction,
    versionsOverTimeAction,
    ...approvalActions,
    ...resolutionCenterActions(parts),
    ...communicationActions(parts),
    ...communicationUpdateActions({ ...parts, links: parts.contactLinks, htmlOf }),
    ...ownSubscriptionActions,
    ...openOverTimeActions,
    workUnitReportAction,
    ...reportScheduleActions,
    onCallLoadAction,
    ...byKeyActions,
    resolveWorkUnitsAction,
    snoozeWorkUnitsAction,
    ...workUnitLookupActions,
    ...searchPlacesActions,
    accessRequestAction(parts),
    ...tokenActions,
    ...sourceActions,
    ...eventSubscriptionActions,
    ...feedActions(parts),
    ...chatAccountActions,
    ...mailboxActions(parts),
    ...directoryActions(parts),
    ...mailActions(parts),
    ...peopleActions,
    ...preferenceActions(parts),
    ...browserActions,
    ...photoActions,
    ...accessActions(parts),
    ...configurationActions(configurationParts),
    ...customerActions({ createToken, invite: (ctx, person) => inviteSomebody(parts, ctx, person) }),
    toggleRuleAction,
    ruleNoiseAction,
    ...ruleLookupActions,
    ...explainActions,
    ...joinRulesActions,
    previewRuleExceptionAction,
    matchingNowAction,
    matchingOfTenantsAction,
    explainEntityAction(parts.rules),
    ...backtestActions,
    ...backtestOfTenantsActions,
    ...maintenanceActions,
    ...knowledgeActions,
    impactAction,
    collisionsAction(parts.rules),
    reviewAction,
    maintenanceNowAction(parts.rules),
    ledgerAction,
    noticesAction(parts),
    ...firstStepsActions(parts),
    backupsAction,
    installationSettingsAction,
    ...installationWorkActions(parts.installationWork, (db, text) => keepLicence(db, text, parts.licencePublicKey)),
    healthAction({ ...parts, stream: parts.streamLag, licence: (db, now) => licenceEnd(db, parts.licencePublicKey, now) }),
    testMailAction(parts.mail, parts.publicUrl),
    ...actionLists,
    testActionAction,
    ...blockActions,
    ...seriesActions(parts),
    customersAction,
    tilesAction(tileCalls(parts)),
    ...dashboardLinkActions(parts.database, tileCalls(parts)),
    ...onCallActions(parts),
    previewStatusPageAction(parts.mailServerIsSet),
    statusServicesAction,
    ...handoverActions,
    matchedRulesAction,
    triggerAction,
    pendingActionsAction(parts),
    simulateAction,
    simulateDraftAction,
    replayExecutionAction,
    ...tryOrStopActions,
    renderEmailAction(parts.publicUrl),
    previewActionAction(parts),
    previewWorkUnitAction(parts.publicUrl),
    replayJobAction,
    exportControlSetsAction,
    ...evidenceActions,
    ...weekActions,
    toggleTenantAction,
    ...offboardingActions(parts),
    assignmentGroupsAction,
    listSubscriptionsAction,
    ...tenantSecretActions(parts.secrets),
    secretUsesAction,
    ...agentIdentityActions(parts),
    reportInstallationsAction,
    sendAgentLogsAction,
    agentSecretsAction(parts.secrets),
    sendAgentItemsAction(parts),
  ];
}
