import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId } from '../../testing/render-app.tsx';

const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway east-07 is silent',
  severityId: 'Sev1',
  stateId: 'New',
  assignedTo: null,
  tenantId,
  workUnitTypeId: 1,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  relations: [],
  properties: null,
  effort: null,
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'System',
};
const calm = { ...unit, workUnitId: 8, publicWorkUnitId: 1008, title: 'Spam Call', severityId: 'Sev4', stateId: 'Resolved' };
const answers = {
  'GET /v1/workUnits': list([unit, calm]),
  'GET /v1/workUnits(7)': unit,
  'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': { value: [] },
  'PATCH /v1/workunits/7': { ...unit, stateId: 'Acknowledged' },
};

beforeEach(() => localStorage.clear());
const open = (address = '/workunitsv2', more = {}) => renderApp(address, { ...answers, ...more });

it('[WU-003] has the columns', async () => {
  await open();
  await screen.findByText(unit.title);
  const names = screen.getAllByRole('columnheader').map((cell) => cell.textContent.replace(/\d$/, ''));
  for (const name of [
    'ID',
    'Tenant',
    'Title',
    'Severity',
    'State',
    'Assigned To',
    'Stakeholder Name',
    'Stakeholder Phone',
    'Stakeholder Email',
    'Last Updated',
    'Created',
    'Work Unit Type',
    'Assignment Group',
  ]) {
    expect(names).toContain(name);
  }
});

it('[WU-004][WU-014][WU-050] a click on the title opens the unit and names it in the address', async () => {
  const { search } = await open();
  fireEvent.click(await screen.findByRole('link', { name: unit.title }));
  await screen.findByRole('dialog', { name: 'Edit Work Unit #1007: Gateway east-07 is silent' });
  expect(search().get('workUnitId')).toBe('7');
});

