import { expect, it } from 'vitest';
import { communicationReport } from './report.ts';

const communication = {
  workUnitCommunicationId: 1,
  publicWorkUnitCommunicationId: 1001,
  title: 'Mail is down',
  tenantId: '00000000-0000-4000-8000-000000000001',
  serviceManager: 'ann@example.com',
  status: 'ConfirmedImpact' as const,
  details: 'Nobody can send.',
  customerAssistanceRequired: false,
  rootCause: 'A worn seal',
  eventStarted: '2026-05-01T08:00:00.000Z',
  eventEngaged: null,
  eventMitigated: null,
  eventResolved: null,
  nextUpdate: '2026-05-01T09:00:00.000Z',
  nextInternalUpdate: null,
  maximumImpact: null,
  currentImpact: 'All of Oslo',
  impactedServices: 'Mail',
  internalBridge: 'https://meet.example.com/1',
  created: '2026-05-01T08:00:00.000Z',
  createdBy: 'ann@example.com',
  modified: '2026-05-01T08:00:00.000Z',
  userChanged: '2026-05-01T08:00:00.000Z',
  userChangedBy: 'ann@example.com',
};
const activities = [
  { details: 'We told you.', isComplete: true, isCustomerFacing: true },
  { details: 'Call the plumber.', isComplete: false, isCustomerFacing: false },
];
const report = (type: 'ExternalReport' | 'InternalReport') =>
  communicationReport(type, communication, 'Fjord Power', activities, [{ publicWorkUnitId: 1007, title: 'Pump', stateId: 'New' }]);

it('[COMM-013] tells customers what is meant for them, and staff all of it', () => {
  expect(report('ExternalReport')).toEqual({
    subject: 'WUCOMM #1001: Mail is down - ConfirmedImpact',
    text: 'Nobody can send.\n\nStatus: ConfirmedImpact\nCustomer: Fjord Power\nImpacted services: Mail\nCurrent impact: All of Oslo\nEvent started: 2026-05-01 08:00 UTC\nCustomer assistance required: No\nNext update: 2026-05-01 09:00 UTC\n\nPast steps\n- We told you.',
  });
  const { text } = report('InternalReport');
  for (const part of [
    'Root cause: A worn seal',
    'Internal bridge: https://meet.example.com/1',
    'Next steps\n- Call the plumber.',
    '- #1007 Pump (New)',
  ])
    expect(text).toContain(part);
});
