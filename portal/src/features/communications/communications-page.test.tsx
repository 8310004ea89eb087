import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';
import { mail, steps, answers, address, open, queries, inSearch } from './communications.fixtures.ts';

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
    expect(filter).toContain("contains(folded(title),'mail')");
  });
});

it('[COMM-003] writes what is looked at into search, and takes a search that is no JSON as text', async () => {
  const { search, calls } = await renderApp(`${address}?search=mail`, answers);
  await screen.findByText('Mail is down');
  expect(queries(calls)?.query.get('$filter')).toContain("contains(folded(title),'mail')");
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

it('a step is added, completed, and deleted after a question', async () => {
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
  await proves('[COMM-029] is a task without the mark', () =>
    waitFor(() =>
      expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({
        details: 'Mail moves.',
        isCustomerFacing: true,
        isComplete: false,
        workUnitCommunicationId: 7,
      }),
    ),
  );
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Completed: Call the plumber.' }));
  await proves('[COMM-028] is marked as completed', () =>
    waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ isComplete: true })),
  );
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
