/** Enumerations of the spec; numbers and spellings are contracts. */

export const severities = ['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4'] as const;

export const workUnitStates = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed', 'Canceled'] as const;
export type WorkUnitState = (typeof workUnitStates)[number];

export const sources = ['Email', 'Phone', 'Chat', 'Other', 'Spam'] as const;
export const experienceScores = ['Great', 'Average', 'Poor'] as const;
export const efforts = [1, 2, 3, 5, 8, 13] as const;

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

/** Rule types that this version evaluates; others are kept but cannot be enabled. */
export const evaluatedRuleTypes = { ingestion: 1, maintenance: 5 } as const;

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

/** Fixed ids of the built-in actions (ACT-032..034). */
export const builtInAction = {
  email: '0197f000-0000-7000-8000-000000000001',
  setColor: '0197f000-0000-7000-8000-000000000002',
  createWorkUnit: '0197f000-0000-7000-8000-000000000003',
} as const;
