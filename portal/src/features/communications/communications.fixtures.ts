/** A communication with its steps and its work unit, and how the tests open it. */
import { screen, within } from '@testing-library/react';
import { list, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

export const soon = new Date(Date.now() + 3_600_000).toISOString();
export const mail = {
  workUnitCommunicationId: 7,
  publicWorkUnitCommunicationId: 1001,
  title: 'Mail is down',
  tenantId,
  tenant: { name: 'Northwind Energy' },
  serviceManager: 'ann@example.com',
  status: 'ConfirmedImpact',
  details: 'Nobody can send.',
  customerAssistanceRequired: false,
  rootCause: null,
  eventStarted: '2026-05-01T08:00:00.000Z',
  eventEngaged: null,
  eventMitigated: null,
  eventResolved: null,
  nextUpdate: soon,
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
  workUnits: [],
  workUnitCommunicationActivities: [],
};
export const step = (id: number, details: string, isComplete: boolean) => ({
  workUnitCommunicationActivityId: id,
  workUnitCommunicationId: 7,
  activityType: isComplete ? 'ResolutionActivity' : 'TaskActivity',
  details,
  isCustomerFacing: isComplete,
  isComplete,
  completed: isComplete ? '2026-05-01T08:20:00.000Z' : null,
  tenantId,
  created: '2026-05-01T08:10:00.000Z',
  createdBy: 'ann@example.com',
  modified: '2026-05-01T08:10:00.000Z',
});
export const steps = [step(1, 'The queue was stopped.', true), step(2, 'Call the plumber.', false)];
const pump = { workUnitRelationId: 3, workUnitId: 70, publicWorkUnitId: 1007, title: 'Pump', severityId: 'Sev1', stateId: 'New' };
export const answers: Answers = {
  'GET /v1/workUnitCommunications': list([mail]),
  'GET /v1/workUnitCommunicationActivities': list(steps),
  'GET /v1/communicationWorkUnits': list([pump]),
};
export const address = `/${tenantId}/workunitcommunications`;
export const open = `${address}?publicWuCommId=1001`;
export const queries = (calls: readonly ApiCall[], path = '/v1/workUnitCommunications') =>
  calls.findLast((call) => call.method === 'GET' && call.path === path);
export const panelOf = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
export const inSearch = (model: Record<string, unknown>) => `${address}?search=${encodeURIComponent(JSON.stringify(model))}`;
