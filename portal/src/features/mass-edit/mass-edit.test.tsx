import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const unit = (workUnitId: number, more: object = {}) => ({
  workUnitId,
  publicWorkUnitId: 1000 + workUnitId,
  title: `Pump ${workUnitId}`,
  severityId: 'Sev1',
  stateId: 'Acknowledged',
  description: null,
  effort: null,
  workUnitTypeId: 1,
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  tenant: { tenantId, name: 'Northwind Energy' },
  tenantId,
  assignedTo: null,
  created: '2026-11-21T10:00:00Z',
  modified: '2026-11-21T10:00:00Z',
  ...more,
});
const both = [unit(7), unit(8, { stateId: 'New' })];

/** Answers each edit with the edited row. */
const saves = ({ body }: ApiCall) => ({
  value: (body as { id: number; newState?: object }[]).map(({ id, newState }) => ({ ...unit(id), ...newState })),
});
const patches = (calls: readonly ApiCall[]) => calls.filter((call) => call.method === 'PATCH').map((call) => call.body);

beforeEach(() => localStorage.clear());
/** `7.1` in the address stands for the units 7 and 8. */
const open = (more: Answers = {}, address = '/workunitsv2?f=&massEdit=7.1') =>
  renderApp(address, { 'GET /v1/workUnits': list(both), 'PATCH /v1/workUnits': saves, ...more });

async function choose(field: string, value: string) {
  const empty = (await screen.findAllByLabelText(/^Field\b/)).find((box) => (box as HTMLSelectElement).value === '') as HTMLElement;
  const option = within(empty).getByRole<HTMLOptionElement>('option', { name: field });
  fireEvent.change(empty, { target: { value: option.value } });
  fireEvent.change(screen.getByLabelText(new RegExp(`^New value of ${field}`)), { target: { value } });
}
const save = (n: number) => fireEvent.click(screen.getByRole('button', { name: n === 1 ? 'Save 1 work unit' : `Save ${n} work units` }));

it('the actions menu opens the mass edit of the ticked rows, of all pages', async () => {
  const { search } = await open({}, '/workunitsv2?f=');
  fireEvent.click(await proves('[GRID-006] has the menu', () => screen.findByRole('button', { name: 'Actions' })));
  const entry = await proves('[WU-035] has the entry', () => screen.findByRole('menuitem', { name: 'Mass Edit' }));
  await proves('[WU-036] waits for a tick', () => expect(entry.getAttribute('aria-disabled')).toBe('true'));
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select Pump 7' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select Pump 8' }));
  fireEvent.click(screen.getByRole('button', { name: 'Actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Mass Edit' }));
  await proves('[MASS-001] opens for all of them', () => screen.findByRole('dialog', { name: 'Mass Edit: 2 work units' }));
  expect(search().get('massEdit')).toBe('7.1');
});

it('warns before units are ended whose matches are open', async () => {
  const match = {
    ruleMatchId: 'm',
    workUnitId: 7,
    label: 'Disk full',
    lastMatch: new Date().toISOString(),
    opensAgainAt: null,
    rule: { name: 'Disk full', enabled: true, whileMatching: 'Reopen', reopenAfter: '00:05:00' },
  };
  const { calls } = await open({ 'GET /v1/unitMatches': list([match]) });
  await choose('State', 'Canceled');
  const warning = await screen.findByText('The fault still holds:');
  expect(warning.parentElement?.textContent).toContain('the rule Disk full matched');
  expect(calls.find((call) => call.path === '/v1/unitMatches')?.query.get('$filter')).toBe("workUnitId in (7,8) and state eq 'Open'");
});

