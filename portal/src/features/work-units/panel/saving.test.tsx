/** Saves a unit while others do: requests, merges, choices, and that no typed text is lost. */
import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { presenceBeatSeconds, presenceEntity } from '@cloudfit/contract/presence.ts';
import { queryClient } from '../../../api/query-client.ts';
import { refused, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

const unit = {
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
const conflictText = 'This Work Unit was modified by another user. Please discard your changes without saving and refresh it.';

/** The server's unit; tests change it in the name of somebody else. */
let saved: Record<string, unknown>;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  saved = { ...unit };
});

afterEach(cleanup);

/** Evaluates `test` operations as the server does. */
function patch(call: ApiCall): unknown {
  const operations = call.body as { op: string; path: string; value: unknown }[];
  for (const { op, path, value } of operations) {
    const name = path.slice(1);
    if (op === 'test' && (saved[name] ?? null) !== value)
      return refused(
        409,
        `The current value '${String(saved[name])}' at path '${name}' is not equal to the test value '${String(value)}'.`,
      )();
    if (op === 'replace') saved = { ...saved, [name]: value };
  }
  return saved;
}

const answers = (): Answers => ({
  'GET /v1/workUnits(7)': () => Response.json(saved),
  'GET /v1/workunits/GetWorkUnitHistoryRecords(workUnitId=7)': { value: [] },
  'PATCH /v1/workunits/7': patch,
});
const address = '/workunitsv2?workUnitId=7';
const open = (more: Answers = {}) => renderApp(address, { ...answers(), ...more });
const field = (label: string) => screen.findByLabelText<HTMLInputElement>(new RegExp(`^${label}`), { selector: 'input, textarea, select' });
const type = async (label: string, value: string) => fireEvent.change(await field(label), { target: { value } });
const save = () => fireEvent.click(screen.getByRole('button', { name: 'Save' }));
/** Simulates a change by somebody else: refetches, as an event of the stream of changes does. */
const elseChanges = async (change: Record<string, unknown>) => {
  saved = { ...saved, ...change };
  await queryClient.invalidateQueries({ queryKey: ['workUnits'] });
};

it('sends only what changed, each with a test of what it was', async () => {
  const { calls } = await open();
  await type('Title', 'Gateway is back');
  save();
  await screen.findByText('Work unit saved.');
  expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual([
    { op: 'test', path: '/title', value: 'Gateway is silent' },
    { op: 'replace', path: '/title', value: 'Gateway is back' },
  ]);
});

it('merges changes of other fields into the form without a word, and saves over none of them', async () => {
  const { calls } = await open();
  await type('Title', 'Gateway is back');
  await elseChanges({ severityId: 'Sev3' });
  await waitFor(async () => expect((await field('Severity')).value).toBe('Sev3'));
  expect((await field('Title')).value).toBe('Gateway is back');
  expect(screen.queryByRole('region', { name: 'Changed by somebody else too' })).toBeNull();
  save();
  await screen.findByText('Work unit saved.');
  expect(calls.filter((call) => call.method === 'PATCH').map((call) => (call.body as unknown[]).length)).toEqual([2]);
  expect(saved).toMatchObject({ title: 'Gateway is back', severityId: 'Sev3' });
});

it('calls it no change when somebody else typed the same', async () => {
  await open();
  await type('Title', 'Gateway is back');
  await elseChanges({ title: 'Gateway is back' });
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true));
});

it('[ERR-050] [ERR-051] shows a conflict field by field after a refused save; mine stays when it is chosen', async () => {
  await open();
  await type('Title', 'Gateway is back');
  await type('Description', 'A fuse.');
  saved = { ...saved, title: 'Gateway 7 is silent', description: 'A cable.', severityId: 'Sev3' };
  save();
  expect((await screen.findAllByText(conflictText)).length).toBeGreaterThan(0);
  const box = await screen.findByRole('region', { name: 'Changed by somebody else too' });
  const title = within(await within(box).findByRole('group', { name: 'Title' }));
  for (const text of ['Gateway is back', 'Gateway 7 is silent', 'Gateway is silent']) expect(title.getByText(text)).toBeTruthy();
  await title.findByText(/changed by tom/);
  expect((await field('Title')).value).toBe('Gateway is back');

  fireEvent.click(title.getByRole('button', { name: 'Keep mine: Title “Gateway is back”' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Take theirs: Description “A cable.”' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Changed by somebody else too' })).toBeNull());
  expect([(await field('Title')).value, (await field('Description')).value]).toEqual(['Gateway is back', 'A cable.']);
  save();
  await waitFor(() => expect(saved).toMatchObject({ title: 'Gateway is back', description: 'A cable.', severityId: 'Sev3' }));
});

