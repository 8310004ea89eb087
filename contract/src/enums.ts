/** Enumerations of the spec; numbers and spellings are contracts. */
import { choiceText } from './messages/choices.en.ts';

/** The severity of a work unit when the rule that opens it chooses none. */
export const defaultSeverity = 'Sev3';

export const severities = ['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4'] as const;

export const workUnitStates = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed', 'Canceled'] as const;
export type WorkUnitState = (typeof workUnitStates)[number];
export const openStates: readonly WorkUnitState[] = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated'];

export const sources = ['Email', 'Phone', 'Chat', 'Other', 'Spam'] as const;
export const experienceScores = ['Great', 'Average', 'Poor'] as const;
export const efforts = [1, 2, 3, 5, 8, 13] as const;

/** Who reads a published knowledge article: those who work on requests, or customers too. */
export const articleAudiences = ['Internal', 'Customers'] as const;
export const articleStates = ['Draft', 'Published', 'Retired'] as const;

/** The status that requesters see in the resolution center (RC-017, RC-018). */
export const resolutionCenterStatuses = ['Active', 'Done'] as const;

/** Whom an intake concerns (WU-095). */
export const scopes = ['SingleUser', 'SystemWide', 'ManyUsers', 'VIPUser'] as const;

/** Returns the severity of an intake by its scope; Sev4 without a scope (INTK-036..040). */
export function severityOfScope(scope: string): (typeof severities)[number] {
  if (scope === 'SystemWide' || scope === 'VIPUser') return 'Sev1';
  if (scope === 'ManyUsers') return 'Sev2';
  return scope === 'SingleUser' ? 'Sev3' : 'Sev4';
}

/** Statuses of communications. The suffixes `(Open)` and `(Closed)` are in the labels only. */
export const communicationStatuses = [
  { value: 'Investigating', label: 'Investigating (Open)' },
  { value: 'ConfirmedImpact', label: 'ConfirmedImpact' },
  { value: 'ServiceRestored', label: 'ServiceRestored' },
  { value: 'Cancelled', label: 'Cancelled (Closed)' },
  { value: 'Resolved', label: 'Resolved (Closed)' },
] as const;

/** Types of a communication's activities: next steps (`TaskActivity`) and past steps (`ResolutionActivity`). */
export const activityTypes = ['TaskActivity', 'ResolutionActivity'] as const;

/** Reports of a communication: for customers, and for staff. */
export const reportTypes = ['ExternalReport', 'InternalReport'] as const;

/** Fixed ids of the shipped work unit types. */
export const workUnitType = { incident: 1, changeRequest: 2, request: 3, task: 4, legacy: 9 } as const;

export const historyTypes = [
  'General',
  'FieldChange',
  'WorkUnitEvent',
  'ProtocolActionActivity',
  'ProtocolActionFailure',
  'WorkUnitStateChange',
] as const;
export type HistoryType = (typeof historyTypes)[number];

export const deviceTypes = [
  { value: 0, label: 'Unknown' },
  { value: 1, label: 'Virtual' },
  { value: 2, label: 'Physical' },
  { value: 3, label: 'Script' },
] as const;

export const operatingSystems = [
  { value: 0, label: 'Unknown' },
  { value: 1, label: 'WinX64' },
  { value: 2, label: 'OsxX64' },
  { value: 4, label: 'LinuxX64' },
] as const;

export const loggingLevels = [
  { value: 0, label: 'All' },
  { value: 1, label: 'None' },
] as const;

export const ruleTypes = [
  { value: 1, label: 'Ingestion' },
  { value: 2, label: 'Correlation' },
  { value: 3, label: 'History' },
  { value: 4, label: 'WorkUnit' },
  { value: 5, label: 'Maintenance' },
  { value: 6, label: 'Aggregation' },
] as const;

export const operators = [
  { value: 1, label: 'Equals' },
  { value: 2, label: 'NotEquals' },
  { value: 3, label: 'GreaterThan' },
  { value: 4, label: 'LessThan' },
  { value: 5, label: 'Contains' },
  { value: 6, label: 'GreaterThanOrEqual' },
  { value: 7, label: 'LessThanOrEqual' },
  { value: 8, label: 'Matches' },
  { value: 9, label: 'StartsWith' },
  { value: 10, label: 'EndsWith' },
  { value: 11, label: 'NotContains' },
  { value: 12, label: 'NotMatches' },
  { value: 13, label: 'IsEmpty' },
  { value: 14, label: 'IsNotEmpty' },
] as const;

