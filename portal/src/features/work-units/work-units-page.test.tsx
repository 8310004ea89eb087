import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { list, refused, renderApp, tenantId, type ApiCall } from '../../testing/render-app.tsx';

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
  workUnitHistory: { value: [] },
  searchPlaces: { terms: [], places: [] },
  'PATCH /v1/workUnits/7': { ...unit, stateId: 'Acknowledged' },
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

it('[WU-043] shows all open units of mine when the list showed new ones alone', async () => {
  const { search, calls } = await open();
  await screen.findByText(unit.title);
  fireEvent.click(screen.getByRole('button', { name: 'Quick filters' }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Assigned to me' }));
  await waitFor(() => expect(search().get('f.stateId')).toBe('New,Acknowledged,InProgress,OnHold,Mitigated'));
  expect(search().get('q')).toBe('mine');
  await waitFor(() => expect(calls.some(({ query }) => query.get('$filter')?.includes('assignedTo eq'))).toBe(true));
});

it('offers what its filters hide when no unit is new', async () => {
  const { search } = await open('/workunitsv2', {
    'GET /v1/workUnits': ({ query }: { query: URLSearchParams }) => {
      const filter = query.get('$filter') ?? '';
      if (filter === "stateId eq 'New'") return list([]);
      return filter.includes('OnHold') ? { '@odata.count': 11, value: [] } : { '@odata.count': 489, value: [] };
    },
  });
  await screen.findByText('No work units match');
  expect(await screen.findByRole('button', { name: 'Show 489 without filters' })).toBeTruthy();
  fireEvent.click(await screen.findByRole('button', { name: 'Show 11 open in other states' }));
  await waitFor(() => expect(search().get('f.stateId')).toBe('New,Acknowledged,InProgress,OnHold,Mitigated'));
});

it('opens the unit by a click on its title', async () => {
  const { search } = await open();
  fireEvent.click(await screen.findByRole('link', { name: unit.title }));
  await proves('[WU-050] the panel names the unit', () =>
    screen.findByRole('dialog', { name: 'Edit Work Unit #1007: Gateway east-07 is silent' }),
  );
  await proves('[WU-050] visibly, and in the tab of the browser', async () => {
    expect(await screen.findByRole('heading', { name: 'Edit Work Unit #1007: Gateway east-07 is silent' })).toBeTruthy();
    expect(document.title).toContain('Edit Work Unit #1007: Gateway east-07 is silent');
  });
  await proves('[WU-004][WU-014] the address names the unit', () => expect(search().get('workUnitId')).toBe('7'));
});

it('acknowledges by (ack) and opens the unit', async () => {
  const { calls } = await open();
  const link = await screen.findByRole('button', { name: /\(ack\)/ });
  await proves('[WU-005] stands in the row of the new unit alone', () => {
    expect(within(link.closest('tr') as HTMLElement).getByText(unit.title)).toBeTruthy();
    expect(screen.getAllByRole('button', { name: /\(ack\)/ })).toHaveLength(1);
  });
  fireEvent.click(link);
  await proves('[WU-103] says so', () => screen.findByText('Work unit #1007 acknowledged.'));
  const patch = calls.find((call) => call.path === '/v1/workUnits/7' && call.method === 'PATCH')?.body;
  await proves('[WU-101] sets the state', () =>
    expect(patch).toEqual(
      expect.arrayContaining([
        { op: 'test', path: '/stateId', value: 'New' },
        { op: 'replace', path: '/stateId', value: 'Acknowledged' },
      ]),
    ),
  );
  await proves('[WU-102] assigns the unit to the signed-in person', () =>
    expect(patch).toEqual(
      expect.arrayContaining([
        { op: 'test', path: '/assignedTo', value: null },
        { op: 'replace', path: '/assignedTo', value: 'mara@northwind.example' },
      ]),
    ),
  );
  expect(patch).toHaveLength(4);
  await proves('[WU-104] opens the unit', () => screen.findByRole('dialog', { name: /Edit Work Unit #1007/ }));
});

it('shows a unit as being acknowledged until the server has confirmed it, and takes that back with a message', async () => {
  let answer: (response: Response | Error) => void = () => undefined;
  const patched = () =>
    new Promise((resolve, reject) => {
      answer = (response) => (response instanceof Error ? reject(response) : resolve(response));
    });
  await open('/workunitsv2', { 'PATCH /v1/workUnits/7': patched });
  const row = () => within(screen.getByRole('link', { name: unit.title }).closest('tr') as HTMLElement);
  fireEvent.click(await screen.findByRole('button', { name: /\(ack\)/ }));
  const pending = (await row().findAllByText('Acknowledging…'))[0];
  expect(pending?.closest('[aria-busy=true]')).toBeTruthy();
  expect(row().queryByText('Acknowledged')).toBeNull();
  expect(screen.queryByRole('button', { name: /\(ack\)/ })).toBeNull();
  const inPanel = within(await screen.findByRole('dialog', { name: /Edit Work Unit #1007/ }));
  expect(await inPanel.findByRole('button', { name: 'Acknowledging…' })).toHaveProperty('disabled', true);
  answer(new TypeError('Failed to fetch'));
  await screen.findByText('The server did not confirm that work unit #1007 is acknowledged. Please check it and try again.');
  await waitFor(() => expect(row().getAllByText('New').length).toBeGreaterThan(0));
  expect(screen.queryByText('Acknowledging…')).toBeNull();
});

it('[WU-006][WU-007] colours severities but the fifth', async () => {
  await open();
  // Once in its column, once in the line that a phone shows below the title.
  for (const mark of await screen.findAllByText('Sev1')) expect(mark.className).toContain('Sev1');
  for (const mark of await screen.findAllByText('Sev4')) expect(mark.className).toBe('sev Sev4');
});

it('[WU-029][WU-030] the create menu singles out Incident, Change Request and Intake, Legacy left out and Request relabelled', async () => {
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  await screen.findByRole('menuitem', { name: 'Incident' });
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Incident', 'Change Request', 'Intake', 'User Request']);
});

it('creates one unit of the chosen type, though Create is pressed twice before it rests', async () => {
  const { calls } = await open('/workunitsv2', {
    'PUT /v1/workUnits': { ...unit, workUnitId: 9 },
    'GET /v1/workUnits(9)': { ...unit, workUnitId: 9 },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'User Request' }));
  await proves('[WU-049] names the panel', () => screen.findByRole('dialog', { name: 'Create Work Unit' }));
  const panel = within(screen.getByRole('dialog', { name: 'Create Work Unit' }));
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'A new laptop' } });
  const button = panel.getByRole('button', { name: 'Create' });
  act(() => {
    button.click();
    button.click();
  });
  await proves('[WU-135] says that it is created', () => screen.findByText('Successfully created work unit.'));
  const body = calls.find((call) => call.method === 'PUT')?.body;
  await proves('[WU-032] sends the chosen type', () => expect(body).toMatchObject({ title: 'A new laptop', workUnitTypeId: 3, tenantId }));
  await proves('[WU-033] starts with Sev0', () => expect(body).toMatchObject({ severityId: 'Sev0' }));
  await proves('[WU-034] starts as New', () => expect(body).toMatchObject({ stateId: 'New' }));
  await proves('[WU-132] sends the id of a new unit', () => expect(body).toMatchObject({ workUnitId: -1 }));
  expect(calls.filter((call) => call.method === 'PUT')).toHaveLength(1);
});

it('asks before unsaved changes are lost', async () => {
  const { search } = await open('/workunitsv2?workUnitId=7');
  fireEvent.change(await screen.findByLabelText(/^Title/), { target: { value: 'Another title' } });
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await proves('[SHELL-062] asks in these words', () => screen.findByText('There are unsaved changes. Are you sure you want to close?'));
  fireEvent.click(screen.getByRole('button', { name: 'No' }));
  await proves('[SHELL-061] keeps the form open', () => expect(search().get('workUnitId')).toBe('7'));
  expect(screen.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Another title');
  await waitFor(() => expect(screen.queryByText('There are unsaved changes. Are you sure you want to close?')).toBeNull());
  fireEvent.keyDown(document.body, { key: 'Escape' });
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  await proves('[SHELL-063] closes on Yes', () => waitFor(() => expect(search().get('workUnitId')).toBeNull()));
});

it('[ERR-051] a conflict keeps what was typed and says what to do', async () => {
  await open('/workunitsv2?workUnitId=7', {
    'PATCH /v1/workUnits/7': refused(409, "The current value 'x' at path 'title' is not equal to the test value 'y'."),
  });
  fireEvent.change(await screen.findByLabelText(/^Title/), { target: { value: 'Another title' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const messages = await screen.findAllByText(
    'This Work Unit was modified by another user. Please discard your changes without saving and refresh it.',
  );
  expect(messages.length).toBeGreaterThan(0);
  expect(screen.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Another title');
});

it('writes a note, never an empty one', async () => {
  const { calls } = await open('/workunitsv2?workUnitId=7', { 'PUT /v1/workUnitNotes': {} });
  const box = await screen.findByRole('textbox', { name: 'Note' });
  const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add note' });
  screen.getByText('0/4000');
  fireEvent.change(box, { target: { value: '   ' } });
  await proves('[NOTE-008] refuses an empty note', () => expect(add.disabled).toBe(true));
  fireEvent.change(box, { target: { value: 'Seen.' } });
  await proves('[NOTE-005] counts', () => screen.getByText('5/4000'));
  fireEvent.click(add);
  await proves('[NOTE-009] says that it is saved', () => screen.findByText('Note added successfully!'));
  expect(calls.find((call) => call.path === '/v1/workUnitNotes')?.body).toEqual({ workUnitId: 7, detail: 'Seen.', isExternalNote: false });
});

it('[ERR-046] a note that cannot be saved stays', async () => {
  await open('/workunitsv2?workUnitId=7', { 'PUT /v1/workUnitNotes': refused(500, 'x') });
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
  fireEvent.change(box, { target: { value: 'Seen.' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add note' }));
  await screen.findByText('Unable to save note.');
  expect(box.value).toBe('Seen.');
});

it('shows the properties tab', async () => {
  await open('/workunitsv2?workUnitId=7&tab=properties');
  await proves('[WU-064] has its own section', () => screen.findByRole('region', { name: 'Work Unit Properties' }));
  await proves('[WU-066] has a section of additional properties', () => screen.getByRole('region', { name: 'Additional Properties' }));
  await proves('[WU-068] says that there are none', () =>
    within(screen.getByRole('region', { name: 'Additional Properties' })).getByText(
      'This work unit does not have any additional properties.',
    ),
  );
});

it('refreshes by itself until that is switched off', async () => {
  await open();
  const toggle = await screen.findByRole('button', { name: /Auto-refresh/ });
  await proves('[WU-038] is on at first', () => expect(toggle.getAttribute('aria-pressed')).toBe('true'));
  fireEvent.click(toggle);
  await proves('[WU-037] can be switched off', () => expect(toggle.getAttribute('aria-pressed')).toBe('false'));
  await proves('[WU-039] says when the list was refreshed', () => screen.findByText(/^Refreshed/));
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

it('searches on Enter and by the button, with Exact Match', async () => {
  const { search } = await open();
  const box = await screen.findByRole('searchbox');
  fireEvent.change(box, { target: { value: 'gateway' } });
  fireEvent.submit(box.closest('form') as HTMLFormElement);
  await proves('[GRID-010] runs on Enter', () => waitFor(() => expect(search().get('search')).toBe('gateway')));
  fireEvent.change(box, { target: { value: 'east' } });
  fireEvent.click(within(box.closest('form') as HTMLFormElement).getByRole('button', { name: 'Run search' }));
  await proves('[GRID-011] runs by the button', () => waitFor(() => expect(search().get('search')).toBe('east')));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Exact Match' }));
  await proves('[GRID-009] can be exact', () => waitFor(() => expect(search().get('exact')).toBe('1')));
});

it('shows how often the rule of a unit matched, and its colour to whoever may see rules', async () => {
  const ruleId = '01a1fcdb-e335-7785-970a-0000000000d1';
  const more = {
    'GET /v1/workUnits': list([
      { ...unit, ruleId, occurrences: 3 },
      { ...calm, occurrences: 1 },
    ]),
    'GET /v1/rules': list([{ ruleId, name: 'Gateway silent', color: 'red' }]),
  };
  const { unmount } = await open('/workunitsv2', more);
  await screen.findByRole('img', { name: 'Gateway silent' });
  expect(screen.getAllByRole('img', { name: /^Matched/ }).map((element) => element.getAttribute('aria-label'))).toEqual([
    'Matched 3 times',
  ]);
  unmount();
  const { calls } = await open('/workunitsv2', { ...more, permissionsOfCaller: ['CloudFit.CFS.WorkUnits:view'] });
  await screen.findByText(unit.title);
  expect(calls.map(({ path }) => path)).not.toContain('/v1/rules');
});

it('says how many rows the search finds outside the filters, and shows them', async () => {
  const counts: Record<string, number> = { both: 2, anyState: 9, nothing: 12 };
  const { search, calls } = await open('/workunitsv2?f.stateId=New&f.severityId=Sev1&search=gateway', {
    'GET /v1/workUnits': ({ query }: ApiCall) => {
      const filter = query.get('$filter') ?? '';
      const kind = filter.includes('stateId') ? 'both' : filter.includes('severityId') ? 'anyState' : 'nothing';
      return { ...list([unit, calm]), '@odata.count': counts[kind] };
    },
  });
  expect(await screen.findByText('7 in other states')).toBeTruthy();
  expect(screen.getByText(/^2 in New/)).toBeTruthy();
  expect(await screen.findByText('3 outside the other filters')).toBeTruthy();
  const first = calls.find((call) => call.path === '/v1/workUnits');
  expect(first?.query.get('$filter')).toContain("found('gateway')");
  expect(first?.query.get('$orderby')).toBe("relevance('gateway') desc,severityId asc,created desc");
  fireEvent.click(screen.getByRole('button', { name: 'Show all states' }));
  await waitFor(() => expect(search().get('f.stateId')).toBeNull());
  expect([search().get('f.severityId'), search().get('search')]).toEqual(['Sev1', 'gateway']);
  await waitFor(() => expect(screen.queryByText(/in other states/)).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Show without filters' }));
  await waitFor(() => expect(search().get('f.severityId')).toBeNull());
  expect(search().get('search')).toBe('gateway');
});

it('says that the search finds rows in other tenants alone, and shows these', async () => {
  const other = '01a1fcdb-e331-70c1-ba47-fd1610462aff';
  const { search, calls } = await renderApp(`/${tenantId}/workunitsv2?search=gateway`, {
    'GET /api/generallookup/tenants': [
      { tenantId, name: 'Northwind Energy' },
      { tenantId: other, name: 'Southwind' },
    ],
    'GET /v1/workUnits': ({ query }: ApiCall) => {
      if (query.get('$apply')) return list([{ tenantId: other, n: 3 }]);
      const isHere = query.get('$filter')?.includes(`tenantId eq ${tenantId}`);
      return { ...list(isHere ? [] : [unit]), '@odata.count': isHere ? 0 : 3 };
    },
  });
  fireEvent.click(within((await screen.findByText('3 in another tenant')).parentElement as HTMLElement).getByRole('button'));
  await waitFor(() => expect(search().get('f.tenantId')).toBe(other));
  await screen.findByText(unit.title);
  const question = calls.findLast((call) => call.path === '/v1/workUnits' && !call.query.has('$apply'))?.query.get('$filter') ?? '';
  // The tenants of the filter take the place of the chosen one.
  expect([question.includes(tenantId), question.includes(other)]).toEqual([false, true]);
});

it('marks what the search found in the title, and says which other field has it', async () => {
  const { inputsOf } = await open('/workunitsv2?search=east%20henrieta', {
    searchPlaces: {
      terms: ['east', 'henrieta| henrietta'],
      places: [
        { workUnitId: 7, field: 'stakeHolderFullName', text: 'Henrietta Moss' },
        { workUnitId: 8, field: 'note', text: 'Henrietta called' },
      ],
    },
  });
  const row = async (name: string) =>
    within((await screen.findByText(name, { exact: false, selector: '.found-place' })).closest('td') as HTMLElement);
  const first = await row('Stakeholder Name');
  expect(first.getByRole('link').textContent).toBe(unit.title);
  expect(within(first.getByRole('link')).getByText('east').tagName).toBe('MARK');
  expect(first.getByText('Henrietta').tagName).toBe('MARK');
  expect((await row('Note')).getByText('Henrietta').tagName).toBe('MARK');
  expect(inputsOf('searchPlaces')).toEqual([{ text: 'east henrieta', workUnitIds: [7, 8] }]);
});
