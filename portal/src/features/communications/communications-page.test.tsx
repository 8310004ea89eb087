import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const soon = new Date(Date.now() + 3_600_000).toISOString();
const mail = {
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
const step = (id: number, details: string, isComplete: boolean) => ({
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
const steps = [step(1, 'The queue was stopped.', true), step(2, 'Call the plumber.', false)];
const pump = { workUnitRelationId: 3, workUnitId: 70, publicWorkUnitId: 1007, title: 'Pump', severityId: 'Sev1', stateId: 'New' };
const answers: Answers = {
  'GET /v1/workUnitCommunications': list([mail]),
  'GET /v1/workUnitCommunicationActivities': list(steps),
  'GET /v1/communicationWorkUnits': list([pump]),
};
const address = `/${tenantId}/workunitcommunications`;
const open = `${address}?publicWuCommId=1001`;
const queries = (calls: readonly ApiCall[], path = '/v1/workUnitCommunications') =>
  calls.findLast((call) => call.method === 'GET' && call.path === path);
const panelOf = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const inSearch = (model: Record<string, unknown>) => `${address}?search=${encodeURIComponent(JSON.stringify(model))}`;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('lists event reports, newest first, ten to a page', async () => {
  const { calls } = await renderApp(address, answers);
  const row = within((await screen.findByText('Mail is down')).closest('tr') as HTMLElement);
  await proves('[COMM-002] shows a report with its impact and its customer', () => {
    row.getByText('ConfirmedImpact');
    row.getByText('Northwind Energy');
  });
  await proves('[COMM-001] stands at its address', () => expect(document.title).toBe('WorkUnit Communications - CloudFit Software'));
  const query = queries(calls)?.query;
  await proves('[COMM-007] newest first', () => expect(query?.get('$orderby')).toBe('created desc'));
  await proves('[API-035] [COMM-008] ten to a page', () => expect(query?.get('$top')).toBe('10'));
  expect(query?.get('$filter')).toBe(`tenantId eq ${tenantId}`);
});

it('takes search as JSON with rowCount, pageNumber, sortModel, filterModel and search', async () => {
  const { calls } = await renderApp(
    inSearch({
      rowCount: 25,
      pageNumber: 2,
      sortModel: [{ field: 'title', sort: 'asc' }],
      filterModel: {
        tenantId,
        status: 'Investigating',
        createdStartDate: '2026-05-01',
        createdEndDate: '2026-05-31',
        nextUpdateStartDate: '2026-05-02',
        nextUpdateEndDate: '2026-05-30',
        resolvedStartDate: '2026-05-03',
        resolvedEndDate: '2026-05-29',
      },
      search: 'mail',
    }),
    { ...answers, 'GET /v1/workUnitCommunications': { '@odata.count': 200, value: [mail] } },
  );
  await screen.findByText('Mail is down');
  const query = queries(calls)?.query;
  await proves('[COMM-003] asks for the page and its order', () =>
    expect([query?.get('$top'), query?.get('$orderby')]).toEqual(['25', 'title asc']),
  );
  await proves('[API-036] skips the rows of the pages before', () => expect(query?.get('$skip')).toBe('50'));
  const filter = query?.get('$filter') ?? '';
  await proves('[COMM-010] asks for what the filter has', () => {
    expect(filter).toContain("status eq 'Investigating'");
    for (const name of ['created', 'nextUpdate', 'eventResolved'])
      expect(filter).toMatch(new RegExp(`${name} ge 2026-0[45]-\\S+ and ${name} le 2026-0[56]`));
    expect(filter).toContain("contains(tolower(title),'mail')");
  });
});

it('[COMM-003] writes what is looked at into search, and takes a search that is no JSON as text', async () => {
  const { search, calls } = await renderApp(`${address}?search=mail`, answers);
  await screen.findByText('Mail is down');
  expect(queries(calls)?.query.get('$filter')).toContain("contains(tolower(title),'mail')");
  fireEvent.click(screen.getByRole('button', { name: 'Status' }));
  await waitFor(() =>
    expect(JSON.parse(search().get('search') ?? '')).toEqual({
      rowCount: 10,
      pageNumber: 0,
      sortModel: [{ field: 'status', sort: 'asc' }],
      filterModel: {},
      search: 'mail',
    }),
  );
});

it('[COMM-009] [COMM-010] filters by a form with tenant, status and three ranges of days', async () => {
  const { search, calls } = await renderApp(address, answers);
  await screen.findByText('Mail is down');
  fireEvent.click(screen.getByRole('button', { name: 'Filter' }));
  const form = within(await screen.findByRole('form', { name: 'Filter communications' }));
  fireEvent.change(form.getByLabelText('Tenant'), { target: { value: tenantId } });
  fireEvent.change(form.getByLabelText('Status'), { target: { value: 'Resolved' } });
  for (const [label, from, until] of [
    ['Created', '2026-05-01', '2026-05-31'],
    ['Next update', '2026-06-01', '2026-06-30'],
    ['Resolved', '2026-07-31', '2026-07-01'],
  ] as const) {
    fireEvent.change(form.getByLabelText(`${label} from`), { target: { value: from } });
    fireEvent.change(form.getByLabelText(`${label} until`), { target: { value: until } });
  }
  fireEvent.click(form.getByRole('button', { name: 'Apply' }));
  expect(form.getByText('The second date must not be before the first.')).toBeTruthy();
  fireEvent.change(form.getByLabelText('Resolved until'), { target: { value: '2026-08-31' } });
  fireEvent.click(form.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect((JSON.parse(search().get('search') ?? '{}') as { filterModel: unknown }).filterModel).toEqual({
      tenantId,
      status: 'Resolved',
      createdStartDate: '2026-05-01',
      createdEndDate: '2026-05-31',
      nextUpdateStartDate: '2026-06-01',
      nextUpdateEndDate: '2026-06-30',
      resolvedStartDate: '2026-07-31',
      resolvedEndDate: '2026-08-31',
    }),
  );
  await waitFor(() => expect(queries(calls)?.query.get('$filter')).toContain("status eq 'Resolved'"));
});

it('[COMM-005] [COMM-006] publicWuCommId opens the panel titled by number and title', async () => {
  await renderApp(open, answers);
  expect(await screen.findByRole('dialog', { name: 'WUCOMM #1001: Mail is down' })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Title/ }).value).toBe('Mail is down');
});

it('[COMM-004] an address that is no number, or names no communication, says so', async () => {
  const { calls } = await renderApp(`${address}?publicWuCommId=mail`, answers);
  await screen.findByText(/Communication was not found/);
  expect(calls.filter((call) => call.query.get('$filter')?.includes('publicWorkUnitCommunicationId'))).toEqual([]);
  await renderApp(`${address}?publicWuCommId=5`, { 'GET /v1/workUnitCommunications': list([]) });
  await screen.findByText(/Communication was not found/);
});

it('a new one is Investigating and needs a title and a next update', async () => {
  const { calls, search } = await renderApp(`${address}?publicWuCommId=new`, { ...answers, 'PUT /v1/workUnitCommunications': mail });
  const panel = await panelOf('Create Communication');
  const status = await panel.findByLabelText<HTMLSelectElement>(/^Status/);
  await proves('[COMM-025] is Investigating', () => expect(status.value).toBe('Investigating'));
  await proves('[COMM-026] has no other choice', () => expect(status.disabled).toBe(true));
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await proves('[COMM-030] needs a title', () => panel.findByText('Title is required.'));
  await proves('[COMM-034] needs a next update', () => panel.getByText('Date is required'));
  fireEvent.change(panel.getByLabelText(/^Next Customer Update/), { target: { value: '2020-01-01T10:00' } });
  await proves('[COMM-035] [SHELL-075] needs it in the future', () => panel.findByText('Date must be in the future'));
  fireEvent.change(panel.getByLabelText(/^Next Customer Update/), { target: { value: soon.slice(0, 16) } });
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'Mail is down' } });
  expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({ title: 'Mail is down', tenantId, status: 'Investigating' }),
  );
  await proves('[COMM-004] has its number in the address', () => waitFor(() => expect(search().get('publicWuCommId')).toBe('1001')));
});