export const actionDefinitionTypes = [
  { value: 1, label: 'BuiltInBoth' },
  { value: 2, label: 'UserDefinedProtocol' },
  { value: 3, label: 'UserDefinedRule' },
  { value: 4, label: 'UserDefinedBoth' },
  { value: 5, label: 'BuiltInProtocol' },
  { value: 6, label: 'BuiltInRule' },
] as const;

/** Types whose rows cannot be edited or deleted (ACT-029, ACT-030). */
export const builtInActionTypes: readonly number[] = [1, 5, 6];

export const httpMethods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

export const resultStatuses = [
  { value: 0, label: 'Unknown' },
  { value: 1, label: 'Success' },
  { value: 2, label: 'Failure' },
  { value: 3, label: 'EnqueueSuccess' },
  { value: 4, label: 'EnqueueFailure' },
  { value: 5, label: 'Suppressed' },
] as const;

/** `resultStatuses` by name. */
export const resultStatus = { unknown: 0, success: 1, failure: 2, enqueueSuccess: 3, enqueueFailure: 4, suppressed: 5 } as const;

/** Returns the outcome of an execution in a word. A stopped execution is stored as suppressed, with the reason `stopped`. */
export function outcomeLabel({ resultStatusId, resultDetail }: { resultStatusId: number; resultDetail: unknown }): string {
  const { reason } = (resultDetail ?? {}) as { reason?: unknown };
  if (resultStatusId === resultStatus.suppressed && reason === 'stopped') return choiceText('Stopped');
  return choiceText(resultStatuses.find((resultStatus) => resultStatus.value === resultStatusId)?.label ?? String(resultStatusId));
}

/** What a rule does with a further match while the work unit of an earlier match is open, or has ended recently. */
export const recurrences = ['Append', 'Reopen', 'New'] as const;

/** What a rule does when somebody ends a work unit while its match goes on; `Silent`: nothing until the match ends. */
export const whileMatching = ['Reopen', 'New', 'Silent'] as const;

/**
 * What the matches of a rule have in common that become one work unit. `Subject`: rule and subject, so that each subject has a
 * separate work unit.
 */
export const groupings = ['Subject', 'Rule', 'Device', 'Location', 'Subscription', 'Tag', 'Parent'] as const;
export type MatchGrouping = (typeof groupings)[number];

/** How an Aggregation rule groups the entities that it counts: by subscription, location, tag or device type. */
export const countGroups = ['Subscription', 'Location', 'Tag', 'DeviceType'] as const;
export type CountBy = (typeof countGroups)[number];
/** For what an exception of a rule is, the most specific first: of several that fit an entity, the first of this list holds. */
export const exceptionPlaces = ['Device', 'Name', 'Location', 'Tag', 'Subscription', 'Tenant', 'Group'] as const;
export type ExceptionPlace = (typeof exceptionPlaces)[number];

/** Fixed ids of the built-in actions (ACT-032..034). */
export const builtInAction = {
  email: '0197f000-0000-7000-8000-000000000001',
  setColor: '0197f000-0000-7000-8000-000000000002',
  createWorkUnit: '0197f000-0000-7000-8000-000000000003',
  resolveWorkUnit: '0197f000-0000-7000-8000-000000000011',
  changeWorkUnit: '0197f000-0000-7000-8000-000000000012',
  backToNormal: '0197f000-0000-7000-8000-000000000013',
  notify: '0197f000-0000-7000-8000-000000000004',
} as const;

/** Types of blocks; the system creates one `deviceHeartbeat` block per device (BLK-014, BLK-015). */
export const blockTypes = [
  { value: 1, label: 'numeric' },
  { value: 2, label: 'smallText' },
  { value: 8, label: 'deviceHeartbeat' },
] as const;

/** `blockTypes` by name. */
export const blockType = { numeric: 1, smallText: 2, deviceHeartbeat: 8 } as const;

export const blockColors = ['black', 'blue', 'green', 'grey', 'orange', 'red', 'white', 'yellow'] as const;