it('shows a conflict as soon as it arises, and hands the focus on', async () => {
  await open();
  await type('Title', 'Gateway is back');
  await elseChanges({ title: 'Gateway 7 is silent' });
  const take = await screen.findByRole('button', { name: 'Take theirs: Title “Gateway 7 is silent”' });
  expect(screen.getByText('A field that you are changing was changed by somebody else. Choose which value stays.')).toBeTruthy();
  take.focus();
  fireEvent.click(take);
  await waitFor(async () => expect((await field('Title')).value).toBe('Gateway 7 is silent'));
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
});

it('keeps what is typed while a save is under way', async () => {
  let release = (): void => undefined;
  const answered = new Promise<void>((done) => (release = done));
  /** Answers a patch late. */
  const late = (call: ApiCall) => {
    const body = new TextEncoder().encode(JSON.stringify(patch(call)));
    return new Response(new ReadableStream({ start: (stream) => void answered.then(() => (stream.enqueue(body), stream.close())) }));
  };
  const { calls } = await open({ 'PATCH /v1/workunits/7': late });
  await type('Title', 'Gateway is back');
  save();
  await waitFor(() => expect(saved).toMatchObject({ title: 'Gateway is back' }));
  await type('Title', 'Gateway is back again');
  release();
  await screen.findByText('Work unit saved.');
  expect((await field('Title')).value).toBe('Gateway is back again');
  save();
  await waitFor(() => expect(saved).toMatchObject({ title: 'Gateway is back again' }));
  expect(calls.filter((call) => call.method === 'PATCH')[1]?.body).toMatchObject([{ op: 'test', value: 'Gateway is back' }, {}]);
});

it('brings back what was typed when the same person opens the unit again, until it is saved', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  // The session ended: the page closes without a question.
  first.unmount();
  await open();
  await screen.findByText(/1 unsaved change was restored, typed/);
  expect((await field('Title')).value).toBe('Gateway is back');
  save();
  await screen.findByText('Work unit saved.');
  await waitFor(() => expect(screen.queryByText(/was restored/)).toBeNull());
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('cloudfit.draft.workUnits'))).toEqual([]);
});

it('shows what was typed beside what somebody else saved meanwhile', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  first.unmount();
  saved = { ...saved, title: 'Gateway 7 is silent' };
  await open();
  await screen.findByRole('button', { name: 'Take theirs: Title “Gateway 7 is silent”' });
  expect((await field('Title')).value).toBe('Gateway is back');
});

it('drops a draft that is discarded, and one that is given up by closing', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  first.unmount();
  await open();
  await screen.findByText(/was restored/);
  fireEvent.click(screen.getAllByRole('button', { name: 'Discard' })[0] as HTMLElement);
  await waitFor(async () => expect((await field('Title')).value).toBe('Gateway is silent'));
  expect(sessionStorage.length).toBe(0);

  await type('Title', 'Another');
  expect(sessionStorage.length).toBe(1);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  fireEvent.click(await screen.findByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
});

it('shows nobody the draft of another person', async () => {
  const first = await open();
  await type('Title', 'Gateway is back');
  first.unmount();
  await open({
    'GET /v1/currentUser': { personId: 'p2', name: 'Tom Berg', userName: 'tom@northwind.example', tenantId, subscriptionId: null },
  });
  expect((await field('Title')).value).toBe('Gateway is silent');
  expect(screen.queryByText(/was restored/)).toBeNull();
});

it.each([
  [
    '[ERR-052]',
    400,
    [{ target: 'title', message: 'Please enter the title' }],
    'Please enter the title Please refresh the Work Unit and try again.',
  ],
  ['[ERR-053]', 400, [], 'Invalid user input was sent to the API. Please verify your input and try again.'],
  [
    '[ERR-054]',
    503,
    [],
    'A server error prevented saving this Work Unit. These errors are often temporary. Please retry saving in just a moment.',
  ],
  ['[ERR-055]', 0, [], 'An unknown error has occurred. Please retry saving in just a moment.'],
])('%s a save that fails with %i keeps what was typed and says why', async (_id, status, details, text) => {
  const answer = () => {
    if (status === 0) throw new TypeError('Failed to fetch');
    return refused(status, 'No.', details)();
  };
  await open({ 'PATCH /v1/workunits/7': answer });
  await type('Title', 'Gateway is back');
  save();
  await screen.findByText(text);
  expect((await field('Title')).value).toBe('Gateway is back');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(false);
});

