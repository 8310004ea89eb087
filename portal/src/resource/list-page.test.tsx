import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../api/query-client.ts';
import { list, refused, renderApp, tenantId, type Answers } from '../testing/render-app.tsx';

const unit = (workUnitId: number, more: object = {}) => ({
  workUnitId,
  publicWorkUnitId: 1000 + workUnitId,
  title: `Pump ${workUnitId}`,
  severityId: 'Sev1',
  stateId: 'Acknowledged',
  assignedTo: 'mara@northwind.example',
  tenantId,
  workUnitTypeId: 1,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  created: '2026-11-21T10:00:00Z',
  modified: '2026-11-21T10:00:00Z',
  ...more,
});
const rows = [unit(7), unit(8)];
const open = (address = '/workunitsv2?f=', more: Answers = {}) => renderApp(address, { 'GET /v1/workUnits': list(rows), ...more });

/** Saved files: name and text. */
const files: [string, string][] = [];

beforeEach(() => {
  localStorage.clear();
  files.length = 0;
  const blobs = new Map<string, Blob>();
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        blobs.set(`blob:${blobs.size}`, blob);
        return `blob:${blobs.size - 1}`;
      },
      revokeObjectURL: () => undefined,
    }),
  );
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    const blob = blobs.get(this.href);
    const name = this.download;
    if (blob) void blob.text().then((text) => files.push([name, text]));
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('the toolbar has the search, both exports, and create', async () => {
  await open();
  await screen.findByText('Pump 7');
  await proves('[GRID-002] saves the page', () => screen.findByRole('button', { name: 'Export Page' }));
  await proves('[GRID-003] saves all', () => screen.findByRole('button', { name: 'Export All' }));
  const create = await proves('[GRID-001] creates', () => screen.findByRole('button', { name: 'Create' }));
  await proves('[GRID-007] by a menu', () => expect(create.getAttribute('aria-haspopup')).toBe('menu'));
  await proves('[GRID-008] searches', () => screen.getByRole('searchbox', { name: 'Search work units' }));
});

it('[WU-018][GRID-002] Export Page writes the rows and columns on the screen', async () => {
  await open();
  await screen.findByText('Pump 7');
  fireEvent.click(screen.getByRole('button', { name: 'Export Page' }));
  await waitFor(() => expect(files).toHaveLength(1));
  const [name, text] = files[0] ?? ['', ''];
  expect(name).toBe('workunits.csv');
  expect(text.split('\r\n').slice(0, 2).join('\n')).toContain('"1007","Sev1","Pump 7","Acknowledged"');
});

it('Export All shows Exporting... and saves what the server streams, at most 1000 rows', async () => {
  let send: (text: string) => void = () => undefined;
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (control) => {
      send = (text) => control.enqueue(new TextEncoder().encode(text));
      end = () => control.close();
    },
  });
  const { calls } = await open('/workunitsv2?f.severityId=Sev1&sort=title', {
    'GET /v1/workUnits': { '@odata.count': 2_500, value: rows },
    'GET /v1/workUnits/Export()': () => new Response(body),
  });
  await screen.findByText('Pump 7');
  fireEvent.click(screen.getByRole('button', { name: 'Export All' }));
  await proves('[GRID-004] says so meanwhile', () => screen.findByText('Exporting...'));
  const [row] = rows;
  send(`{"value":[\n${JSON.stringify(row)},`);
  await screen.findByText('1 of 1,000');
  send(`\n${JSON.stringify({ ...row, publicWorkUnitId: 1_008, title: 'Pump 8' })}]}`);
  end();
  await screen.findByText('The file has the first 1,000 of 2,500 rows. Narrow the filters to get the others.');
  await proves('[WU-019] saves the file', () =>
    waitFor(() => expect(files).toEqual([['workunits.csv', expect.stringMatching(/"1007","Sev1","Pump 7".*\r\n"1008","Sev1","Pump 8"/)]])),
  );
  expect(screen.getByRole('button', { name: 'Export All' })).toBeTruthy();
  const request = calls.find((call) => call.path.endsWith('Export()'))?.query;
  await proves('[LIM-004] asks for 1000 rows', () => expect(request?.get('$top')).toBe('1000'));
  expect(request?.get('$filter')).toBe("severityId eq 'Sev1'");
  expect(request?.get('$orderby')).toBe('title asc');
  expect(request?.get('$expand')).toBe(calls.find((call) => call.path === '/v1/workUnits')?.query.get('$expand'));
});

it('a list that fails is asked for once, until it is tried again', async () => {
  let answer: () => unknown = refused(400, 'Not now.');
  const { calls, router } = await open('/locations', { 'GET /v1/workUnits': () => answer() });
  await screen.findByRole('table', { name: 'Locations' });
  await act(() => router.navigate(`/${tenantId}/workunitsv2?f=`));
  const requests = () => calls.filter((call) => call.path === '/v1/workUnits' && call.query.has('$top')).map(({ query }) => `${query}`);
  await screen.findByText('Not now.');
  // Lookups that arrive late can change the query, but none is asked for twice.
  expect(requests()).toEqual([...new Set(requests())]);
  const failed = requests().at(-1);
  answer = () => list(rows);
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Pump 7');
  expect(requests().filter((request) => request === failed)).toHaveLength(2);
});

it('an export can be stopped, and saves nothing then', async () => {
  await open('/workunitsv2?f=', { 'GET /v1/workUnits/Export()': () => new Promise(() => undefined) });
  await screen.findByText('Pump 7');
  fireEvent.click(screen.getByRole('button', { name: 'Export All' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Stop the export' }));
  await screen.findByRole('button', { name: 'Export All' });
  expect(files).toEqual([]);
});

it('[ERR-062] a failed export is only logged', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await open('/workunitsv2?f=', { 'GET /v1/workUnits/Export()': refused(500, 'The disk is full.') });
  await screen.findByText('Pump 7');
  fireEvent.click(screen.getByRole('button', { name: 'Export All' }));
  await waitFor(() => expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: 'The disk is full.' })));
  await screen.findByRole('button', { name: 'Export All' });
  expect(screen.queryByRole('alert')).toBeNull();
  expect(files).toEqual([]);
});

