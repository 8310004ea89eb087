import '../../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { currentUserKey } from '../../../api/lookups.ts';
import { queryClient } from '../../../api/query-client.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

const mara = 'mara@northwind.example';
const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway east-07 is silent',
  severityId: 'Sev1',
  stateId: 'New',
  assignedTo: null as string | null,
  assignmentGroup: null as string | null,
  resolution: null as string | null,
  tenantId,
  workUnitTypeId: 1,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  relations: [],
  properties: null,
  effort: null,
  occurrences: 0,
  created: '2026-11-21T10:00:00Z',
  createdBy: 'System',
  modified: '2026-11-21T10:00:00Z',
  modifiedBy: 'System',
};
type Unit = typeof unit;
const second = { ...unit, workUnitId: 8, publicWorkUnitId: 1008, title: 'Pump 4 is hot' };
const request = { ...unit, workUnitId: 9, publicWorkUnitId: 1009, title: 'New badge', workUnitTypeId: 3, stateId: 'InProgress' };

interface SentStep {
  op: string;
  path: string;
  value: unknown;
}

/** A server that has the units, applies what is sent, and refuses what `refuses` names. */
function world(units: readonly Unit[] = [unit, second, request], answers: Answers = {}) {
  const rows = new Map(units.map((row) => [row.workUnitId, row]));
  const change = (id: number, values: object) => {
    const row = { ...(rows.get(id) ?? unit), ...values };
    rows.set(id, row);
    return row;
  };
  const patched = ({ path, body }: ApiCall) => {
    const steps = body as readonly SentStep[];
    return change(
      Number(path.split('/').at(-1)),
      Object.fromEntries(steps.filter(({ op }) => op === 'replace').map((s) => [s.path.slice(1), s.value])),
    );
  };
  const bulk = ({ body }: ApiCall) => ({
    value: (body as readonly { id: number; newState?: object; patch?: readonly SentStep[] }[]).map(({ id, newState, patch = [] }) =>
      change(id, newState ?? Object.fromEntries(patch.filter(({ op }) => op === 'replace').map((s) => [s.path.slice(1), s.value]))),
    ),
  });
  return {
    rows,
    answers: {
      'GET /v1/workUnits': () => list([...rows.values()]),
      'PATCH /v1/workUnits': bulk,
      ...Object.fromEntries(
        units.flatMap(({ workUnitId: id }) => [
          [`GET /v1/workUnits(${id})`, () => rows.get(id)],
          [`PATCH /v1/workUnits/${id}`, patched],
        ]),
      ),
      workUnitHistory: { value: [] },
      resolveWorkUnits: ({ ids, resolution }: { ids: readonly number[]; resolution: string }) => ({
        value: ids.map((id) => change(id, { stateId: 'Resolved', resolution, assignedTo: mara })),
      }),
      ...answers,
    } as Answers,
  };
}

beforeEach(() => {
  localStorage.clear();
  // jsdom lays nothing out, so that no element would have a visible parent.
  Object.defineProperty(HTMLElement.prototype, 'offsetParent', { configurable: true, get: () => document.body });
});

const rowOf = async (title: string) => (await screen.findByRole('link', { name: title })).closest('tr') as HTMLElement;
const press = (key: string, init: object = {}) => fireEvent.keyDown(document.activeElement ?? document.body, { key, ...init });
const writes = (calls: readonly ApiCall[]) =>
  calls
    .filter(({ method }) => method === 'PATCH' || method === 'POST')
    .filter(({ path }) => /workunits/i.test(path) && !path.includes('presence'));

async function open(server = world(), address = '/workunitsv2?f=') {
  const app = await renderApp(address, server.answers);
  const row = await rowOf(unit.title);
  // The verbs need to know who the person is.
  await waitFor(() => expect(queryClient.getQueryData(currentUserKey)).toBeTruthy());
  act(() => row.focus());
  return { ...app, row, server };
}
const steps = (call: ApiCall | undefined) =>
  Object.fromEntries(
    ((call?.body ?? []) as readonly SentStep[]).filter(({ op }) => op === 'replace').map((step) => [step.path, step.value]),
  );