it('tells that it looks, edits and goes, and shows who else is there', async () => {
  const others = [
    { name: 'Tom Berg', userName: 'tom@northwind.example', state: 'editing', since: unit.created },
    { name: 'Ana Lima', userName: 'ana@northwind.example', state: 'looking', since: unit.created },
  ];
  const { calls, unmount } = await open({ 'POST /v1/workunits/7/presence': { value: others } });
  expect((await screen.findByTitle('Tom Berg is editing this work unit (tom@northwind.example)')).textContent).toContain('TB');
  expect(screen.getByTitle('Ana Lima is looking at this work unit (ana@northwind.example)')).toBeTruthy();
  await type('Title', 'Gateway is back');
  const presenceStates = () =>
    calls.filter((call) => call.path.endsWith('/presence')).map((call) => (call.body as { state: string }).state);
  await waitFor(() => expect(presenceStates()).toEqual(['looking', 'editing']));
  unmount();
  await waitFor(() => expect(presenceStates()).toEqual(['looking', 'editing', 'gone']));
});

it('tells that it edits when the editing began while the first report was on its way', async () => {
  let answer: (() => void) | undefined;
  const reported: string[] = [];
  await open({
    'POST /v1/workunits/7/presence': ({ body }: ApiCall) => {
      reported.push((body as { state: string }).state);
      return reported.length > 1 ? { value: [] } : new Promise((resolve) => (answer = () => resolve({ value: [] })));
    },
  });
  await waitFor(() => expect(reported).toEqual(['looking']));
  await type('Title', 'Gateway is back');
  await screen.findByText('1 unsaved change');
  answer?.();
  // Before the next regular report.
  await waitFor(() => expect(reported).toEqual(['looking', 'editing']), { timeout: (presenceBeatSeconds * 1_000) / 2 });
});

it('tells nobody that a unit is looked at while the portal is seen as another person', async () => {
  const waiting = () => queryClient.getQueryState([presenceEntity, '7'])?.fetchStatus;
  sessionStorage.setItem(
    'seeAs',
    JSON.stringify({ seeAsId: 's1', name: 'Tom Berg', expires: new Date(Date.now() + 600_000).toISOString() }),
  );
  const { calls, unmount } = await open();
  await screen.findAllByText('Gateway is silent');
  await waitFor(() => expect(waiting()).toBe('idle'));
  unmount();
  expect(calls.filter(({ path }) => path.endsWith('/presence'))).toEqual([]);
});

it('shows nothing of the unit any longer when the right to see it is taken away, or when it is gone', async () => {
  let left: (() => Response) | undefined;
  await open({ 'GET /v1/workUnits(7)': () => left?.() ?? Response.json(saved) });
  await field('Title');
  left = refused(403, 'You do not have access to one or more requested resources');
  await elseChanges({});
  expect(await screen.findByText('You do not have access to one or more requested resources', { selector: '.state *' })).toBeTruthy();
  expect(screen.queryByText('Nobody knows why.')).toBeNull();
  expect(screen.queryByLabelText(/^Title/)).toBeNull();
  left = refused(404, 'Not found.');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/was not found. It may have been deleted/)).toBeTruthy();
});

describe('a new unit', () => {
  const openNew = async (more: Answers = {}) => {
    const app = await renderApp('/workunitsv2?workUnitId=new&type=1', { ...answers(), ...more });
    await field('Title');
    return app;
  };

  it('has the focus in its title', async () => {
    await openNew();
    expect(document.activeElement).toBe(await field('Title'));
  });

  it('[AUTH-010] keeps what was typed, and where it was typed, when the session has ended', async () => {
    const first = await openNew({ 'PUT /v1/workunits': refused(401, 'Your session has ended.') });
    await type('Title', 'Printer on fire');
    const shownBefore = screen.queryAllByText(/Invalid user input/).length;
    fireEvent.click(screen.getByText('Create', { selector: '.foot button' }));
    await screen.findByText('Your session has ended. Sign in again: what you typed is kept in this tab.');
    expect(first.router.state.location.pathname).toBe('/user/login');
    expect(new URLSearchParams(first.router.state.location.search).get('requestUrl')).toMatch(/workUnitId=new&type=1/);
    expect(screen.queryAllByText(/Invalid user input/).length).toBe(shownBefore);
    first.unmount();

    await openNew({ 'PUT /v1/workunits': { ...unit, workUnitId: 8 } });
    await screen.findByText(/1 unsaved change was restored, typed/);
    expect((await field('Title')).value).toBe('Printer on fire');
    fireEvent.click(screen.getByText('Create', { selector: '.foot button' }));
    await waitFor(() => expect(sessionStorage.length).toBe(0));
  });

  it('asks with the focus on the answer that keeps what was typed', async () => {
    await openNew();
    await type('Title', 'Printer on fire');
    fireEvent.keyDown(document.body, { key: 'Escape' });
    await screen.findByText('There are unsaved changes. Are you sure you want to close?');
    await waitFor(() => expect(document.activeElement?.textContent).toBe('No'));
  });
});
