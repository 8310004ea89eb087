import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-0000000000b1';
const hook = {
  actionDefinitionId: id,
  name: 'Page the desk',
  description: 'Calls the pager of a team',
  actionDefinitionTypeId: 4,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  inputParameters: 'Team,Text',
  endpointUrl: 'https://pager.example/{Team}',
  httpMethod: 'POST',
  headers: 'X-Team: {Team}\nAuthorization: Bearer abc123',
  body: '{"text":"{Text}"}',
};
const email = {
  ...hook,
  actionDefinitionId: builtInAction.email,
  name: 'Email',
  actionDefinitionTypeId: 1,
  tenantId: null,
  tenant: null,
  inputParameters: 'To',
  headers: null,
};
const run = {
  actionHistoryId: 7,
  tenantId,
  actionDefinitionId: id,
  actionDefinition: { name: 'Page the desk' },
  actionProcessed: '2026-05-01T08:00:00.000Z',
  resultStatusId: 2,
  inputParameters: '{"Team":"ops"}',
  resultDetail: { status: 503, test: true },
  correlationId: '01a1fcdb-e331-70c1-ba47-0000000000d1',
  referenceId: null,
  messageId: '01a1fcdb-e331-70c1-ba47-0000000000d2',
  workUnitId: null,
};
const path = `/v1/actionDefinitions/${id}`;
const usesOf = {
  protocols: `GET /v1/protocols/GetProtocolsForAction(actionDefinitionId=${id})`,
  rules: `GET /v1/rules/GetRulesForAction(actionDefinitionId=${id})`,
};
const preview = {
  request: {
    method: 'POST',
    url: 'https://pager.example/ops',
    headers: [
      { name: 'x-key', value: '***' },
      { name: 'authorization', value: 'Bearer abc123' },
    ],
    body: '{"text":"Pump stands"}',
  },
  mail: null,
  parameters: [{ name: 'Team', value: 'ops' }],
  unfilled: ['Text'],
  problem: 'The body is not valid JSON.',
};
const answers: Answers = {
  'GET /v1/actionDefinitions': list([email, hook]),
  [`GET /v1/actionDefinitions(${id})`]: hook,
  [`GET /v1/actionDefinitions(${builtInAction.email})`]: email,
  'PUT /v1/actionDefinitions': hook,
  [`POST ${path}`]: hook,
  [`DELETE ${path}`]: () => new Response(null, { status: 204 }),
  testAction: { id: run.messageId },
  previewAction: preview,
  'GET /v1/actionHistories': list([run]),
};

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
});

