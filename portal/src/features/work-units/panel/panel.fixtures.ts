/** Rows that the tests of the panel show, and helpers of these tests. */
import { list, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

export const incident = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway east-07 is silent',
  description: null,
  resolution: null,
  severityId: 'Sev1',
  stateId: 'Acknowledged',
  assignedTo: 'jonas@northwind.example',
  assignmentGroup: 'Network',
  tenantId,
  workUnitTypeId: 1,
  workUnitCategoryId: null,
  workUnitSubcategoryId: null,
  protocolId: null,
  source: null,
  effort: null,
  isApproverRequired: true,
  isSpamCall: false,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  relations: [] as unknown[],
  properties: null as string | null,
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'System',
};

export const change = {
  ...incident,
  stateId: 'New',
  assignedTo: null,
  title: 'New firmware',
  workUnitTypeId: 2,
  workUnitType: { workUnitTypeId: 2, name: 'Change Request' },
  implementationPlan: 'Flash it.',
  rollbackPlan: 'Flash the other.',
  affectedResources: 'Gateways',
  environment: 'Production',
  expectedCFSAlerts: 'None',
  plannedStartTime: '2026-12-05T20:00:00Z',
  plannedFinishTime: '2026-12-05T22:00:00Z',
  resolution: 'Done.',
  approver1: 'mara@northwind.example',
  approver2: 'second@northwind.example',
  approved1By: null as string | null,
  approved2By: null as string | null,
  declined1By: null as string | null,
  declined2By: null as string | null,
  decision1Notes: null as string | null,
  decision2Notes: null as string | null,
  approvalOverriddenBy: null as string | null,
};

/** Answers for a panel with this unit. */
export function answersFor(unit: object, more: Answers = {}): Answers {
  return {
    'GET /v1/workUnits': list([unit]),
    'GET /v1/workUnits(7)': unit,
    'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': { value: [] },
    'GET /v1/workunits/7/pendingActions': { waiting: 0, protocolName: null, manualActions: null, value: [] },
    'GET /v1/notifications': list([]),
    'GET /v1/plannedSteps': list([]),
    'GET /v1/actionHistories': list([]),
    'PATCH /v1/workUnits/7': unit,
    ...more,
  };
}

/** Calls whose path ends with the text, because other parts of the page make calls, too. */
export function sentTo(calls: readonly ApiCall[], path: string, method = 'POST'): readonly ApiCall[] {
  return calls.filter((call) => call.method === method && call.path.endsWith(path));
}

/** Imports the page and its panel, which load on first use. */
export async function loadPanel(): Promise<void> {
  await Promise.all([import('../work-units-page.tsx'), import('./work-unit-panel.tsx')]);
}
