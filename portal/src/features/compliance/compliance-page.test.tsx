import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const setId = '01a1fcdb-0000-7000-8000-0000000000e1';
const monday = '2026-11-02T00:00:00.000Z';
const sets = [
  { id: setId, name: 'Office checks' },
  { id: '01a1fcdb-0000-7000-8000-0000000000e2', name: 'Plant checks' },
];
const control = (n: number, title: string) => ({
  id: `01a1fcdb-0000-7000-8000-0000000000f${n}`,
  name: `C-${n}`,
  title,
  description: 'They close.',
  position: n,
});
const [doors, windows] = [control(1, 'Doors'), control(2, 'Windows')];
const recordId = '01a1fcdb-0000-7000-8000-0000000000aa';
const path = `/v1/controlStatuses/${recordId}`;

/** A fake server that stores the statuses of controls. */
function server(over: Answers = {}) {
  const statusById = new Map<string, Record<string, unknown>>();
  statusById.set(doors.id, { id: recordId, checkDate: monday, status: 'Compliant', notes: 'Seen', tenantId, controlId: doors.id });
  const answers: Answers = {
    'GET /v1/controlSets': ({ query }: ApiCall) => {
      if (!query.get('$expand')) return list(sets);
      const controls = [doors, windows].map((item) => ({
        ...item,
        controlStatuses: statusById.has(item.id) ? [statusById.get(item.id)] : [],
      }));
      return list([{ ...sets[0], controls }]);
    },
    'PUT /v1/controlStatuses': ({ body }: ApiCall) => {
      const status = { id: `${recordId.slice(0, -1)}b`, ...(body as { controlId: string }) };
      statusById.set(status.controlId, status);
      return status;
    },
    [`POST ${path}`]: ({ body }: ApiCall) => {
      const status = { ...statusById.get(doors.id), ...(body as object) };
      statusById.set(doors.id, status);
      return status;
    },
    [`DELETE ${path}`]: () => {
      statusById.delete(doors.id);
      return new Response(null, { status: 204 });
    },
    ...over,
  };
  return answers;
}
const open = (query = `?set=${setId}&week=2026-11-05`, over: Answers = {}) => renderApp(`/${tenantId}/compliance${query}`, server(over));
const sent = (calls: readonly ApiCall[]) => calls.filter((call) => call.method !== 'GET' && call.path.includes('control'));
const statusOf = async (name: string) => within(await screen.findByRole('group', { name: `Status of ${name}` }));
const pressed = (button: HTMLElement) => button.getAttribute('aria-pressed');

beforeEach(() => localStorage.clear());

it('shows the controls of a set in a week, the current one at first', async () => {
  const { calls, search } = await open('');
  const picker = await proves('[COMP-002] [COMP-003] offers control sets', () => screen.findByLabelText<HTMLSelectElement>('Control set'));
  await screen.findByRole('option', { name: 'Plant checks' });
  const now = mondayOf(new Date().toISOString());
  const week = await proves('[COMP-004] offers weeks', () =>
    screen.getByLabelText<HTMLInputElement>('Compliance week', { selector: 'input' }),
  );
  await proves('[COMP-005] begins with the current week', () => expect(week.value).toBe(now.slice(0, 10)));
  expect(screen.queryByRole('table')).toBeNull();
  fireEvent.change(picker, { target: { value: setId } });
  const grid = within(await screen.findByRole('table', { name: 'Controls' }));
  await grid.findByText('Doors');
  await proves('[COMP-006] shows the controls', () =>
    expect(grid.getAllByRole('rowheader').map((cell) => cell.textContent)).toEqual(['C-1', 'C-2']),
  );
  await proves('[COMP-001] shows the status of each in this week', async () =>
    expect(pressed((await statusOf('C-1')).getByRole('button', { name: 'Compliant' }))).toBe('true'),
  );
  const expanded = () => calls.flatMap((call) => call.query.get('$expand') ?? []);
  const ofWeek = (start: string) =>
    `controls($expand=controlStatuses($filter=tenantId eq ${tenantId} and checkDate eq ${start.replace('.000', '')});$top=1000)`;
  const weekQuery = calls.find((call) => call.query.get('$expand') === ofWeek(now))?.query;
  expect([weekQuery?.get('$filter'), weekQuery?.get('$top')]).toEqual([`id eq ${setId}`, '1000']);
  // A chosen day selects the week that contains it.
  fireEvent.change(week, { target: { value: '2026-11-05' } });
  await waitFor(() => expect(expanded()).toContain(ofWeek('2026-11-02T00:00:00Z')));
  expect([search().get('week'), search().get('set')]).toEqual(['2026-11-02', setId]);
  fireEvent.click(screen.getByRole('button', { name: 'This week' }));
  await waitFor(() => expect(search().get('week')).toBeNull());
});