it('[WU-005][WU-101][WU-102][WU-103][WU-104] (ack) acknowledges for the person and opens the unit', async () => {
  const { calls } = await open();
  const link = await screen.findByRole('button', { name: /\(ack\)/ });
  expect(within(link.closest('tr') as HTMLElement).getByText(unit.title)).toBeTruthy();
  expect(screen.getAllByRole('button', { name: /\(ack\)/ })).toHaveLength(1);
  fireEvent.click(link);
  await screen.findByText('Work unit #1007 acknowledged.');
  expect(calls.find((call) => call.method === 'PATCH')).toMatchObject({
    path: '/v1/workunits/7',
    body: [
      { op: 'test', path: '/stateId', value: 'New' },
      { op: 'replace', path: '/stateId', value: 'Acknowledged' },
      { op: 'test', path: '/assignedTo', value: null },
      { op: 'replace', path: '/assignedTo', value: 'mara@northwind.example' },
    ],
  });
  await screen.findByRole('dialog', { name: /Edit Work Unit #1007/ });
});

it('[WU-006][WU-007] colours severities but the fifth', async () => {
  await open();
  // In its column, and in the line that a phone shows below the title.
  for (const mark of await screen.findAllByText('Sev1')) expect(mark.className).toContain('Sev1');
  for (const mark of await screen.findAllByText('Sev4')) expect(mark.className).toBe('sev Sev4');
});

it('[WU-029][WU-030] the create menu singles out Incident, Change Request and Intake, Legacy left out and Request relabelled', async () => {
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  await screen.findByRole('menuitem', { name: 'Incident' });
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Incident', 'Change Request', 'Intake', 'User Request']);
});

it('[WU-032][WU-033][WU-034][WU-049][WU-132][WU-135] creates a blank item of the chosen type', async () => {
  const { calls } = await open('/workunitsv2', {
    'PUT /v1/workunits': { ...unit, workUnitId: 9 },
    'GET /v1/workUnits(9)': { ...unit, workUnitId: 9 },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'User Request' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Create Work Unit' }));
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'A new laptop' } });
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await screen.findByText('Successfully created work unit.');
  expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({
    workUnitId: -1,
    title: 'A new laptop',
    severityId: 'Sev0',
    stateId: 'New',
    workUnitTypeId: 3,
    tenantId,
  });
});

it('[SHELL-061][SHELL-062][SHELL-063] asks before unsaved changes are lost', async () => {
  const { search } = await open('/workunitsv2?workUnitId=7');
  fireEvent.change(await screen.findByLabelText(/^Title/), { target: { value: 'Another title' } });
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  fireEvent.click(screen.getByRole('button', { name: 'No' }));
  expect(search().get('workUnitId')).toBe('7');
  expect(screen.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Another title');
  await waitFor(() => expect(screen.queryByText('There are unsaved changes. Are you sure you want to close?')).toBeNull());
  fireEvent.keyDown(document.body, { key: 'Escape' });
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(search().get('workUnitId')).toBeNull());
});

it('[ERR-051] a conflict keeps what was typed and says what to do', async () => {
  await open('/workunitsv2?workUnitId=7', {
    'PATCH /v1/workunits/7': refused(409, "The current value 'x' at path 'title' is not equal to the test value 'y'."),
  });
  fireEvent.change(await screen.findByLabelText(/^Title/), { target: { value: 'Another title' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const told = await screen.findAllByText(
    'This Work Unit was modified by another user. Please discard your changes without saving and refresh it.',
  );
  expect(told.length).toBeGreaterThan(0);
  expect(screen.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Another title');
});

it('[NOTE-005][NOTE-008][NOTE-009] writes a note, never an empty one', async () => {
  const { calls } = await open('/workunitsv2?workUnitId=7', { 'PUT /v1/workunitnotes': {} });
  const box = await screen.findByRole('textbox', { name: 'Note' });
  const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add note' });
  screen.getByText('0/4000');
  fireEvent.change(box, { target: { value: '   ' } });
  expect(add.disabled).toBe(true);
  fireEvent.change(box, { target: { value: 'Seen.' } });
  screen.getByText('5/4000');
  fireEvent.click(add);
  await screen.findByText('Note added successfully!');
  expect(calls.find((call) => call.path === '/v1/workunitnotes')?.body).toEqual({ workUnitId: 7, detail: 'Seen.', isExternalNote: false });
});

it('[ERR-046] a note that cannot be saved stays', async () => {
  await open('/workunitsv2?workUnitId=7', { 'PUT /v1/workunitnotes': refused(500, 'x') });
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  fireEvent.change(box, { target: { value: 'Seen.' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add note' }));
  await screen.findByText('Unable to save note.');
  expect(box.value).toBe('Seen.');
});

it('[WU-064][WU-066][WU-068] the properties tab', async () => {
  await open('/workunitsv2?workUnitId=7&tab=properties');
  await screen.findByRole('region', { name: 'Work Unit Properties' });
  expect(
    within(screen.getByRole('region', { name: 'Additional Properties' })).getByText(
      'This work unit does not have any additional properties.',
    ),
  ).toBeTruthy();
});

it('[WU-037][WU-038][WU-039] auto-refresh is on, can be switched off, and the chip says when', async () => {
  await open();
  const toggle = await screen.findByRole('button', { name: /Auto-refresh/ });
  expect(toggle.getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(toggle);
  expect(toggle.getAttribute('aria-pressed')).toBe('false');
  await screen.findByText(/^Refreshed/);
});

it('[WU-040] the bare link applies the filters of the last visit', async () => {
  localStorage.setItem('cloudfit.filters.workUnits', JSON.stringify({ filters: { severityId: ['Sev0'] }, quick: [] }));
  const { calls } = await open();
  await screen.findByText(unit.title);
  expect(calls.find((call) => call.path === '/v1/workUnits')?.query.get('$filter')).toBe("severityId eq 'Sev0'");
});

it('[WU-016] rows can be selected', async () => {
  await open();
  fireEvent.click(await screen.findByRole('checkbox', { name: `Select ${unit.title}` }));
  expect(await screen.findByText('1 selected')).toBeTruthy();
});

it('[GRID-009][GRID-010][GRID-011] searches on Enter and by the button, with Exact Match', async () => {
  const { search } = await open();
  const box = await screen.findByRole('searchbox');
  fireEvent.change(box, { target: { value: 'gateway' } });
  fireEvent.submit(box.closest('form') as HTMLFormElement);
  await waitFor(() => expect(search().get('search')).toBe('gateway'));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Exact Match' }));
  await waitFor(() => expect(search().get('exact')).toBe('1'));
});