it('a acknowledges the row that has the focus, without opening it, and offers to undo it', async () => {
  const { calls, search, row, server } = await open();
  press('a');
  await screen.findByText('Work unit #1007 acknowledged.');
  expect(steps(writes(calls)[0])).toEqual({ '/stateId': 'Acknowledged', '/assignedTo': mara });
  expect(search().has('workUnitId')).toBe(false);
  expect(document.activeElement).toBe(row);
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Undone for 1 work unit.');
  expect(server.rows.get(7)).toMatchObject({ stateId: 'New', assignedTo: null });
});

it('reads the list once more after an acknowledgement, and nothing else', async () => {
  const { calls } = await open();
  const before = calls.length;
  press('a');
  await screen.findByText('Work unit #1007 acknowledged.');
  await waitFor(() => expect(within(screen.getByRole('table')).getAllByText('Acknowledged').length).toBeGreaterThan(0));
  const later = calls.slice(before).filter(({ path }) => /workunits/i.test(path));
  expect(later.map(({ method, path }) => `${method} ${path}`)).toEqual(['PATCH /v1/workUnits/7', 'GET /v1/workUnits']);
});

it('m assigns the row to the person', async () => {
  const { calls } = await open();
  press('m');
  await screen.findByText('Work unit #1007 assigned to Mara Okafor.');
  expect(steps(writes(calls)[0])).toEqual({ '/assignedTo': mara });
});

it('s and a digit change the severity', async () => {
  const { calls } = await open();
  press('s');
  const menu = await screen.findByRole('menu', { name: 'Severity of work unit #1007' });
  expect(within(menu).getByRole('menuitemcheckbox', { name: 'Sev1' }).getAttribute('aria-checked')).toBe('true');
  press('3');
  await screen.findByText('Severity of work unit #1007 is Sev3.');
  expect(steps(writes(calls)[0])).toEqual({ '/severityId': 'Sev3' });
});