it('chooses a status, another one, and none after a question', async () => {
  const { calls } = await open();
  fireEvent.click((await statusOf('C-2')).getByRole('button', { name: 'Exempt' }));
  await waitFor(() => expect(sent(calls)).toHaveLength(1));
  await proves('[COMP-012] creates a record', () =>
    expect(sent(calls)[0]).toMatchObject({
      method: 'PUT',
      path: '/v1/controlStatuses',
      body: { checkDate: monday, status: 'Exempt', notes: null, tenantId, controlId: windows.id },
    }),
  );
  const first = await statusOf('C-1');
  fireEvent.click(first.getByRole('button', { name: 'POA&M' }));
  await waitFor(() => expect(sent(calls)).toHaveLength(2));
  await proves('[COMP-013] updates the record', () =>
    expect(sent(calls)[1]).toMatchObject({ method: 'POST', path, body: { status: 'Poam' } }),
  );
  await waitFor(() => expect(pressed(first.getByRole('button', { name: 'POA&M' }))).toBe('true'));

  fireEvent.click(first.getByRole('button', { name: 'POA&M' }));
  const question = within(await proves('[COMP-014] asks first', () => screen.findByRole('dialog', { name: 'Remove Status' })));
  expect(sent(calls)).toHaveLength(2);
  fireEvent.click(question.getByRole('button', { name: 'Remove' }));
  await proves('[COMP-018] says that it is deleted', () => screen.findByText('Control Status successfully deleted.'));
  await proves('[COMP-015] deletes the record', () => expect(sent(calls)[2]).toMatchObject({ method: 'DELETE', path }));
  for (const button of first.getAllByRole('button')) expect(pressed(button)).toBe('false');
});

it('saves notes when the field is left; without a record as Notset', async () => {
  const { calls } = await open();
  const notes = await screen.findByLabelText<HTMLTextAreaElement>('Notes on C-2');
  fireEvent.change(notes, { target: { value: 'One is stuck' } });
  expect(sent(calls)).toHaveLength(0);
  fireEvent.blur(notes);
  // A status that is chosen while the notes are being saved updates the record that this save creates.
  fireEvent.click((await statusOf('C-2')).getByRole('button', { name: 'Compliant' }));
  await proves('[COMP-019] says that they are saved', () => screen.findByText('Control notes saved.'));
  await waitFor(() => expect(sent(calls)).toHaveLength(2));
  await proves('[COMP-017] creates a record that is Notset', () =>
    expect(sent(calls)[0]).toMatchObject({ method: 'PUT', body: { status: 'Notset', notes: 'One is stuck', controlId: windows.id } }),
  );
  expect(sent(calls)[1]).toMatchObject({ method: 'POST', body: { status: 'Compliant' } });
  const statusById = screen.getByLabelText('Notes on C-1');
  fireEvent.change(statusById, { target: { value: '' } });
  fireEvent.blur(statusById);
  await proves('[COMP-016] saves when the field is left', () => waitFor(() => expect(sent(calls)).toHaveLength(3)));
  expect(sent(calls)[2]).toMatchObject({ method: 'POST', path, body: { notes: null } });
});

