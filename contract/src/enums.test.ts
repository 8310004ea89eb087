import { expect, it } from 'vitest';
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

it('[WU-094] [WU-095] [WU-096] [WU-097] spells the choices of a work unit as the specification does', () => {
  expect(sources).toEqual(['Email', 'Phone', 'Chat', 'Other', 'Spam']);
  expect(scopes).toEqual(['SingleUser', 'SystemWide', 'ManyUsers', 'VIPUser']);
  expect(severities).toEqual(['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4']);
  expect(workUnitStates).toEqual(['New', 'Acknowledged', 'InProgress', 'OnHold', 'Mitigated', 'Resolved', 'Closed', 'Canceled']);
});

it('[INTK-036] [INTK-037] [INTK-038] [INTK-039] [INTK-040] takes the severity of an intake from its scope', () => {
  expect(['SystemWide', 'VIPUser', 'ManyUsers', 'SingleUser', ''].map(severityOfScope)).toEqual(['Sev1', 'Sev1', 'Sev2', 'Sev3', 'Sev4']);
});

it('[COMM-022] [COMM-023] [COMM-024] [COMM-027] spells the choices of a communication as the specification does', () => {
  expect(communicationStatuses.map((s) => s.label)).toEqual([
    'Investigating (Open)',
    'ConfirmedImpact',
    'ServiceRestored',
    'Cancelled (Closed)',
    'Resolved (Closed)',
  ]);
  expect(activityTypes).toEqual(['TaskActivity', 'ResolutionActivity']);
  expect(reportTypes).toEqual(['ExternalReport', 'InternalReport']);
});