it('sort, rows, page, search, searched fields and exactness all go to the server', async () => {
  const { calls } = await open('/workunitsv2?f.severityId=Sev1&sort=title,-created&rows=25&page=3&search=Pump&exact=1', {
    'GET /v1/workUnits': { '@odata.count': 80, value: rows },
  });
  await screen.findByText('Pump 7');
  const request = calls.find((call) => call.path === '/v1/workUnits')?.query;
  await proves('[WU-008] sort and page', () =>
    expect(['$orderby', '$top', '$skip'].map((name) => request?.get(name))).toEqual(['title asc,created desc', '25', '50']),
  );
  await proves('[GRID-016] filters', () => expect(request?.get('$filter')).toMatch(/^severityId eq 'Sev1' and /));
  await proves('[GRID-012] the search', () =>
    expect(request?.get('$filter')).toMatch(/\(.*folded\(title\) eq 'pump'.*folded\(tenant\/name\) eq 'pump'/),
  );
});

it('[GRID-016] a click on a column name sorts on the server, from the first page', async () => {
  const { calls, search } = await open('/workunitsv2?f=&page=2', { 'GET /v1/workUnits': { '@odata.count': 80, value: rows } });
  fireEvent.click(await screen.findByRole('button', { name: 'Title' }));
  await waitFor(() => expect(calls.findLast(({ query }) => query.has('$orderby'))?.query.get('$orderby')).toBe('title asc'));
  expect(search().get('page')).toBeNull();
});

it('says 10,000+ for what nobody reads to the end, and asks for no exact number', async () => {
  const { calls } = await open('/workunitsv2?f=&page=1200', { 'GET /v1/workUnits': { '@odata.count': 12_021, value: rows } });
  expect(await screen.findByText(/ of 10,000\+/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Next page' }).hasAttribute('disabled')).toBe(false);
  expect(calls.some(({ query }) => query.get('countUpTo') === '12010')).toBe(true);
});

it('goes no further than rows may be skipped', async () => {
  await open('/workunitsv2?f=&page=10001', { 'GET /v1/workUnits': { '@odata.count': 900_000, value: rows } });
  expect((await screen.findByRole('button', { name: 'Next page' })).hasAttribute('disabled')).toBe(true);
});

it.each([
  ['far beyond the last', '9', 12, '2'],
  ['empty since its only row was deleted', '3', 20, '2'],
  ['the second of one', '2', 10, null],
  ['the second of no rows', '2', 0, null],
])('goes to the last page when the one that was asked for is %s', async (_which, page, count, last) => {
  const { search } = await open(`/workunitsv2?f=&page=${page}`, { 'GET /v1/workUnits': { '@odata.count': count, value: rows } });
  await waitFor(() => expect(search().get('page')).toBe(last));
});

it('stays on a last page of one row', async () => {
  const { search } = await open('/workunitsv2?f=&page=2', { 'GET /v1/workUnits': { '@odata.count': 11, value: [unit(7)] } });
  await screen.findByText('Pump 7');
  expect(search().get('page')).toBe('2');
});

it('selects all that the list finds, over the pages, and clears', async () => {
  const { calls } = await open('/workunitsv2?f=', { 'GET /v1/workUnits': { '@odata.count': 2_400, value: rows } });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Pump 7' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Select the first 1,000' }));
  await screen.findByText('2 selected');
  const selections = calls.filter(({ query }) => query.get('$select') === 'workUnitId');
  expect(selections.map(({ query }) => query.get('$top'))).toEqual(['1000']);
  fireEvent.click(screen.getByRole('button', { name: 'Clear selection' }));
  expect(screen.queryByText('2 selected')).toBeNull();
});

it('keeps rows in place under the pointer until they are asked for', async () => {
  let now: object[] = rows;
  await open('/workunitsv2?f=', { 'GET /v1/workUnits': () => list(now) });
  await screen.findByText('Pump 7');
  const titles = () => screen.getAllByRole('link', { name: /^(Pump|Door)/ }).map((link) => link.textContent);
  // Rows of another query are shown at once, and lookups that arrive late can change the query.
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  fireEvent.pointerMove(screen.getByText('Pump 7'));
  now = [unit(9, { title: 'Door 2' }), unit(7, { title: 'Pump 7 runs' }), unit(8)];
  await act(() => queryClient.invalidateQueries({ queryKey: ['workUnits'] }));
  await screen.findByText('Pump 7 runs');
  expect(titles()).toEqual(['Pump 7 runs', 'Pump 8']);
  // In the bar below the list, where it covers no row.
  fireEvent.click(within(screen.getByRole('navigation', { name: 'Rows per page' })).getByRole('button', { name: /Show now/ }));
  await waitFor(() => expect(titles()).toEqual(['Door 2', 'Pump 7 runs', 'Pump 8']));
});

it('shows what came at once when no pointer is there', async () => {
  let now: object[] = rows;
  await open('/workunitsv2?f=', { 'GET /v1/workUnits': () => list(now) });
  await screen.findByText('Pump 7');
  now = [unit(9, { title: 'Door 2' }), ...rows];
  await act(() => queryClient.invalidateQueries({ queryKey: ['workUnits'] }));
  await screen.findByText('Door 2');
  expect(within(screen.getAllByRole('row')[1] as HTMLElement).getByText('Door 2')).toBeTruthy();
});
