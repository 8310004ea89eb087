import { expect, it } from 'vitest';
import { communicationReport, type ReportSource } from './report.ts';
import { reportSpan, reportTime } from './report-time.ts';

const communication: ReportSource['communication'] = {
  workUnitCommunicationId: 1,
  publicWorkUnitCommunicationId: 1001,
  title: 'Mail is down',
  tenantId: '00000000-0000-4000-8000-000000000001',
  serviceManager: 'ann@example.com',
  status: 'ConfirmedImpact',
  details: 'Nobody can send.',
  customerAssistanceRequired: false,
  rootCause: 'A worn seal',
  eventStarted: '2026-05-01T08:00:00.000Z',
  eventEngaged: '2026-05-01T08:12:00.000Z',
  eventMitigated: null,
  eventResolved: null,
  nextUpdate: '2026-05-01T09:00:00.000Z',
  nextInternalUpdate: null,
  maximumImpact: null,
  currentImpact: 'All of Oslo',
  impactedServices: 'Mail',
  isPublic: false,
  internalBridge: 'https://meet.example.com/1',
  created: '2026-05-01T08:00:00.000Z',
  createdBy: 'ann@example.com',
  modified: '2026-05-01T08:00:00.000Z',
  userChanged: '2026-05-01T08:30:00.000Z',
  userChangedBy: 'ann@example.com',
};
const step = { completed: null, created: '2026-05-01T08:10:00.000Z', isCustomerFacing: false, isComplete: false };
const source: ReportSource = {
  communication,
  tenantName: 'Fjord Power',
  activities: [
    { ...step, workUnitCommunicationActivityId: 3, details: 'Call the plumber.' },
    { ...step, workUnitCommunicationActivityId: 2, details: 'Mail moves to the second site.', isCustomerFacing: true },
    {
      ...step,
      workUnitCommunicationActivityId: 1,
      details: 'The queue was stopped.',
      isCustomerFacing: true,
      isComplete: true,
      completed: '2026-05-01T08:20:00.000Z',
    },
  ],
  workUnits: [{ publicWorkUnitId: 1007, title: 'Pump', stateId: 'New', severityId: 'Sev1', assignedTo: 'bo@example.com' }],
  nameOf: (userName) => (userName === 'ann@example.com' ? 'Ann Berg' : userName),
};
const report = (type: 'ExternalReport' | 'InternalReport', change: Partial<ReportSource['communication']> = {}, zone?: string) =>
  communicationReport(type, { ...source, communication: { ...communication, ...change } }, zone);

it('[COMM-013] [COMM-027] tells customers what is meant for them', () => {
  expect(report('ExternalReport')).toMatchObject({ subject: 'WUCOMM #1001: Mail is down - ConfirmedImpact' });
  expect(report('ExternalReport').text).toBe(`Dear Fjord Power team,

We have confirmed that the event described below affects the services named in this report. Restoring them is our priority.

AT A GLANCE
Reference: WUCOMM #1001
Status: Impact confirmed
Services affected: Mail
Event started: 1/May/2026 08:00 UTC
Next update: 1/May/2026 09:00 UTC

WHAT HAPPENED
Nobody can send.

IMPACT
Current impact: All of Oslo

WHAT WE HAVE DONE
- 1/May/2026 08:20 UTC: The queue was stopped.

WHAT HAPPENS NEXT
- Mail moves to the second site.
You will receive the next update by 1/May/2026 09:00 UTC, sooner if the situation changes.

WHAT WE NEED FROM YOU
No action is needed from you at this time.

If you have questions about this event, please contact your service desk and quote WUCOMM #1001.`);
});

it('[COMM-013] [COMM-027] tells staff all of it, a summary first', () => {
  expect(report('InternalReport').text).toBe(`Internal report: do not forward to customers.

Impact confirmed: event at Fjord Power, since 1/May/2026 08:00 UTC. The next customer update is due by 1/May/2026 09:00 UTC.

AT A GLANCE
Reference: WUCOMM #1001
Status: Impact confirmed
Customer: Fjord Power
Services affected: Mail
Service manager: Ann Berg
Internal bridge: https://meet.example.com/1
Customer assistance required: No
Last updated: 1/May/2026 08:30 UTC by Ann Berg

WHAT HAPPENED
Nobody can send.

IMPACT
Current impact: All of Oslo

ROOT CAUSE
A worn seal

TIMELINE
Event started: 1/May/2026 08:00 UTC
Event engaged: 1/May/2026 08:12 UTC (after 12 min)
Next customer update: 1/May/2026 09:00 UTC

PAST STEPS
- 1/May/2026 08:20 UTC: The queue was stopped. (customer-facing)

NEXT STEPS
- Mail moves to the second site. (customer-facing)
- Call the plumber.

RELATED WORK UNITS
- #1007 Pump (Sev1, New, bo@example.com)`);
});

it('keeps what is internal from customers in every status, and the root cause until it is resolved', () => {
  for (const status of ['Investigating', 'ConfirmedImpact', 'ServiceRestored', 'Cancelled', 'Resolved'] as const) {
    const { text } = report('ExternalReport', { status });
    for (const secret of ['ann@example.com', 'meet.example.com', 'plumber', '#1007'])
      expect([status, text.includes(secret)]).toEqual([status, false]);
    expect([status, text.includes('A worn seal')]).toEqual([status, status === 'Resolved']);
    expect([status, text.includes('next update')]).toEqual([status, status !== 'Resolved' && status !== 'Cancelled']);
  }
});

it('asks customers for what it needs of them', () => {
  expect(report('ExternalReport', { customerAssistanceRequired: true }).text).toContain(
    'Please contact your service desk and quote WUCOMM #1001.',
  );
  expect(report('InternalReport', { customerAssistanceRequired: true }).text).toContain('Customer assistance is required.');
});

it('[SHELL-083] writes dates as D/MMM/YYYY HH:mm z, in the zone that is asked for', () => {
  expect(reportTime('2026-11-03T04:05:00.000Z', 'UTC')).toBe('3/Nov/2026 04:05 UTC');
  expect(reportTime('2026-11-03T04:05:00.000Z', 'America/New_York')).toBe('2/Nov/2026 23:05 EST');
  expect(reportTime('2026-11-03T00:05:00.000Z', 'UTC')).toBe('3/Nov/2026 00:05 UTC');
  expect(reportTime('2026-11-03T07:30:00.000Z', 'Europe/Berlin', 'de')).toBe('3. Nov. 2026, 08:30 MEZ');
  expect(report('ExternalReport', {}, 'America/New_York').text).toContain('Event started: 1/May/2026 04:00 EDT');
});

it('says spans in two units at most', () => {
  const from = '2026-05-01T08:00:00.000Z';
  expect(['08:05', '09:00', '10:30'].map((at) => reportSpan(from, `2026-05-01T${at}:00.000Z`))).toEqual(['5 min', '1 h', '2 h 30 min']);
  expect(reportSpan(from, '2026-05-03T11:00:00.000Z')).toBe('2 d 3 h');
  expect(reportSpan(from, '2026-05-01T07:00:00.000Z')).toBeNull();
});
