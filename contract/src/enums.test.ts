import { describe, expect, it } from 'vitest';
import {
  activityTypes,
  communicationStatuses,
  reportTypes,
  scopes,
  severities,
  severityOfScope,
  sources,
  workUnitStates,
} from './enums.ts';

describe('the choices of a work unit are spelled as the specification does', () => {
  it('[WU-094] sources', () => {
    expect(sources).toEqual(['Email', 'Phone', 'Chat', 'Other', 'Spam']);
  });

  it('[WU-095] scopes', () => {
    expect(scopes).toEqual(['SingleUser', 'SystemWide', 'ManyUsers', 'VIPUser']);
  });

  it('[WU-096] severities', () => {
    expect(severities).toEqual(['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4']);
  });

  it('[WU-097] states', () => {
    expect(workUnitStates).toEqual(['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed', 'Canceled']);
  });
});

describe('the severity of an intake', () => {
  it('[INTK-036] [INTK-037] is the second for all and for important people', () => {
    expect(['SystemWide', 'VIPUser'].map(severityOfScope)).toEqual(['Sev1', 'Sev1']);
  });

  it('[INTK-038] [INTK-039] is the third for many people and the fourth for one', () => {
    expect(['ManyUsers', 'SingleUser'].map(severityOfScope)).toEqual(['Sev2', 'Sev3']);
  });

  it('[INTK-040] is the fifth for any other scope', () => {
    expect(severityOfScope('')).toBe('Sev4');
  });
});

describe('the choices of a communication are spelled as the specification does', () => {
  it('[COMM-022] [COMM-023] types of activities', () => {
    expect(activityTypes).toEqual(['TaskActivity', 'ResolutionActivity']);
  });

  it('[COMM-024] statuses', () => {
    expect(communicationStatuses.map((s) => s.label)).toEqual([
      'Investigating (Open)',
      'ConfirmedImpact',
      'ServiceRestored',
      'Cancelled (Closed)',
      'Resolved (Closed)',
    ]);
  });

  it('[COMM-027] types of reports', () => {
    expect(reportTypes).toEqual(['ExternalReport', 'InternalReport']);
  });
});