it('[COMM-033] [COMM-034] a root cause is required to resolve it, and a next update no longer', async () => {
  const { calls } = await renderApp(open, { ...answers, 'POST /v1/workUnitCommunications/7': mail });
  const panel = await panelOf(/^WUCOMM/);
  expect(
    within(panel.getByLabelText(/^Status/))
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Investigating (Open)', 'ConfirmedImpact', 'ServiceRestored', 'Cancelled (Closed)', 'Resolved (Closed)']);
  fireEvent.change(panel.getByLabelText(/^Status/), { target: { value: 'Resolved' } });
  fireEvent.change(panel.getByLabelText(/^Next Customer Update/), { target: { value: '' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await panel.findByText('Root Cause is required when the status is Resolved.');
  fireEvent.change(panel.getByLabelText(/^Root Cause/), { target: { value: 'A worn seal.' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ status: 'Resolved', nextUpdate: null, rootCause: 'A worn seal.' }),
  );
});

it('[COMM-035] a promised update that has passed does not stand in the way of another change', async () => {
  const late = { ...mail, nextUpdate: '2020-01-01T10:00:00.000Z' };
  const { calls } = await renderApp(open, {
    ...answers,
    'GET /v1/workUnitCommunications': list([late]),
    'POST /v1/workUnitCommunications/7': late,
  });
  expect(await screen.findByText('Overdue')).toBeTruthy();
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(panel.getByLabelText(/^Details/), { target: { value: 'Still down.' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ details: 'Still down.' }));
});

it('a closed one shows no next update, neither in the list nor in its form', async () => {
  const over = { ...mail, status: 'Resolved', rootCause: 'A worn seal.', nextInternalUpdate: soon };
  await renderApp(open, { ...answers, 'GET /v1/workUnitCommunications': list([over]) });
  const panel = await panelOf(/^WUCOMM/);
  expect(panel.queryByLabelText(/^Next /)).toBeNull();
  const table = screen.getByRole('table');
  const at = within(table)
    .getAllByRole('columnheader')
    .findIndex((header) => header.textContent.startsWith('Next'));
  const cells = within(table).getAllByRole('row')[1]?.querySelectorAll('td, th') ?? [];
  expect([at >= 0, cells[at]?.textContent]).toEqual([true, '']);
  // A reopened communication needs the time of its next update.
  fireEvent.change(panel.getByLabelText(/^Status/), { target: { value: 'Investigating' } });
  expect(await panel.findByLabelText(/^Next Customer Update/)).toBeTruthy();
});

it('[COMM-032] finds the service manager among the people', async () => {
  const { calls } = await renderApp(open, {
    ...answers,
    'GET /api/people': [{ displayName: 'Bo Berg', mail: 'bo@example.com' }],
    'POST /v1/workUnitCommunications/7': mail,
  });
  const panel = await panelOf(/^WUCOMM/);
  const picker = panel.getByRole<HTMLInputElement>('combobox', { name: /^Service Manager/ });
  expect(picker.value).toBe('ann@example.com');
  fireEvent.change(picker, { target: { value: 'Bo' } });
  fireEvent.click(await screen.findByRole('option', { name: /Bo Berg/ }));
  expect(calls.find((call) => call.path === '/api/people')?.query.get('searchTerm')).toBe('Bo');
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ serviceManager: 'bo@example.com' }));
});

it('[ERR-038] a failed save says so and keeps what was typed', async () => {
  await renderApp(open, { ...answers, 'POST /v1/workUnitCommunications/7': refused(500, 'x') });
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'Mail is slow' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await screen.findByText('A problem occurred saving the communication. Please try again.');
  expect(panel.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Mail is slow');
});

it('has a grid of past and one of next steps', async () => {
  await renderApp(`${open}&tab=steps`, answers);
  const past = within(await proves('[COMM-015] has past steps', () => screen.findByRole('table', { name: 'Past Steps' })));
  const next = within(await proves('[COMM-016] has next steps', () => screen.getByRole('table', { name: 'Next Steps' })));
  await proves('[COMM-023] a resolution is a past step', async () => {
    await past.findByText('The queue was stopped.');
    expect(next.queryByText('The queue was stopped.')).toBeNull();
  });
  await proves('[COMM-022] a task is a next step', () => {
    next.getByText('Call the plumber.');
    expect(past.queryByText('Call the plumber.')).toBeNull();
  });
});

it('[COMM-028] [COMM-029] a step is added, completed, and deleted after a question', async () => {
  const { calls } = await renderApp(`${open}&tab=steps`, {
    ...answers,
    'PUT /v1/workUnitCommunicationActivities': steps[1],
    'POST /v1/workUnitCommunicationActivities/2': steps[1],
    'DELETE /v1/workUnitCommunicationActivities/2': () => new Response(null, { status: 204 }),
  });
  const form = within(await screen.findByRole('form', { name: 'New step' }));
  fireEvent.click(form.getByRole('button', { name: 'Add step' }));
  expect(form.getByText('Details is required.')).toBeTruthy();
  fireEvent.change(form.getByRole('textbox', { name: /New step/ }), { target: { value: 'Mail moves.' } });
  fireEvent.click(form.getByLabelText('Customer facing'));
  fireEvent.click(form.getByRole('button', { name: 'Add step' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({
      details: 'Mail moves.',
      isCustomerFacing: true,
      isComplete: false,
      workUnitCommunicationId: 7,
    }),
  );
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Completed: Call the plumber.' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ isComplete: true }));
  fireEvent.click(screen.getByRole('button', { name: 'Delete step: Call the plumber.' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Delete step' })).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(calls.some((call) => call.method === 'DELETE')).toBe(true));
});

it('keeps a step that is being written over a reload', async () => {
  await renderApp(`${open}&tab=steps`, answers);
  fireEvent.change(await screen.findByRole('textbox', { name: /New step/ }), { target: { value: 'Half a sen' } });
  await renderApp(`${open}&tab=steps`, answers);
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /New step/ })).value).toBe('Half a sen');
});

it('[COMM-017] [COMM-018] lists its work units as links, links one that is found, and unlinks', async () => {
  const { calls } = await renderApp(`${open}&tab=workUnits`, {
    ...answers,
    'GET /v1/workUnits': list([{ workUnitId: 71, publicWorkUnitId: 1008, title: 'Valve', stateId: 'New' }]),
    'POST /v1/workunitcommunications/7/workUnits': { value: [] },
    'DELETE /v1/workunitcommunications/7/workUnits/70': () => new Response(null, { status: 204 }),
  });
  const grid = within(await screen.findByRole('table', { name: 'Related Work Units' }));
  expect((await grid.findByRole('link', { name: 'Pump' })).getAttribute('href')).toBe('/workunitsv2?workUnitId=70');
  const find = screen.getByRole('combobox', { name: 'Link a work unit' });
  fireEvent.change(find, { target: { value: 'Val' } });
  fireEvent.click(await screen.findByRole('option', { name: /#1008 Valve/ }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ workunitIds: [71] }));
  fireEvent.click(await screen.findByRole('button', { name: 'Unlink Pump' }));
  await waitFor(() => expect(calls.some((call) => call.method === 'DELETE')).toBe(true));
});

it.each([
  ['[COMM-011]', 'ExternalReport', 'External Report', 'Dear Northwind Energy team,'],
  ['[COMM-012]', 'InternalReport', 'Internal Report', 'Internal report: do not forward to customers.'],
])('%s the %s opens from the row, by its address, copies as rich text and prints', async (_id, type, name, says) => {
  const { search } = await renderApp(address, answers);
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Mail is down' }));
  fireEvent.click(await screen.findByRole('menuitem', { name }));
  const dialog = within(await screen.findByRole('dialog', { name }));
  expect(await dialog.findByText(says)).toBeTruthy();
  expect([search().get('report'), search().get('reportOf')]).toEqual([type, '1001']);

  const written: Record<string, Blob>[] = [];
  vi.stubGlobal(
    'ClipboardItem',
    class {
      constructor(parts: Record<string, Blob>) {
        written.push(parts);
      }
    },
  );
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator) as Navigator, { clipboard: { write: async () => undefined } }));
  fireEvent.click(dialog.getByRole('button', { name: 'Copy' }));
  await screen.findByText('Content copied successfully!');
  expect(await written[0]?.['text/html']?.text()).toContain('<h2 style="font-size:15px;margin:18px 0 6px">What happened</h2>');
  expect(await written[0]?.['text/plain']?.text()).toContain('WUCOMM #1001: Mail is down - ConfirmedImpact');
  vi.unstubAllGlobals();

  let printed = '';
  vi.spyOn(window, 'print').mockImplementation(() => {
    printed = document.querySelector('.print-sheet')?.textContent ?? '';
    window.dispatchEvent(new Event('afterprint'));
  });
  fireEvent.click(dialog.getByRole('button', { name: 'Print' }));
  expect(printed).toContain(says);
  expect(document.querySelector('.print-sheet')).toBeNull();
});

it('[COMM-019] exports the page as it stands, and the first 1000 of all by the server', async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    if (file instanceof Blob && file.type.startsWith('text/csv')) files.push(file);
    return 'blob:x';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const { calls } = await renderApp(address, {
    ...answers,
    'GET /v1/workUnitCommunications/Export()': answers['GET /v1/workUnitCommunications'],
  });
  await screen.findByText('Mail is down');
  fireEvent.click(screen.getByRole('button', { name: 'Export Page' }));
  await waitFor(() => expect(files).toHaveLength(1));
  expect(await files[0]?.text()).toContain('"Mail is down"');
  fireEvent.click(screen.getByRole('button', { name: 'Export All' }));
  await waitFor(() => expect(files).toHaveLength(2));
  const query = queries(calls, '/v1/workUnitCommunications/Export()')?.query;
  expect([query?.get('$top'), query?.get('$filter')]).toEqual(['1000', `tenantId eq ${tenantId}`]);
  vi.restoreAllMocks();
});

it('the internal notification asks first, and says how it went', async () => {
  let answer: unknown = { message: 'Internal Notification sent.', to: 'desk@example.com', repeated: false };
  const path = '/v1/workunitcommunications/7/sendInternalNotification';
  const { calls } = await renderApp(open, {
    ...answers,
    [`GET ${path}`]: () => (typeof answer === 'function' ? (answer as () => unknown)() : answer),
  });
  const panel = await panelOf(/^WUCOMM/);
  const send = async (choice: 'Send' | 'No') => {
    fireEvent.click(panel.getByRole('button', { name: 'Send Internal Notification' }));
    const question = within(await screen.findByRole('dialog', { name: 'Send internal notification' }));
    fireEvent.click(question.getByRole('button', { name: choice }));
  };
  await send('No');
  await proves('[COMM-014] asks first', () => expect(calls.some((call) => call.path === path)).toBe(false));
  await send('Send');
  await proves('[COMM-036] says that it is sent', () => screen.findByText('Internal Notification sent.'));
  answer = { message: 'Internal Notification sent.', to: 'desk@example.com', repeated: true };
  await send('Send');
  await screen.findByText('This report was already sent to desk@example.com. It is sent again once the communication changes.');
  answer = {
    message: 'Internal Notification kept, not sent: no mail server is set.',
    to: 'desk@example.com',
    repeated: false,
    isKept: true,
  };
  await send('Send');
  await screen.findByText('Internal Notification kept, not sent: no mail server is set.');
  answer = refused(400, 'No.', [
    { target: 'internalNotificationEmailAddress', message: 'The tenant has no address for internal notifications.' },
  ]);
  await send('Send');
  await proves('[ERR-041] says that it failed', () => screen.findByText('Internal Notification failed.'));
  await screen.findByText('The tenant has no address for internal notifications.');
});

it('[ERR-042] a notification without an id is not sent', async () => {
  const { calls } = await renderApp(address, {
    ...answers,
    'GET /v1/workUnitCommunications': list([{ ...mail, publicWorkUnitCommunicationId: undefined }]),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Mail is down' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Send Internal Notification' }));
  await screen.findByText('No WUCOMM Id was provided.');
  expect(calls.some((call) => call.path.endsWith('sendInternalNotification'))).toBe(false);
});

it('offers the services of the status pages beside free text', async () => {
  await renderApp(open, { ...answers, [`GET /v1/tenants/${tenantId}/statusServices`]: ['Mail', 'Web'] });
  const services = within(await screen.findByRole('group', { name: 'Services of the status pages' }));
  const text = screen.getByLabelText<HTMLTextAreaElement>(/^Impacted Services/);
  expect(services.getByRole('button', { name: 'Mail' }).getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(services.getByRole('button', { name: 'Web' }));
  expect(text.value).toBe('Mail\nWeb');
  fireEvent.change(text, { target: { value: 'Mail, Web\nThe branch in Oslo' } });
  fireEvent.click(services.getByRole('button', { name: 'Mail' }));
  expect(text.value).toBe('Web\nThe branch in Oslo');
});

it('who may only look sees no way to change it', async () => {
  await renderApp(`${open}&tab=steps`, { ...answers, 'GET /v1/permissions': ['CloudFit.CFS.WorkUnitCommunications:view'] });
  const panel = await panelOf(/^WUCOMM/);
  await panel.findByText('You may look at this, but not change it.');
  for (const name of ['Save', 'Add step', 'Send Internal Notification']) expect(panel.queryByRole('button', { name })).toBeNull();
  expect(panel.getByRole('button', { name: 'External Report' })).toBeTruthy();
});

it('drops what was typed only after a question', async () => {
  await renderApp(open, answers);
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'Mail is slow' } });
  fireEvent.keyDown(document, { key: 'Escape' });
  expect(await screen.findByText('There are unsaved changes. Are you sure you want to close?')).toBeTruthy();
});