/** The events of a work unit that run actions of its protocol (PACT-015). */
export const workUnitEventTypes = [
  { value: 1, label: 'OnNew' },
  { value: 2, label: 'OnAcknowledged' },
  { value: 3, label: 'OnHold' },
  { value: 4, label: 'OnResolved' },
  { value: 5, label: 'OnClosed' },
  { value: 6, label: 'OnCanceled' },
  { value: 7, label: 'OnTimer' },
  { value: 8, label: 'OnChange' },
  { value: 9, label: 'OnInProgress' },
  { value: 10, label: 'OnMitigated' },
  // Beyond the specified ones: the steps for OnNew have run out, and nobody has acknowledged.
  { value: 11, label: 'OnUnanswered' },
  // A clock of the service level has warned, or its time is over.
  { value: 12, label: 'OnLevelWarned' },
  { value: 13, label: 'OnLevelBreached' },
] as const;

/** What a protocol does after a step that failed or is late. */
export const afterSteps = ['Continue', 'Stop'] as const;

/** What ends a waiting or repeating step: acknowledging or ending the work unit, only ending the work unit, or nothing. */
export const stopReasons = ['Acknowledged', 'Resolved', 'Never'] as const;
export type StopWhen = (typeof stopReasons)[number];

/** When a step with an on-call schedule runs: at any time, while somebody is on call, or while nobody is. */
export const stepHours = ['Any', 'Covered', 'NotCovered'] as const;
export type StepHours = (typeof stepHours)[number];

/** The event (a value of `workUnitEventTypes`) when a work unit enters a state. */
export const eventOfState: Readonly<Record<WorkUnitState, number>> = {
  New: 1,
  Acknowledged: 2,
  OnHold: 3,
  Resolved: 4,
  Closed: 5,
  Canceled: 6,
  InProgress: 9,
  Mitigated: 10,
};

/** Types of action definitions that protocols and rules may use. */
export const protocolActionTypes: readonly number[] = [1, 2, 4, 5];
export const ruleActionTypes: readonly number[] = [1, 3, 4, 6];

/** Templates of the email action; the last two are for resolution-center requests that are New or Resolved (ACT-037..039). */
export const emailTemplates = [
  'AllClear',
  'CfsInternalWuCommNotification',
  'Detailed',
  'GeneralAlert',
  'None',
  'Rule',
  'Simple',
  'SOCAlert',
  'ResolutionCenterCreated',
  'ResolutionCenterResolved',
] as const;
export type EmailTemplate = (typeof emailTemplates)[number];

export const evidenceKinds = ['Link', 'File', 'Fact'] as const;

export const controlStatusValues = ['Notset', 'Compliant', 'NonCompliant', 'Poam', 'Exempt'] as const;

/** Two bit sums of the `operatingSystems` on which a package runs; 0 is any. */
export const operatingSystemRids = { any: 0, all: 7 } as const;

export const packageTypes = [
  { value: 1, label: 'Watcher' },
  { value: 2, label: 'Command' },
  { value: 3, label: 'ScriptRunner' },
  { value: 4, label: 'AgentLogic' },
  { value: 5, label: 'AgentRunner' },
  { value: 6, label: 'AgentUpdater' },
  { value: 7, label: 'SecuredValue' },
] as const;

export const executableTypes = [
  { value: 1, label: 'Executable' },
  { value: 2, label: 'Script' },
] as const;

export const packageVersionStatuses = [
  { value: 1, label: 'Latest' },
  { value: 2, label: 'Archived' },
  { value: 3, label: 'PreRelease' },
] as const;

/** `packageVersionStatuses` by name. */
export const packageVersionStatus = { latest: 1, archived: 2, preRelease: 3 } as const;

export const operationTypes = [
  { value: 0, label: 'Unknown' },
  { value: 1, label: 'Authentication' },
  { value: 2, label: 'Synthetic' },
  { value: 3, label: 'Availability' },
  { value: 4, label: 'ApiRead' },
  { value: 5, label: 'LocalFileRead' },
  { value: 6, label: 'Metric' },
] as const;

/** The output formats in which an operation's program reports its result (docs/PACKAGES.md). */
export const operationOutputs = ['text', 'json', 'nagios', 'influx', 'prometheus'] as const;
export type OperationOutput = (typeof operationOutputs)[number];