it('[MASS-001][MASS-011] saves what differs, tested against what it was, and offers one undo for the whole', async () => {
  const { calls, search } = await open();
  await choose('Severity', 'Sev3');
  fireEvent.click(screen.getByRole('button', { name: 'Add field' }));
  await choose('State', 'Acknowledged');
  save(2);
  await screen.findByText('2 work units updated.');
  expect(search().get('massEdit')).toBeNull();
  expect(patches(calls)).toEqual([
    [
      { id: 7, previousState: { severityId: 'Sev1' }, newState: { severityId: 'Sev3' } },
      {
        id: 8,
        previousState: { severityId: 'Sev1', stateId: 'New' },
        newState: { severityId: 'Sev3', stateId: 'Acknowledged' },
      },
    ],
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Mass edit undone for 2 work units.');
  expect(patches(calls)[1]).toEqual([
    {
      id: 7,
      patch: [
        { op: 'test', path: '/severityId', value: 'Sev3' },
        { op: 'replace', path: '/severityId', value: 'Sev1' },
      ],
    },
    {
      id: 8,
      patch: [
        { op: 'test', path: '/severityId', value: 'Sev3' },
        { op: 'replace', path: '/severityId', value: 'Sev1' },
        { op: 'test', path: '/stateId', value: 'Acknowledged' },
        { op: 'replace', path: '/stateId', value: 'New' },
      ],
    },
  ]);
});

it('the undo leaves alone what somebody else changed since', async () => {
  let undone = 0;
  const conflict = refused(409, "The current value 'Sev0' at path 'severityId' is not equal to the test value 'Sev3'.", [
    { code: 'TestFailed', target: '8/severityId', message: 'x' },
  ]);
  const { calls } = await open({
    'PATCH /v1/workUnits': (call: ApiCall) => {
      if (!JSON.stringify(call.body).includes('"patch"')) return saves(call);
      undone += 1;
      return undone === 1 ? conflict() : { value: [] };
    },
  });
  await choose('Severity', 'Sev3');
  save(2);
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText('Mass edit undone for 1 work unit.');
  await screen.findByText('Changed by somebody else since, and left as they are: #1008.');
  expect((patches(calls).at(-1) as { id: number }[]).map(({ id }) => id)).toEqual([7]);
});

it('says of each refused unit why, saves none, and saves the others when they are left out', async () => {
  const reason = 'A New work unit can only become Acknowledged or Canceled, not Resolved.';
  const { calls, search } = await open({
    'PATCH /v1/workUnits': (call: ApiCall) =>
      (call.body as { id: number }[]).some(({ id }) => id === 8)
        ? refused(400, reason, [{ code: 'ValidationFailed', target: '8/stateId', message: reason }])()
        : saves(call),
  });
  await choose('State', 'Resolved');
  save(2);
  await proves('[ERR-061] says that it failed', () => screen.findByText('Failed to update Work Units.'));
  await proves('[ERR-057] says why, and to refresh', () => {
    const row = within(screen.getByRole('region', { name: 'Selected work units' }))
      .getByText(reason)
      .closest('li') as HTMLElement;
    expect(within(row).getByText('Pump 8')).toBeTruthy();
    expect(screen.getByText(`${reason} Please refresh the Work Units and try again.`, { exact: false })).toBeTruthy();
  });
  expect(screen.getByLabelText<HTMLSelectElement>(/^New value of State/).value).toBe('Resolved');
  fireEvent.click(screen.getByRole('button', { name: 'Leave out 1 and save 1' }));
  await screen.findByText('1 work unit updated.');
  expect((patches(calls)[1] as { id: number }[]).map(({ id }) => id)).toEqual([7]);
  expect(search().get('massEdit')).toBeNull();
});

it('[ERR-056] a conflict offers to read the units again', async () => {
  const { calls } = await open({
    'PATCH /v1/workUnits': refused(409, "The current value 'x' at path 'title' is not equal to the test value 'y'.", [
      { code: 'TestFailed', target: '7/title', message: 'x' },
    ]),
  });
  await choose('Title', 'One name for all');
  save(2);
  await screen.findByText(/^One of the Work Units was modified by another user/);
  expect(screen.getByText('Title was changed by somebody else.')).toBeTruthy();
  const before = calls.length;
  fireEvent.click(screen.getByRole('button', { name: 'Refresh the Work Units' }));
  await waitFor(() => expect(calls.slice(before).some((call) => call.query.get('$filter') === 'workUnitId in (7,8)')).toBe(true));
  await waitFor(() => expect(screen.queryByText('Title was changed by somebody else.')).toBeNull());
});

it('[MASS-002][MASS-004] refuses a field twice and a required one that is empty', async () => {
  const { calls } = await open();
  await choose('Title', 'Pump');
  fireEvent.change(screen.getByLabelText(/^New value of Title/), { target: { value: '' } });
  save(2);
  await screen.findByText('Title is required.');
  fireEvent.change(screen.getByLabelText(/^New value of Title/), { target: { value: 'Pump' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add field' }));
  fireEvent.change(screen.getAllByLabelText(/^Field\b/)[1] as HTMLElement, { target: { value: 'title' } });
  await screen.findByText('This field is already being edited.');
  save(2);
  expect(patches(calls)).toEqual([]);
});

it('[MASS-003] units of different types cannot be saved; those of one type can be kept', async () => {
  const change = unit(9, { workUnitTypeId: 2, workUnitType: { workUnitTypeId: 2, name: 'Change Request' } });
  await open({ 'GET /v1/workUnits': list([unit(7), change]) }, '/workunitsv2?f=&massEdit=7.2');
  await choose('Severity', 'Sev3');
  screen.getByText('The selected work units are of different types. A mass edit needs one type.');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save 2 work units' }).disabled).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Keep 1 Incident' }));
  await screen.findByRole('dialog', { name: 'Mass Edit: 1 work unit' });
  expect(screen.getByLabelText<HTMLSelectElement>(/^New value of Severity/).value).toBe('Sev3');
  save(1);
  await screen.findByText('1 work unit updated.');
});

it('[MASS-013][MASS-014] state begins as New, severity as Sev0', async () => {
  await open();
  const field = await screen.findByLabelText(/^Field\b/);
  fireEvent.change(field, { target: { value: 'stateId' } });
  expect(screen.getByLabelText<HTMLSelectElement>(/^New value of State/).value).toBe('New');
  fireEvent.change(field, { target: { value: 'severityId' } });
  expect(screen.getByLabelText<HTMLSelectElement>(/^New value of Severity/).value).toBe('Sev0');
});

it('what is too much for one call goes in parts, with progress, and can be stopped', async () => {
  const long = 'x'.repeat(200_000);
  let answer: () => void = () => undefined;
  await open({
    'GET /v1/workUnits': list([unit(7, { description: long }), unit(8, { description: long })]),
    'PATCH /v1/workUnits': (call: ApiCall) =>
      new Promise((resolve) => {
        answer = () => resolve(saves(call));
      }),
  });
  await choose('Description', 'Short');
  save(2);
  await screen.findByText('0 of 2 saved');
  screen.getByRole('progressbar', { name: 'Mass Edit: 2 work units' });
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  answer();
  await screen.findByText('Stopped: 1 of 2 saved.');
  fireEvent.click(screen.getByRole('button', { name: 'Close panel' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  // Units that were saved before the person stopped the run can be undone too.
  await screen.findByText('1 work unit updated.');
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
});

it('asks before what was chosen is lost', async () => {
  const { search } = await open();
  await choose('Effort', '5');
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  fireEvent.click(screen.getByRole('button', { name: 'No' }));
  expect(search().get('massEdit')).toBe('7.1');
});
