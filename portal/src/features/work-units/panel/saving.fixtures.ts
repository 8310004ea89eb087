/** A unit, and a fake server that stores it while the page under test and other people change it. */
import { fireEvent, screen } from '@testing-library/react';
import { queryClient } from '../../../api/query-client.ts';
import { refused, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

export const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway is silent',
  description: 'Nobody knows why.',
  severityId: 'Sev1',
  stateId: 'InProgress',
  assignedTo: null,
  tenantId,
  workUnitTypeId: 1,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  relations: [],
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'tom@northwind.example',
};
export const conflictText = 'This Work Unit was modified by another user. Please discard your changes without saving and refresh it.';

/** The unit that the fake server stores. Tests change it in the name of somebody else. */
export const server = { unit: { ...unit } as Record<string, unknown> };

export function startAfresh(): void {
  localStorage.clear();
  sessionStorage.clear();
  server.unit = { ...unit };
}

/** Evaluates `test` operations as the server does. */
export function patch(call: ApiCall): unknown {
  const operations = call.body as { op: string; path: string; value: unknown }[];
  for (const { op, path, value } of operations) {
    const name = path.slice(1);
    if (op === 'test' && (server.unit[name] ?? null) !== value)
      return refused(
        409,
        `The current value '${String(server.unit[name])}' at path '${name}' is not equal to the test value '${String(value)}'.`,
      )();
    if (op === 'replace') server.unit = { ...server.unit, [name]: value };
  }
  return server.unit;
}

export const answers = (): Answers => ({
  'GET /v1/workUnits(7)': () => Response.json(server.unit),
  'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': { value: [] },
  'PATCH /v1/workUnits/7': patch,
});
const address = '/workunitsv2?workUnitId=7';
export const open = (more: Answers = {}) => renderApp(address, { ...answers(), ...more });
export const field = (label: string) =>
  screen.findByLabelText<HTMLInputElement>(new RegExp(`^${label}`), { selector: 'input, textarea, select' });
export const type = async (label: string, value: string) => fireEvent.change(await field(label), { target: { value } });
export const save = () => fireEvent.click(screen.getByRole('button', { name: 'Save' }));
/** Simulates a change by somebody else: refetches, as an event of the stream of changes does. */
export const elseChanges = async (change: Record<string, unknown>) => {
  server.unit = { ...server.unit, ...change };
  await queryClient.invalidateQueries({ queryKey: ['workUnits'] });
};