it('r asks for the resolution and resolves a New unit by one call', async () => {
  const { calls } = await open();
  press('r');
  const dialog = within(await screen.findByRole('dialog', { name: 'Resolve work unit #1007' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Resolve' }));
  await dialog.findByText('This field is required.');
  expect(writes(calls)).toEqual([]);
  fireEvent.change(dialog.getByRole('textbox', { name: /Resolution/ }), { target: { value: 'A fuse.' } });
  press('Enter', { ctrlKey: true });
  await screen.findByText('Work unit #1007 resolved.');
  expect(writes(calls).map(({ path, input }) => [path, input])).toEqual([['/v1/workUnits/resolve', { ids: [7], resolution: 'A fuse.' }]]);
});

it('undoes a resolution with what the unit on hold waited for', async () => {
  const onHold = { ...unit, stateId: 'OnHold', holdReason: 'Supplier', assignedTo: mara };
  const server = world([onHold]);
  Object.assign(server.answers, {
    resolveWorkUnits: { value: [{ ...onHold, stateId: 'Resolved', holdReason: null, resolution: 'A fuse.' }] },
  });
  const { calls } = await open(server);
  press('r');
  const dialog = within(await screen.findByRole('dialog', { name: 'Resolve work unit #1007' }));
  fireEvent.change(dialog.getByRole('textbox', { name: /Resolution/ }), { target: { value: 'A fuse.' } });
  press('Enter', { ctrlKey: true });
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(writes(calls)).toHaveLength(2));
  expect(JSON.stringify(writes(calls)[1]?.body)).toContain('"path":"/holdReason","value":"Supplier"');
});

it('a text that the server did not take is sent again by the message', async () => {
  let fails = true;
  const server = world();
  const { resolveWorkUnits } = server.answers;
  server.answers.resolveWorkUnits = (input) => {
    if (!fails) return (resolveWorkUnits as (of: object) => never)(input);
    fails = false;
    throw new TypeError('Failed to fetch');
  };
  const { calls } = await open(server);
  press('r');
  const dialog = within(await screen.findByRole('dialog', { name: 'Resolve work unit #1007' }));
  fireEvent.change(dialog.getByRole('textbox', { name: /Resolution/ }), { target: { value: 'A fuse.' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Resolve' }));
  await screen.findByText('The server did not confirm the change of work unit #1007. Please check it and try again.');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Work unit #1007 resolved.');
  expect(writes(calls).map(({ input }) => input)).toEqual([
    { ids: [7], resolution: 'A fuse.' },
    { ids: [7], resolution: 'A fuse.' },
  ]);
});

it('a text for a unit that somebody else has resolved first becomes a note by the message', async () => {
  const server = world([unit, second], {
    resolveWorkUnits: refused(409, 'Work unit #1007 is Resolved already.'),
    workUnitNotes: [{ workUnitId: 7, createdBy: 'jonas@northwind.example' }],
    'PUT /v1/workUnitNotes': {},
  });
  const { calls } = await open(server);
  press('r');
  const dialog = within(await screen.findByRole('dialog', { name: 'Resolve work unit #1007' }));
  fireEvent.change(dialog.getByRole('textbox', { name: /Resolution/ }), { target: { value: 'A fuse.' } });
  server.rows.set(7, { ...unit, stateId: 'Resolved', resolution: 'The pump.' });
  fireEvent.click(dialog.getByRole('button', { name: 'Resolve' }));
  await screen.findByText('Jonas Feld was first: work unit #1007 is Resolved now. Nothing was changed.');
  fireEvent.click(screen.getByRole('button', { name: 'Add my text as a note' }));
  await screen.findByText('Note added successfully!');
  expect(calls.find(({ method, path }) => method === 'PUT' && path === '/v1/workUnitNotes')?.body).toEqual({
    workUnitId: 7,
    detail: 'A fuse.',
  });
});

it('the rest of a selection is resolved by the message, after one of it has ended meanwhile', async () => {
  const server = world([unit, second]);
  const { resolveWorkUnits } = server.answers;
  server.answers.resolveWorkUnits = (input) =>
    (input as { ids: readonly number[] }).ids.includes(7)
      ? refused(409, 'Work unit #1007 is Resolved already.')()
      : (resolveWorkUnits as (of: object) => never)(input);
  await open(server);
  for (const title of [unit.title, second.title]) fireEvent.click(within(await rowOf(title)).getByRole('checkbox'));
  press('r');
  const dialog = within(await screen.findByRole('dialog', { name: 'Resolve 2 work units' }));
  fireEvent.change(dialog.getByRole('textbox', { name: /Resolution/ }), { target: { value: 'A fuse.' } });
  server.rows.set(7, { ...unit, stateId: 'Resolved', resolution: 'The pump.' });
  fireEvent.click(dialog.getByRole('button', { name: 'Resolve' }));
  await screen.findByText('Work unit #1007 is Resolved already.');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Work unit #1008 resolved.');
});

it('a verb without an answer is tried again by its message, and not done twice when the first try had arrived', async () => {
  let isLost = true;
  const server = world();
  const patch = server.answers['PATCH /v1/workUnits/7'] as (of: object) => never;
  server.answers['PATCH /v1/workUnits/7'] = (input: object) => {
    const answer = patch(input);
    if (!isLost) return answer;
    isLost = false;
    throw new TypeError('Failed to fetch');
  };
  const all = server.answers['GET /v1/workUnits'] as () => object;
  server.answers['GET /v1/workUnits'] = () => (isLost ? all() : list([server.rows.get(7) ?? unit]));
  const { calls } = await open(server);
  press('a');
  await screen.findByText(/did not confirm that work unit #1007 is acknowledged/);
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('None of them is New: nothing to acknowledge.');
  expect(writes(calls)).toHaveLength(1);
});

it('what has ended is opened again, for whom it was assigned to', async () => {
  const server = world();
  server.rows.set(7, { ...unit, stateId: 'Resolved', assignedTo: mara });
  const { calls } = await open(server, '/workunitsv2?f=&workUnitId=7');
  const bar = within(await screen.findByRole('toolbar', { name: 'Actions of the work unit' }));
  fireEvent.click(await bar.findByRole('button', { name: 'Reopen' }));
  await screen.findByText('Work unit #1007 is open again.');
  expect(steps(writes(calls).at(-1))).toEqual({ '/stateId': 'InProgress' });
});

it('j and k go to the rows, also when none has the focus yet', async () => {
  const { row } = await open();
  act(() => row.blur());
  press('j');
  expect(document.activeElement).toBe(row);
  press('j');
  expect(document.activeElement).toBe(await rowOf(second.title));
  press('k');
  expect(document.activeElement).toBe(row);
  press('k');
  expect(document.activeElement).toBe(row);
});

it('n opens the unit and goes to the note; j and k go to the next and the previous unit', async () => {
  const { search } = await open();
  press('n');
  await screen.findByRole('dialog', { name: /Edit Work Unit #1007/ });
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Note'));
  press('j');
  expect(search().get('workUnitId')).toBe('7');
  act(() => screen.getByRole('dialog', { name: /Edit Work Unit #1007/ }).focus());
  press('j');
  await waitFor(() => expect(search().get('workUnitId')).toBe('8'));
  await screen.findByRole('dialog', { name: /Edit Work Unit #1008/ });
  press('k');
  await waitFor(() => expect(search().get('workUnitId')).toBe('7'));
});

it('the bar says the place of the unit in its list, and leads to the next and the previous one', async () => {
  const { search } = await open();
  press('n');
  const first = await screen.findByRole('dialog', { name: /Edit Work Unit #1007/ });
  await within(first).findByText('1 of 3');
  expect(within(first).getByRole<HTMLButtonElement>('button', { name: 'Previous work unit' }).disabled).toBe(true);
  fireEvent.click(within(first).getByRole('button', { name: 'Next work unit' }));
  await waitFor(() => expect(search().get('workUnitId')).toBe('8'));
  const next = await screen.findByRole('dialog', { name: /Edit Work Unit #1008/ });
  await within(next).findByText('2 of 3');
  expect(within(next).getByRole<HTMLButtonElement>('button', { name: 'Next work unit' }).disabled).toBe(false);
  fireEvent.click(within(next).getByRole('button', { name: 'Previous work unit' }));
  await waitFor(() => expect(search().get('workUnitId')).toBe('7'));
});

it('the bar of the unit has the verbs with their keys, which work in the panel', async () => {
  const { calls } = await open(world(), '/workunitsv2?f=&workUnitId=7');
  const panel = await screen.findByRole('dialog', { name: /Edit Work Unit #1007/ });
  const bar = await within(panel).findByRole('toolbar', { name: 'Actions of the work unit' });
  expect(
    within(bar)
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['AcknowledgeA', 'Assign to meM', 'Resolve…R', 'NoteN', '', '', '']);
  act(() => panel.focus());
  press('a');
  await screen.findByText('Work unit #1007 acknowledged.');
  await waitFor(() =>
    expect(
      within(bar)
        .getAllByRole('button')
        .map((button) => button.textContent),
    ).toEqual(['Resolve…R', 'NoteN', '', '', '']),
  );
  expect(writes(calls)).toHaveLength(1);
});

it('keys act on the selected rows, of several types by a request each, and one undo takes all back', async () => {
  const { calls, server } = await open();
  for (const title of [unit.title, second.title, request.title]) fireEvent.click(within(await rowOf(title)).getByRole('checkbox'));
  press('m');
  await screen.findByText('3 work units assigned to Mara Okafor.');
  expect(writes(calls).map(({ body }) => body)).toEqual([
    [7, 8].map((id) => ({ id, previousState: { assignedTo: null }, newState: { assignedTo: mara } })),
    [{ id: 9, previousState: { assignedTo: null }, newState: { assignedTo: mara } }],
  ]);
  press('a');
  await screen.findByText('2 work units acknowledged.');
  await waitFor(() => expect(screen.queryByText('3 selected')).toBeNull());
  expect([...server.rows.values()].map(({ stateId }) => stateId)).toEqual(['Acknowledged', 'Acknowledged', 'InProgress']);
  const message = screen.getByText('3 work units assigned to Mara Okafor.').closest<HTMLElement>('.toast') as HTMLElement;
  fireEvent.click(within(message).getByRole('button', { name: 'Undo' }));
  await screen.findByText('Undone for 3 work units.');
  expect([...server.rows.values()].map(({ assignedTo }) => assignedTo)).toEqual([null, null, null]);
});

it('Shift and a click selects the range, also upwards, and the Actions menu sets its group', async () => {
  const { calls } = await open();
  const box = async (title: string) => within(await rowOf(title)).getByRole('checkbox');
  fireEvent.click(await box(request.title));
  fireEvent.click(await box(unit.title), { shiftKey: true });
  await screen.findByText('3 selected');
  fireEvent.click(screen.getByRole('button', { name: 'Actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Assignment Group…' }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Network' }));
  await screen.findByText('Assignment Group of 3 work units is Network.');
  expect(writes(calls).flatMap(({ body }) => (body as { id: number }[]).map(({ id }) => id))).toEqual([7, 8, 9]);
});

it('[WU-105] asks before a group takes units from who has them', async () => {
  const assigned = { ...second, stateId: 'InProgress', assignedTo: 'jonas@northwind.example' };
  const { calls } = await open(world([unit, assigned]));
  act(() => screen.getByRole('link', { name: assigned.title }).closest('tr')?.focus());
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  fireEvent.change(await screen.findByRole('combobox', { name: 'Command palette' }), { target: { value: 'assignment group' } });
  fireEvent.click(await screen.findByRole('option', { name: /Assignment Group/ }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Network' }));
  await screen.findByText('Do you want to remove the current Assigned To and set the State to New with this Assignment Group change?');
  fireEvent.click(screen.getByRole('button', { name: 'Yes' }));
  await screen.findByText('Assignment Group of work unit #1008 is Network.');
  expect(steps(writes(calls)[0])).toEqual({ '/assignmentGroup': 'Network', '/assignedTo': null, '/stateId': 'New' });
});

it('a click on state, severity or assignee in a row chooses there, without opening the unit', async () => {
  const { calls, search } = await open(world(), '/workunitsv2?f=');
  const cell = async (name: RegExp) => within(await rowOf(unit.title)).getByRole('button', { name });
  fireEvent.click(await cell(/^New, State of work unit #1007/));
  const states = await screen.findByRole('menu', { name: 'State of work unit #1007' });
  expect(
    within(states)
      .getAllByRole('menuitemcheckbox')
      .map((item) => item.textContent),
  ).toEqual(['New1', 'Acknowledged2', 'Resolve…3', 'Canceled4']);
  fireEvent.click(within(states).getByRole('menuitemcheckbox', { name: 'Canceled' }));
  await screen.findByText('State of work unit #1007 is Canceled.');
  fireEvent.click(await cell(/^Sev1, Severity of work unit #1007/));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Sev0' }));
  await screen.findByText('Severity of work unit #1007 is Sev0.');
  fireEvent.click(await cell(/^Unassigned, Assigned To of work unit #1007/));
  fireEvent.click(
    within(await screen.findByRole('dialog', { name: 'Assign to of work unit #1007' })).getByRole('button', { name: 'Assign to me' }),
  );
  await screen.findByText('Work unit #1007 assigned to Mara Okafor.');
  expect(search().has('workUnitId')).toBe(false);
  expect(writes(calls).map(steps)).toEqual([{ '/stateId': 'Canceled' }, { '/severityId': 'Sev0' }, { '/assignedTo': mara }]);
});

it('puts a unit on hold with what it waits for', async () => {
  const { calls } = await open(world([{ ...unit, stateId: 'Acknowledged' }]), '/workunitsv2?f=');
  fireEvent.click(within(await rowOf(unit.title)).getByRole('button', { name: /^Acknowledged, State of work unit #1007/ }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'OnHold, waiting for: Customer' }));
  await screen.findByText('State of work unit #1007 is OnHold, waiting for: Customer.');
  expect(writes(calls).map(steps)).toEqual([{ '/stateId': 'OnHold', '/holdReason': 'Customer' }]);
});

it('shows a change as pending until the server has answered', async () => {
  let answer: (row: object) => void = () => undefined;
  const pending = () => new Promise((resolve) => (answer = resolve));
  const { row } = await open(world([unit, second], { 'PATCH /v1/workUnits/7': pending }));
  press('s');
  await screen.findByRole('menu');
  press('4');
  expect((await within(row).findByText('Saving…')).closest('[aria-busy=true]')).toBeTruthy();
  expect(within(row).queryByText('Sev4')).toBeNull();
  act(() => answer({ ...unit, severityId: 'Sev4' }));
  await waitFor(() => expect(within(row).queryByText('Saving…')).toBeNull());
});

const tested = { code: 'TestFailed', message: 'value is not equal to the test value' };
const conflict = (ids: readonly number[]) => () =>
  Response.json(
    {
      error: {
        code: 'TestFailed',
        message: 'New is not equal to the test value',
        details: ids.map((id) => ({ ...tested, target: `${id}/stateId` })),
      },
    },
    { status: 409 },
  );

it('says who was first when somebody else took the unit', async () => {
  const server = world([unit, second], {
    'PATCH /v1/workUnits/7': conflict([7]),
    workUnitNotes: [{ workUnitId: 7, createdBy: 'jonas@northwind.example' }],
  });
  await open(server);
  server.rows.set(7, { ...unit, stateId: 'Acknowledged', assignedTo: 'jonas@northwind.example' });
  press('a');
  await screen.findByText('Jonas Feld was first: work unit #1007 is Acknowledged now. Nothing was changed.');
});

it('changes the others of a selection and says who was first at which', async () => {
  let tries = 0;
  const server = world([unit, second], { workUnitNotes: [{ workUnitId: 7, createdBy: 'jonas@northwind.example' }] });
  const accept = server.answers['PATCH /v1/workUnits'] as (call: ApiCall) => object;
  server.answers['PATCH /v1/workUnits'] = (call: ApiCall) => ((tries += 1) === 1 ? conflict([7])() : accept(call));
  await open(server);
  for (const title of [unit.title, second.title]) fireEvent.click(within(await rowOf(title)).getByRole('checkbox'));
  press('a');
  await screen.findByText('1 work unit not changed: #1007: Jonas Feld was first.');
  await screen.findByText('Work unit #1008 acknowledged.');
});

it('the palette offers the verbs for the focused row, and people after "assign to"', async () => {
  const people = [{ displayName: 'Jonas Feld', mail: 'jonas@northwind.example', personId: 'p2' }];
  const { calls } = await open(world([unit, second], { peopleLookup: people } as Answers));
  fireEvent.keyDown(document.activeElement as Element, { key: 'k', ctrlKey: true });
  const input = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Command palette' });
  fireEvent.change(input, { target: { value: 'acknowledge' } });
  await screen.findByRole('option', { name: /^Acknowledge/ });
  fireEvent.change(input, { target: { value: 'sev2' } });
  await screen.findByRole('option', { name: 'Severity Sev2' });
  fireEvent.change(input, { target: { value: 'assign to' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Assign to…' }));
  expect(input.value).toBe('Assign to ');
  fireEvent.change(input, { target: { value: 'Assign to jon' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Assign to Jonas Feld' }));
  await screen.findByText('Work unit #1007 assigned to Jonas Feld.');
  expect(steps(writes(calls)[0])).toEqual({ '/assignedTo': 'jonas@northwind.example' });
});

it('a row that leaves the list gives the focus to the next one', async () => {
  const server = world();
  server.answers['GET /v1/workUnits'] = () => list([...server.rows.values()].filter(({ stateId }) => stateId === 'New'));
  await open(server);
  press('a');
  await screen.findByText('Work unit #1007 acknowledged.');
  await waitFor(() => expect(document.activeElement?.textContent).toContain(second.title));
});

it.each([
  ['the one in the place of its unit, which has left the list', ['a'], second.title],
  ['that of the unit that it showed last', ['j'], second.title],
])('a panel that closes gives the focus to a row: %s', async (_what, keys, title) => {
  const server = world([unit, second]);
  server.answers['GET /v1/workUnits'] = () => list([...server.rows.values()].filter(({ stateId }) => stateId === 'New'));
  const { search } = await open(server);
  press('Enter');
  await screen.findByRole('dialog', { name: /^Edit Work Unit/ });
  for (const key of keys) press(key);
  await waitFor(() => {
    const isLeft = search().get('workUnitId') === '8' || document.querySelectorAll('tr[data-row]').length === 1;
    expect(isLeft).toBe(true);
  });
  press('Escape');
  await waitFor(() => expect(search().has('workUnitId')).toBe(false));
  await waitFor(() => expect(document.activeElement?.closest('tr')?.textContent).toContain(title));
});

it('offers nothing to those who may only look', async () => {
  const server = world([unit, second], { 'GET /v1/permissions': ['CloudFit.CFS.WorkUnits:view'] });
  const { calls, row } = await open(server);
  press('a');
  press('s');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(within(row).queryByRole('button')).toBeNull();
  expect(writes(calls)).toEqual([]);
});

it('snoozes the row by z until a chosen time, and wakes a unit that says until when it is snoozed', async () => {
  const snoozed = { ...unit, snoozedUntil: '2026-11-30T08:00:00Z', snoozedBy: 'jonas@northwind.example' };
  const server = world(undefined, { snoozeWorkUnits: { value: [] } });
  const { row, inputsOf } = await open(server);
  press('z');
  const menu = within(await screen.findByRole('menu', { name: `Snooze work unit #${unit.publicWorkUnitId}` }));
  expect(menu.queryByRole('menuitem', { name: /Wake/ })).toBeNull();
  fireEvent.click(menu.getByRole('menuitem', { name: /Until tomorrow, 8:00/ }));
  await screen.findByText(`Work unit #${unit.publicWorkUnitId} snoozed.`);
  expect(inputsOf('snoozeWorkUnits')).toEqual([{ ids: [unit.workUnitId], until: expect.any(String) }]);
  expect(row).toBeTruthy();
  const later = await renderApp(`/workunitsv2?workUnitId=${unit.workUnitId}`, {
    ...world(undefined, { snoozeWorkUnits: { value: [] } }).answers,
    [`GET /v1/workUnits(${unit.workUnitId})`]: snoozed,
  });
  expect((await screen.findByText(/^Snoozed until/)).textContent).toContain('or until something changes');
  fireEvent.click(await screen.findByRole('button', { name: 'More' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Snooze…/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /Wake/ }));
  await screen.findByText(`Work unit #${unit.publicWorkUnitId} is not snoozed any more.`);
  expect(later.inputsOf('snoozeWorkUnits')).toEqual([{ ids: [unit.workUnitId], until: null }]);
});

it('closes the open choice when the person goes to another screen, and does not open it again on the way back', async () => {
  const { router } = await open();
  press('z');
  await screen.findByRole('menu', { name: `Snooze work unit #${unit.publicWorkUnitId}` });
  await act(() => router.navigate(`/${tenantId}/locations`));
  expect(screen.queryByRole('menu')).toBeNull();
  await act(() => router.navigate(-1));
  await screen.findByText(unit.title);
  expect(screen.queryByRole('menu')).toBeNull();
});