/**
 * The states of a run of an operation. A run in one of the first two states has not ended. Unknown: the check could not look, so it says
 * nothing about what it checks. Refused: the server has not stored the packet with the result.
 */
export const operationRunStatuses = [
  'Queued',
  'Running',
  'Success',
  'Warning',
  'Critical',
  'Unknown',
  'Failed',
  'Refused',
  'TimedOut',
  'Skipped',
  'Interrupted',
  'Dequeued',
  'Expired',
] as const;
export type OperationRunStatus = (typeof operationRunStatuses)[number];

/** What a campaign does on each of its devices. */
export const campaignKinds = [
  'RunOperation',
  'InstallVersion',
  'RemovePackage',
  'RestartAgent',
  'AddOperations',
  'SetTracing',
  'EditTags',
  'Move',
  'ChangeRule',
  'ChangePolicy',
] as const;
export type CampaignKind = (typeof campaignKinds)[number];

/** Kinds that bring a new version of a rule or a policy into force; its row stays unchanged until the last ring. */
export type VersionKind = Extract<CampaignKind, 'ChangeRule' | 'ChangePolicy'>;
export const isVersionKind = (kind: CampaignKind): kind is VersionKind => kind === 'ChangeRule' || kind === 'ChangePolicy';

/** States of a campaign; Stopping while devices that have begun, or that return to their previous state, have not ended. */
export const campaignStates = ['Running', 'Stopping', 'Stopped', 'Done'] as const;

/** The state of a device in a campaign. Waiting, Running and Returning (to the previous version) are not final. */
export const campaignOutcomes = ['Waiting', 'Running', 'Done', 'Failed', 'Stopped', 'Returning', 'Returned'] as const;
export type CampaignOutcome = (typeof campaignOutcomes)[number];

export const operationResultTypes = [
  { value: 1, label: 'Text' },
  { value: 2, label: 'Numeric' },
] as const;

/** `operationResultTypes` by name. */
export const operationResultType = { text: 1, numeric: 2 } as const;

export const frequencyTypes = [
  { value: 1, label: 'OnDemand' },
  { value: 2, label: 'Recurring' },
  { value: 3, label: 'OneTimeKeepAlive' },
] as const;

/** The account that runs a device operation: the agent's, or that of the person signed in at the machine (`isInteractive`). */
export const runModes = [
  { value: 1, label: 'System' },
  { value: 2, label: 'Interactive' },
] as const;

/** `frequencyTypes` by name. */
export const frequencyType = { onDemand: 1, recurring: 2, oneTimeKeepAlive: 3 } as const;

export const parameterSources = [
  { value: 1, label: 'PortalEntry' },
  { value: 2, label: 'EnvironmentVariable' },
  { value: 3, label: 'SecuredValue' },
  { value: 4, label: 'RuntimeConfig' },
] as const;

/** `parameterSources` by name. */
export const parameterSource = { portalEntry: 1, environmentVariable: 2, securedValue: 3, runtimeConfig: 4 } as const;

/** Status of a package on a device that an agent reports; `RolledBack`: the previous version is in use again. */
export const reportedInstallStatuses = [
  'Downloading',
  'Verifying',
  'Installing',
  'Checking',
  'Installed',
  'InstallFailed',
  'RolledBack',
  'Uninstalling',
  'UninstallFailed',
  'Removed',
] as const;

/** Status of a package on a device: not installed, to install, as the agent reports, to remove. Removing deletes the row. */
export const installStatuses = [
  'AvailableForInstall',
  'InstallPending',
  ...reportedInstallStatuses.filter((status) => status !== 'Removed'),
  'UninstallPending',
] as const;
export type InstallStatus = (typeof installStatuses)[number];

/** Choices for minutes of tracing; -1 leaves tracing unchanged, 0 ends tracing (DEV-039). */
export const traceMinutes = [-1, 0, 10, 30, 60, 240, 480, 1_440] as const;

export const logEntryTypes = ['Information', 'Warning', 'Error', 'Trace'] as const;

/** Returns the label of a value; `Unknown` when no choice has the value. */
export function labelOf(choices: readonly { value: number; label: string }[], value: number): string {
  return choiceText(choices.find((choice) => choice.value === value)?.label ?? 'Unknown');
}