const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/actioncatalog${query}`, { ...answers, ...more });
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const sent = (calls: readonly ApiCall[], method: string, to: string) => calls.filter((call) => call.method === method && call.path === to);
const choose = async (name: string, entry: string) => {
  fireEvent.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
  fireEvent.click(await screen.findByRole('menuitem', { name: entry }));
};

it('lists actions page by page and searches name and description', async () => {
  const { calls } = await open('?search=pag');
  const row = within((await screen.findByRole('link', { name: 'Page the desk' })).closest('tr') as HTMLElement);
  await proves('[ACT-008] has these columns', () =>
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual([
      'Name',
      'Description',
      'Type',
      'Tenant',
      'Actions',
    ]),
  );
  row.getByText('Calls the pager of a team');
  row.getByText('Protocol or rule action');
  row.getByText('Northwind Energy');
  const sizes = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Rows per page' });
  await proves('[ACT-003] offers these sizes of a page', () =>
    expect([...sizes.options].map((option) => option.value)).toEqual(['10', '25', '50', '100']),
  );
  const { query } = sent(calls, 'GET', '/v1/actionDefinitions')[0] as ApiCall;
  await proves('[ACT-002] asks for a page', () =>
    expect([query.get('$top'), query.get('$count'), query.get('$expand')]).toEqual(['10', 'true', 'tenant']),
  );
  await proves('[ACT-009] searches names', () => expect(query.get('$filter')).toContain("contains(folded(name),'pag')"));
  await proves('[ACT-010] searches descriptions', () => expect(query.get('$filter')).toContain("contains(folded(description),'pag')"));
});

it('a built-in action is looked at and tested, not changed', async () => {
  await open();
  await screen.findByRole('link', { name: 'Email' });
  await proves('[ACT-029] offers no edit', () => expect(screen.queryByRole('button', { name: 'Edit Email' })).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Actions for Email' }));
  await proves('[ACT-030] [ACT-031] offers a test and no deletion', async () =>
    expect((await screen.findAllByRole('menuitem')).map((entry) => entry.textContent)).toEqual(['Test', 'History of this']),
  );
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  fireEvent.click(screen.getByRole('link', { name: 'Email' }));
  const locked = await dialog('Action Definition: Email');
  locked.getByText('A built-in action comes with the product: it can be tested, not changed.');
  expect(locked.getByLabelText<HTMLInputElement>(/^Name/).readOnly).toBe(true);
  expect(locked.queryByRole('button', { name: 'Save' })).toBeNull();
  // A built-in action calls no address.
  expect(locked.queryByRole('region', { name: 'Call' })).toBeNull();
});

it('creates an outbound call and edits it; keys in its headers are hidden until one goes there', async () => {
  const { calls } = await open();
  fireEvent.click(await proves('[ACT-004] has a button for it', () => screen.findByRole('button', { name: 'Create' })));
  const creating = await dialog('Create Action Definition');
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(creating.getAllByText('This field is required.')).toHaveLength(2));
  const type = creating.getByLabelText<HTMLSelectElement>(/^Type/);
  expect([...type.options].map((option) => option.value)).toEqual(['', '2', '3', '4']);
  fireEvent.change(type, { target: { value: '4' } });
  fireEvent.change(creating.getByLabelText(/^Name/), { target: { value: 'Page the desk' } });
  fireEvent.change(creating.getByLabelText(/^HTTP method/), { target: { value: 'POST' } });
  fireEvent.change(creating.getByLabelText(/^Endpoint URL/), { target: { value: 'https://pager.example/{Team}' } });
  fireEvent.change(creating.getByLabelText(/^Headers/), { target: { value: 'X-Team: {Team}' } });
  fireEvent.change(creating.getByLabelText(/^Body/), { target: { value: '{}' } });
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/actionDefinitions')).toHaveLength(1));
  await proves('[ACT-001] describes an outbound call', () =>
    expect(sent(calls, 'PUT', '/v1/actionDefinitions')[0]?.body).toMatchObject({
      name: 'Page the desk',
      actionDefinitionTypeId: 4,
      tenantId,
      httpMethod: 'POST',
      endpointUrl: 'https://pager.example/{Team}',
      headers: 'X-Team: {Team}',
      body: '{}',
    }),
  );

  fireEvent.click(await screen.findByRole('link', { name: 'Page the desk' }));
  const editing = await proves('[ACT-005] edits it in a panel', () => dialog('Edit Action Definition: Page the desk'));
  const headers = editing.getByLabelText<HTMLTextAreaElement>(/^Headers/);
  expect(headers.value).toBe('X-Team: {Team}\nAuthorization: ••••••••');
  fireEvent.focus(headers);
  expect(headers.value).toBe(hook.headers);
  fireEvent.change(headers, { target: { value: 'Authorization: Bearer {Secret:pager}' } });
  fireEvent.blur(headers);
  expect(headers.value).toBe('Authorization: Bearer {Secret:pager}');
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent(calls, 'POST', path).map((call) => call.body)).toEqual([{ headers: 'Authorization: Bearer {Secret:pager}' }]),
  );
});

it('[ERR-001] an action that cannot be saved says so and keeps what was typed', async () => {
  await open(`?id=${id}`, { [`POST ${path}`]: refused(500, 'x') });
  const form = await dialog('Edit Action Definition: Page the desk');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Page them' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('A problem occurred saving the action. Please try again.');
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Page them');
});

it('[ACT-006] tests an action with its parameters and shows what became of it', async () => {
  const { calls, inputsOf, search } = await open();
  await choose('Page the desk', 'Test');
  const panel = await dialog('Test Action: Page the desk');
  expect(search().get('testOf')).toBe(id);
  fireEvent.change(panel.getByLabelText('Team'), { target: { value: 'ops' } });
  fireEvent.click(panel.getByRole('button', { name: 'Run test' }));
  const outcome = within(await panel.findByRole('region', { name: 'Outcome' }));
  await outcome.findByText('Failure');
  expect(inputsOf('testAction')).toEqual([{ id, Team: 'ops' }]);
  expect(sent(calls, 'GET', '/v1/actionHistories')[0]?.query.get('$filter')).toBe(`messageId eq ${run.messageId}`);
  outcome.getByText('503');
});

it('tests with the values of a work unit or a match, and shows the request before it is sent', async () => {
  const unit = { workUnitId: 7, publicWorkUnitId: 1007, title: 'Pump stands', stateId: 'New' };
  const match = { ruleMatchId: '01a1fcdb-e331-70c1-ba47-0000000000e1', label: 'Hot: pump-3', lastMatch: '2026-05-01T08:00:00.000Z' };
  const ofSearch = (text: string, row: object) => (call: ApiCall) => list(call.query.get('$filter')?.includes(text) ? [row] : []);
  const { inputsOf } = await open(`?testOf=${id}`, {
    'GET /v1/workUnits': ofSearch('publicWorkUnitId eq 1007', unit),
    'GET /v1/ruleMatches': ofSearch("contains(folded(label),'pump')", match),
  });
  const panel = await dialog('Test Action: Page the desk');
  const shown = within(await panel.findByRole('region', { name: 'What will be sent' }));
  await shown.findByText('POST https://pager.example/ops');
  shown.getByText('{Text} has no value here: the test would fail.');
  shown.getByText('The body is not valid JSON. The test would fail.');
  expect(shown.getByRole('group', { name: 'Headers' }).textContent).toBe('x-key: ***\nauthorization: ••••••••');
  fireEvent.change(panel.getByLabelText('Team'), { target: { value: 'ops' } });
  await waitFor(() => expect(inputsOf('previewAction').at(-1)).toEqual({ id, Team: 'ops' }));

  const button = panel.getByRole<HTMLButtonElement>('button', { name: 'Run test' });
  const choose = async (kind: string, field: RegExp, typed: string, name: RegExp) => {
    fireEvent.change(panel.getByLabelText('Take them from'), { target: { value: kind } });
    expect(button.disabled).toBe(true);
    shown.getByText('First choose what the values come from.');
    const box = panel.getByRole('combobox', { name: field });
    fireEvent.mouseDown(box);
    fireEvent.change(box, { target: { value: typed } });
    fireEvent.click(await panel.findByRole('option', { name }));
  };
  await choose('workUnit', /^Work unit/, '#1007', /Pump stands/);
  await waitFor(() => expect(inputsOf('previewAction').at(-1)?.forWorkUnitId).toBe(7));
  fireEvent.click(button);
  await waitFor(() => expect(inputsOf('testAction')).toHaveLength(1));
  await choose('match', /^Match/, 'pump', /Hot: pump-3/);
  fireEvent.click(await panel.findByRole('button', { name: 'Run again' }));
  await waitFor(() =>
    expect(inputsOf('testAction')).toEqual([
      { id, forWorkUnitId: 7, Team: 'ops' },
      { id, forRuleMatchId: match.ruleMatchId, Team: 'ops' },
    ]),
  );
});

it('[ERR-002] a test that fails says so', async () => {
  await open(`?testOf=${id}`, { testAction: refused(500, 'Not now.') });
  const panel = await dialog('Test Action: Page the desk');
  fireEvent.change(panel.getByLabelText('Team'), { target: { value: 'ops' } });
  fireEvent.click(panel.getByRole('button', { name: 'Run test' }));
  await screen.findByText('A problem occurred saving the block. Please try again.');
  expect(panel.getByLabelText<HTMLInputElement>('Team').value).toBe('ops');
});

it('[ACT-055] keeps the history of an action for 5 s', async () => {
  const start = Date.now();
  const now = vi.spyOn(Date, 'now').mockReturnValue(start);
  const { calls } = await open(`?id=${id}&tab=history`);
  const panel = await dialog('Edit Action Definition: Page the desk');
  const countOfReads = () => sent(calls, 'GET', '/v1/actionHistories').length;
  const again = async () => {
    fireEvent.click(panel.getByRole('tab', { name: 'Details' }));
    fireEvent.click(panel.getByRole('tab', { name: 'History' }));
    await panel.findByText('Failure');
  };
  await panel.findByText('Failure');
  expect(sent(calls, 'GET', '/v1/actionHistories')[0]?.query.get('$filter')).toBe(
    `actionDefinitionId eq ${id} and tenantId eq ${tenantId}`,
  );
  now.mockReturnValue(start + 1_000);
  await again();
  expect(countOfReads()).toBe(1);
  now.mockReturnValue(start + 6_000);
  await again();
  await waitFor(() => expect(countOfReads()).toBe(2));
});

it('lists what uses an action, asks, and deletes it', async () => {
  const { calls, search } = await open('', { [usesOf.protocols]: list([]), [usesOf.rules]: list([]) });
  await choose('Page the desk', 'Delete');
  const panel = await proves('[ACT-007] opens a panel', () => dialog('Delete Action Definition: Page the desk'));
  await proves('[ACT-026] lists protocols', () => panel.findByText('No protocol uses it.'));
  await proves('[ACT-027] lists rules', () => panel.findByText('No rule uses it.'));
  fireEvent.click(panel.getByRole('button', { name: 'Delete' }));
  const question = await dialog('Delete Action Definition');
  await proves('[ACT-028] asks first', () => {
    question.getByText('Are you sure you want to delete Page the desk? Cannot be undone.');
    expect(sent(calls, 'DELETE', path)).toEqual([]);
  });
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await proves('[ACT-049] says that it is deleted', () => screen.findByText('Action Definition deleted successfully.'));
  expect(search().get('deleteOf')).toBeNull();
});

it('names what uses an action and does not offer to delete it; says what the server says', async () => {
  const message = 'The action Page the desk is used by the rules Heartbeat is late. Remove it there first.';
  const { router } = await open(`?deleteOf=${id}`, {
    [usesOf.protocols]: list([{ protocolId: 'p1', name: 'Silent gateway' }]),
    [usesOf.rules]: list([{ ruleId: 'r1', name: 'Heartbeat is late' }]),
    [`DELETE ${path}`]: refused(409, message),
  });
  const panel = await dialog('Delete Action Definition: Page the desk');
  await proves('[ACT-026] lists protocols', async () =>
    expect((await panel.findByRole('link', { name: 'Silent gateway' })).getAttribute('href')).toBe(`/${tenantId}/protocols?id=p1`),
  );
  await proves('[ACT-027] lists rules', async () =>
    expect((await panel.findByRole('link', { name: 'Heartbeat is late' })).getAttribute('href')).toBe(`/${tenantId}/rules?id=r1`),
  );
  expect(panel.getByRole<HTMLButtonElement>('button', { name: 'Delete' }).disabled).toBe(true);
  router.dispose();

  const remove = async (answer: () => Response) => {
    await open(`?deleteOf=${id}`, { [`DELETE ${path}`]: answer });
    const again = await dialog('Delete Action Definition: Page the desk');
    await again.findByText('No rule uses it.');
    await again.findByText('No protocol uses it.');
    fireEvent.click(again.getByRole('button', { name: 'Delete' }));
    fireEvent.click((await dialog('Delete Action Definition')).getByRole('button', { name: 'Delete' }));
  };
  await remove(refused(409, message));
  await proves('[ERR-006] says why the server refuses', () => screen.findByText(message));
  await remove(() => Response.json({ message: 'Gone for good.' }));
  await proves('[ACT-048] says what the server says', () => screen.findByText('Gone for good.'));
});

it('marks a placeholder that stands for nothing, also in an action that was stored with it', async () => {
  const stored = { ...hook, body: '{"text":"{Text}","unit":"{PublicWorkunitId}"}' };
  await open(`?id=${id}`, { 'GET /v1/actionDefinitions': list([stored]), [`GET /v1/actionDefinitions(${id})`]: stored });
  await screen.findByText(/There is no placeholder \{PublicWorkunitId\}\. Did you mean \{PublicWorkUnitId\}\?/);
  expect(screen.queryByText(/no placeholder \{(Text|Team)\}/)).toBeNull();
});

it('lists placeholders while one is typed, with their meaning and example; arrows and Enter choose, Escape leaves', async () => {
  const packet = { entityId: 'e1', message: { Metrics: { CpuLoad: 71, 'no name': 1 } } };
  await open(`?id=${id}`, {
    'GET /v1/packets': list([packet]),
    [`GET /v1/tenants/${tenantId}/secrets`]: { value: [{ name: 'pager' }] },
  });
  const form = await dialog('Edit Action Definition: Page the desk');
  const body = form.getByLabelText<HTMLTextAreaElement>(/^Body/);
  const key = (name: string) => fireEvent.keyDown(body, { key: name });
  const type = (text: string) => fireEvent.change(body, { target: { value: text } });
  // A stub, because jsdom has no `scrollIntoView`.
  Object.assign(Element.prototype, { scrollIntoView: () => Promise.resolve() });
  fireEvent.focus(body);
  type('{"d":"{');
  await form.findByRole('listbox', { name: 'Placeholders' });
  const offered = () => within(form.getByRole('listbox', { name: 'Placeholders' }));
  const names = () =>
    offered()
      .getAllByRole('option')
      .map((option) => option.querySelector('code')?.textContent);
  await offered().findByRole('group', { name: 'Secrets of the tenant' });
  expect(
    offered()
      .getAllByRole('group')
      .map((group) => group.getAttribute('aria-label')),
  ).toEqual([
    'Parameters of this action',
    'Work unit',
    'Match and rule',
    'Device, operation and block',
    'Tenant and run',
    'Packet',
    'Secrets of the tenant',
  ]);
  expect(names().slice(0, 3)).toEqual(['{Team}', '{Text}', '{WorkUnitId}']);
  // Enter after a brace alone inserts a new line.
  expect(key('Enter')).toBe(true);
  type('{"d":"{devicen');
  expect(names()).toEqual(['{DeviceName}']);
  const [option] = offered().getAllByRole('option');
  expect(option?.textContent).toBe('{DeviceName}Name of the deviceweb-1');
  expect(body.getAttribute('aria-activedescendant')).toBe(option?.id);
  expect(option?.getAttribute('aria-selected')).toBe('true');
  expect(key('Enter')).toBe(false);
  expect(body.value).toBe('{"d":"{DeviceName}');
  expect(form.queryByRole('listbox')).toBeNull();

  type('{Me');
  await waitFor(() => expect(names()).toContain('{Metrics.CpuLoad}'));
  expect(names()).not.toContain('{Metrics.no name}');
  const at = names().indexOf('{Metrics.CpuLoad}');
  for (let down = 0; down < at; down += 1) key('ArrowDown');
  key('Tab');
  expect(body.value).toBe('{Metrics.CpuLoad}');
  type('{pag');
  await waitFor(() => expect(names()).toEqual(['{Secret:pager}']));
  key('Escape');
  expect(form.queryByRole('listbox')).toBeNull();
  // The panel is still open, and the typed text is unchanged.
  expect(body.value).toBe('{pag');

  const url = form.getByRole<HTMLInputElement>('combobox', { name: /^Endpoint URL/ });
  fireEvent.click(within(url.parentElement as HTMLElement).getByRole('button', { name: 'Insert placeholder' }));
  fireEvent.click(await form.findByText('{WorkUnitId}'));
  expect(url.value).toBe('https://pager.example/{Team}{WorkUnitId}');
  expect(url.selectionStart).toBe(url.value.length);
  expect(url.getAttribute('aria-expanded')).toBe('false');
  // Escape closes the list of placeholders and removes the brace that the button inserted.
  fireEvent.click(within(url.parentElement as HTMLElement).getByRole('button', { name: 'Insert placeholder' }));
  expect(url.value).toBe('https://pager.example/{Team}{WorkUnitId}{');
  fireEvent.keyDown(url, { key: 'Escape' });
  expect(url.value).toBe('https://pager.example/{Team}{WorkUnitId}');
  const about = String(url.getAttribute('aria-describedby'))
    .split(' ')
    .map((part) => document.getElementById(part)?.textContent);
  expect(about).toContainEqual(expect.stringMatching(/^Type { for the list of placeholders; the arrow keys and Enter choose one\./));
});

it('names each unknown placeholder as it is typed, and puts the one that was meant in its place', async () => {
  await open(`?id=${id}`);
  const form = await dialog('Edit Action Definition: Page the desk');
  const body = form.getByLabelText<HTMLTextAreaElement>(/^Body/);
  fireEvent.change(body, { target: { value: '{"a":"{Teem} {Teem}","b":"{Qqqqqqqqqqqq}"}' } });
  form.getByText('There is no placeholder {Teem}. Did you mean {Team}?');
  form.getByText('There is no placeholder {Qqqqqqqqqqqq}.');
  expect(document.getElementById(String(body.getAttribute('aria-describedby')).split(' ').at(-1) ?? '')?.textContent).toContain('{Teem}');
  fireEvent.click(form.getByRole('button', { name: 'Use {Team}' }));
  expect(body.value).toBe('{"a":"{Team} {Team}","b":"{Qqqqqqqqqqqq}"}');
  expect(form.queryByText(/\{Teem\}/)).toBeNull();
});