it('says what failed, takes the status back and keeps the notes', async () => {
  const fails = refused(500, 'x');
  await open(undefined, { 'PUT /v1/controlStatuses': fails, [`POST ${path}`]: fails, [`DELETE ${path}`]: fails });
  const [first, second] = [await statusOf('C-1'), await statusOf('C-2')];
  fireEvent.click(second.getByRole('button', { name: 'Compliant' }));
  await proves('[ERR-010] says so of a new status', () => screen.findByText('Control status creation failed.'));
  expect(pressed(second.getByRole('button', { name: 'Compliant' }))).toBe('false');
  fireEvent.click(first.getByRole('button', { name: 'Exempt' }));
  await proves('[ERR-011] says so of a changed status', () => screen.findByText('Control status updated failed.'));
  fireEvent.click(first.getByRole('button', { name: 'Compliant' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Remove Status' })).getByRole('button', { name: 'Remove' }));
  await proves('[ERR-012] says so of a removed status', () => screen.findByText('Control Status deletion failed.'));
  expect(pressed(first.getByRole('button', { name: 'Compliant' }))).toBe('true');
  const isKept = async (name: string, text: string) => {
    const notes = screen.getByLabelText<HTMLTextAreaElement>(`Notes on ${name}`);
    fireEvent.change(notes, { target: { value: 'Typed' } });
    fireEvent.blur(notes);
    await screen.findByText(text);
    expect(notes.value).toBe('Typed');
    await waitFor(() => expect(notes.getAttribute('aria-invalid')).toBe('true'));
  };
  await proves('[ERR-013] says so of new notes', () => isKept('C-2', 'Control note creation failed.'));
  await proves('[ERR-014] says so of changed notes', () => isKept('C-1', 'Control note update failed.'));
});

it('exports the week of the set; narrows what it shows by status and text', async () => {
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  URL.createObjectURL = () => 'blob:x';
  URL.revokeObjectURL = () => undefined;
  const { calls, search } = await open(undefined, { 'POST /v1/controlsets/Export()': () => new Response('Control Set\r\n') });
  await statusOf('C-1');
  fireEvent.click(screen.getByRole('button', { name: 'Export to CSV' }));
  await proves('[COMP-020] saves the file under this name', () =>
    waitFor(() => expect(saved).toEqual(['manualresults-wk-2026-11-02.csv'])),
  );
  await proves('[COMP-007] has the week of the set', () => {
    const exported = calls.find((call) => call.path === '/v1/controlsets/Export()');
    expect([exported?.query.get('$filter'), exported?.body]).toEqual([`id eq ${setId}`, { startDate: '2026-11-02', tenantId }]);
  });

  fireEvent.click(screen.getByRole('button', { name: /^Not set/ }));
  await waitFor(() => expect(screen.queryByText('Doors')).toBeNull());
  expect(search().get('status')).toBe('Notset');
  screen.getByText('Windows');
  fireEvent.click(screen.getByRole('button', { name: /^Exempt 0|Exempt0/ }));
  await screen.findByText('No controls match');
  fireEvent.click(screen.getByRole('button', { name: 'Clear search and filters' }));
  await screen.findByText('Doors');
});

it('the down arrow leads from the search to the first control, and from it to the next', async () => {
  await open();
  await statusOf('C-1');
  const search = screen.getByRole('searchbox');
  search.focus();
  fireEvent.keyDown(search, { key: 'ArrowDown' });
  expect(document.activeElement?.textContent).toContain('C-1');
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowDown' });
  expect(document.activeElement?.textContent).toContain('C-2');
});

it('notes that could not be saved are there again after another page of the grid, and are not left without a question', async () => {
  const { router, calls } = await open(undefined, { [`POST ${path}`]: refused(500, 'x') });
  const notes = await screen.findByLabelText('Notes on C-1');
  fireEvent.change(notes, { target: { value: 'Typed' } });
  fireEvent.blur(notes);
  await screen.findByText('Not saved. Leave the field again to retry.');
  fireEvent.click(screen.getByRole('button', { name: /^Not set/ }));
  await waitFor(() => expect(screen.queryByLabelText('Notes on C-1')).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: /^Not set/ }));
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Notes on C-1')).value).toBe('Typed');
  void router.navigate(`/${tenantId}/locations`);
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Unsaved changes' })).getByRole('button', { name: 'No' }));
  expect(router.state.location.pathname).toContain('compliance');
  expect(sent(calls)).toHaveLength(1);
});
