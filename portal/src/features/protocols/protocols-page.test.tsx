import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-0000000000a1';
const hookId = '01a1fcdb-e331-70c1-ba47-0000000000b1';
const protocol = {
  protocolId: id,
  name: 'Silent gateway',
  description: 'What to do when a gateway stops reporting',
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  timerInverval: '00:30:00',
  manualActions: 'Open {WorkUnitUrl}',
  modified: '2026-05-01T08:00:00.000Z',
  modifiedBy: 'mara@northwind.example',
};
const hook = { actionDefinitionId: hookId, name: 'Page the desk', description: 'Calls the pager', inputParameters: 'Team, Text' };
const email = { actionDefinitionId: builtInAction.email, name: 'Email', description: null, inputParameters: 'To,Template,IsImportant' };
const action = {
  protocolActionId: '01a1fcdb-e331-70c1-ba47-0000000000c1',
  protocolId: id,
  tenantId,
  actionDefinitionId: hookId,
  actionDefinition: hook,
  workUnitEventTypeId: 1,
  parameters: '{"Team":"ops","Gone":"x"}',
  sequence: 2,
  summary: 'Wake somebody',
  runAutomatically: true,
  onlyStates: [],
  onlySeverities: [],
  repeatable: false,
};
const mail = {
  ...action,
  protocolActionId: '01a1fcdb-e331-70c1-ba47-0000000000c2',
  actionDefinitionId: email.actionDefinitionId,
  actionDefinition: email,
  workUnitEventTypeId: 4,
  parameters: '{"To":"desk@example.com"}',
  summary: null,
  runAutomatically: false,
  repeatable: true,
  onFailure: 'Continue',
  onLate: 'Continue',
  lateAfter: '00:05:00',
};
const nothing = { timeline: [], more: false, ended: [], unreachable: [], withoutAddress: [] };
const actionPath = `/v1/protocolActions/${action.protocolActionId}`;
const answers: Answers = {
  'GET /v1/protocols': list([protocol]),
  [`GET /v1/protocols(${id})`]: protocol,
  'POST /v1/$batch': { responses: [] },
  simulateProtocol: nothing,
  simulateDraft: nothing,
  [`DELETE /v1/protocols/${id}`]: () => new Response(null, { status: 204 }),
  [`GET /v1/protocols/GetMatchedRules(id=${id})`]: list([
    { ruleId: 'r1', name: 'Heartbeat is late', enabled: false, ruleTypeId: 1, tenantId },
  ]),
  'GET /v1/protocolActions': list([action, mail]),
  [`GET /v1/protocolActions(${action.protocolActionId})`]: action,
  'PUT /v1/protocolActions': action,
  [`POST ${actionPath}`]: action,
  [`DELETE ${actionPath}`]: () => new Response(null, { status: 204 }),
  [`GET /v1/actionDefinitions/GetActionDefinitionsForProtocols(tenantId=${tenantId})`]: list([email, hook]),
};

beforeEach(() => localStorage.clear());

const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/protocols${query}`, { ...answers, ...more });
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));
const sent = (calls: readonly ApiCall[], method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path);
/** The calls of each saved batch. */
const saved = (calls: readonly ApiCall[]) =>
  sent(calls, 'POST', '/v1/$batch').map(({ body }) => (body as { requests: Record<string, unknown>[] }).requests);
const choose = async (entry: string) => {
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for Silent gateway' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: entry }));
};

it('lists protocols page by page, by name, and searches id, name and description', async () => {
  const { calls } = await open(`?search=${id}`);
  const row = within((await screen.findByRole('link', { name: 'Silent gateway' })).closest('tr') as HTMLElement);
  await proves('[PROT-003] has these columns', () =>
    expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual(['Name', 'ID', 'Description', 'Tenant', 'Actions']),
  );
  row.getByText(id);
  row.getByText(protocol.description);
  row.getByText('Northwind Energy');
  await proves('[PROT-004] offers an edit', () => row.getByRole('button', { name: 'Edit Silent gateway' }));
  const { query } = sent(calls, 'GET', '/v1/protocols')[0] as ApiCall;
  await proves('[PROT-013] sorts by name', () => expect(query.get('$orderby')).toBe('name asc'));
  await proves('[PROT-002] asks for a page', () => expect([query.get('$top'), query.get('$count')]).toEqual(['10', 'true']));
  const filter = query.get('$filter');
  await proves('[PROT-010] searches ids', () => expect(filter).toContain(`protocolId eq ${id}`));
  await proves('[PROT-011] searches names', () => expect(filter).toContain(`contains(folded(name),'${id}')`));
  await proves('[PROT-012] searches descriptions', () => expect(filter).toContain(`contains(folded(description),'${id}')`));
  expect(document.title).toBe('Work Unit Protocols - CloudFit Software');
});

it('creates a protocol, edits it, and shows its rules in the second tab', async () => {
  const { calls, search } = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const creating = await dialog('Create Protocol');
  const interval = creating.getByLabelText<HTMLInputElement>(/^Timer Interval/);
  expect(interval.value).toBe('00:10:00');
  fireEvent.change(interval, { target: { value: '' } });
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await creating.findByText('Name is required.');
  creating.getByText('Timer Interval is required');
  fireEvent.change(interval, { target: { value: '00:09:59' } });
  await creating.findByText('Must be at least 10 minutes.');
  fireEvent.change(interval, { target: { value: '00:15:00' } });
  fireEvent.change(creating.getByLabelText(/^Name/), { target: { value: 'Silent gateway' } });
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(saved(calls)).toHaveLength(1));
  await proves('[PROT-001] creates what was typed', () =>
    expect(saved(calls)[0]).toMatchObject([
      { method: 'PUT', url: '/v1/protocols', body: { name: 'Silent gateway', timerInverval: '00:15:00', tenantId } },
    ]),
  );

  fireEvent.click(await screen.findByRole('link', { name: 'Silent gateway' }));
  const editing = await proves('[PROT-008] opens the same panel to edit', () => dialog('Edit Protocol: Silent gateway'));
  expect(editing.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Timeline', 'Rules']);
  fireEvent.change(editing.getByRole('textbox', { name: /^Manual actions/ }), { target: { value: 'Call {PublicWorkUnitId}' } });
  fireEvent.click(editing.getByRole('tab', { name: 'Rules' }));
  const rule = within(await proves('[PROT-009] lists the rules', () => editing.findByRole('row', { name: /Heartbeat is late/ })));
  rule.getByText('Disabled');
  expect(rule.getByRole('link').getAttribute('href')).toBe(`/${tenantId}/rules?id=r1`);
  expect(search().get('tab')).toBe('rules');
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(saved(calls)[1]).toEqual([
      {
        id: 'protocol',
        atomicityGroup: 'save',
        method: 'POST',
        url: `/v1/protocols/${id}`,
        body: { manualActions: 'Call {PublicWorkUnitId}' },
      },
    ]),
  );
});

it('[ERR-009] a protocol that cannot be saved says so and keeps what was typed', async () => {
  await open('?id=new', { 'POST /v1/$batch': refused(500, 'x') });
  const form = await dialog('Create Protocol');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Silent gateway' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await screen.findByText('A problem occured saving the protocol. Please try again.');
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Silent gateway');
});

it('[PROT-006] [PROT-007] deletes a protocol once that is confirmed; a refusal says why', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  const used = 'The protocol Silent gateway is used by one work unit. Remove it there first.';
  let isUsed = true;
  const path = `/v1/protocols/${id}`;
  const { calls } = await open('', {
    [`DELETE ${path}`]: () => (isUsed ? refused(409, used)() : new Response(null, { status: 204 })),
  });
  await choose('Delete');
  const question = await dialog('Delete Protocol');
  question.getByText('Are you sure you want to delete Silent gateway? Cannot be undone.');
  fireEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Delete Protocol' })).toBeNull());
  expect(sent(calls, 'DELETE', path)).toEqual([]);
  await choose('Delete');
  fireEvent.click((await dialog('Delete Protocol')).getByRole('button', { name: 'Delete' }));
  await screen.findByText(used);
  isUsed = false;
  await choose('Delete');
  fireEvent.click((await dialog('Delete Protocol')).getByRole('button', { name: 'Delete' }));
  await screen.findByText('Successfully deleted Silent gateway');
  logged.mockRestore();
});

it('shows the actions of a protocol by event, and finds one by equals, starts with or contains', async () => {
  const { calls, search } = await open();
  await proves('[PROT-005] is offered in the row', () => choose('View Protocol Actions'));
  const panel = await dialog('Protocol Actions: Silent gateway');
  const cell = await proves('[PACT-002] lists the actions', () => panel.findByRole('button', { name: /^Page the desk/ }));
  const row = within(cell.closest('tr') as HTMLElement);
  await proves('[PACT-001] says which event runs it', () => {
    row.getByText('OnNew');
    row.getByText('Automatic');
  });
  row.getByText('Wake somebody');
  const other = within(panel.getByRole('row', { name: /^OnResolved/ }));
  other.getByText('Manual');
  other.getByText('repeatable');
  const { query } = sent(calls, 'GET', '/v1/protocolActions')[0] as ApiCall;
  expect([query.get('$filter'), query.get('$expand')]).toEqual([`protocolId eq ${id}`, 'actionDefinition']);
  expect(search().get('actionsOf')).toBe(id);

  const names = () =>
    panel
      .getAllByRole('row')
      .slice(1)
      .map((element) => within(element).getAllByRole('cell')[0]?.textContent);
  const operator = panel.getByLabelText<HTMLSelectElement>('How the action is matched');
  await proves('[PACT-007] offers these operators', () =>
    expect([...operator.options].map((option) => option.text).toSorted()).toEqual(['contains', 'equals', 'starts with']),
  );
  const find = (by: string, text: string) => {
    fireEvent.change(operator, { target: { value: by } });
    fireEvent.change(panel.getByRole('searchbox', { name: 'Find an action' }), { target: { value: text } });
    return names();
  };
  expect(find('contains', 'DESK')).toEqual(['OnNew']);
  expect(find('startsWith', 'desk')).toEqual([]);
  expect(find('startsWith', 'page')).toEqual(['OnNew']);
  expect(find('equals', 'page')).toEqual([]);
  expect(find('equals', 'email')).toEqual(['OnResolved']);
  expect([search().get('match'), search().get('find')]).toEqual(['equals', 'email']);
});

it('creates and edits a protocol action; its parameters are those that the action names', async () => {
  const { calls, search } = await open(`?actionsOf=${id}`);
  fireEvent.click(await (await dialog('Protocol Actions: Silent gateway')).findByRole('button', { name: 'Create Protocol Action' }));
  const creating = await proves('[PACT-003] has a panel for a new one', () => dialog('Create Protocol Action'));
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await creating.findByText('Event is required.');
  creating.getByText('Action is required.');
  fireEvent.change(creating.getByLabelText(/^Event/), { target: { value: '4' } });
  const chosen = creating.getByRole('combobox', { name: /^Action/ });
  fireEvent.mouseDown(chosen);
  fireEvent.click(await screen.findByRole('option', { name: /^Email/ }));
  const to = await proves('[PACT-011] has the fields of the chosen action', () => creating.findByLabelText('To'));
  fireEvent.change(to, { target: { value: 'desk@example.com' } });
  fireEvent.click(creating.getByLabelText('Important'));
  const template = creating.getByLabelText<HTMLSelectElement>('Template');
  const offered = [...template.options].map((option) => option.value);
  expect(offered).toContain('ResolutionCenterResolved');
  expect(offered).not.toContain('ResolutionCenterCreated');
  await proves('[PACT-011] has no field of another action', () => expect(creating.queryByLabelText('Team')).toBeNull());
  fireEvent.click(creating.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/protocolActions')).toHaveLength(1));
  const body = sent(calls, 'PUT', '/v1/protocolActions')[0]?.body as { parameters: string };
  await proves('[PACT-003] creates it', () =>
    expect(body).toMatchObject({ protocolId: id, workUnitEventTypeId: 4, actionDefinitionId: builtInAction.email, sequence: 0 }),
  );
  await proves('[PACT-011] saves what was entered in these fields', () =>
    expect(JSON.parse(body.parameters)).toEqual({ To: 'desk@example.com', IsImportant: true }),
  );
  await waitFor(() => expect(search().get('protocolActionId')).toBeNull());

  fireEvent.click((await dialog('Protocol Actions: Silent gateway')).getByRole('button', { name: 'Edit Wake somebody' }));
  const editing = await proves('[PACT-003] has a panel for one that exists', () => dialog('Edit Protocol Action: Wake somebody'));
  await proves('[PACT-011] has the fields of its action', () => {
    expect(editing.getByLabelText<HTMLInputElement>('Team').value).toBe('ops');
    expect(editing.queryByLabelText('To')).toBeNull();
  });
  expect(editing.getByLabelText<HTMLInputElement>('Late after').value).toBe('00:05:00');
  fireEvent.change(editing.getByLabelText('After a failure'), { target: { value: 'Stop' } });
  fireEvent.change(editing.getByLabelText('Text'), { target: { value: 'Gateway {WorkUnitId}' } });
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await proves('[PACT-003] saves the changes', () =>
    waitFor(() =>
      expect(sent(calls, 'POST', actionPath).map((call) => call.body)).toEqual([
        { onFailure: 'Stop', parameters: '{"Team":"ops","Text":"Gateway {WorkUnitId}"}' },
      ]),
    ),
  );
});

it('[PACT-014] a protocol action that cannot be saved is only logged, and keeps what was typed', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  const { calls } = await open(`?actionsOf=${id}&protocolActionId=${action.protocolActionId}`, {
    [`POST ${actionPath}`]: refused(500, 'Boom'),
  });
  const form = await dialog('Edit Protocol Action: Wake somebody');
  fireEvent.change(form.getByLabelText('Team'), { target: { value: 'night' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(logged).toHaveBeenCalledWith(expect.objectContaining({ message: 'Boom' })));
  expect(sent(calls, 'POST', actionPath)).toHaveLength(1);
  expect(screen.queryByText(/Boom|Unable to save|A problem occur/)).toBeNull();
  expect(form.getByLabelText<HTMLInputElement>('Team').value).toBe('night');
  logged.mockRestore();

  fireEvent.keyDown(document.body, { key: 'Escape' });
  const guard = await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  fireEvent.click(within(guard.closest('[role=dialog]') as HTMLElement).getByRole('button', { name: 'No' }));
  expect(form.getByLabelText<HTMLInputElement>('Team').value).toBe('night');
});

it('[PACT-012] [PACT-013] deletes a protocol action once that is confirmed', async () => {
  const { calls } = await open(`?actionsOf=${id}`);
  const panel = await dialog('Protocol Actions: Silent gateway');
  fireEvent.click(await panel.findByRole('button', { name: 'Delete Wake somebody' }));
  const question = await dialog('Delete Protocol Action');
  question.getByText(/Cannot be undone\./);
  expect(sent(calls, 'DELETE', actionPath)).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent(calls, 'DELETE', actionPath)).toHaveLength(1));
  await screen.findByText('Successfully deleted Wake somebody');
});

it('sets times and conditions of a step, and whom it notifies', async () => {
  const notify = {
    actionDefinitionId: builtInAction.notify,
    name: 'Notify',
    description: null,
    actionDefinitionTypeId: 5,
    inputParameters: 'Whom,PersonId,ScheduleId,Group,Subject,Body',
  };
  const { calls } = await open(`?actionsOf=${id}&protocolActionId=new`, {
    [`GET /v1/actionDefinitions/GetActionDefinitionsForProtocols(tenantId=${tenantId})`]: list([notify]),
  });
  const form = await dialog('Create Protocol Action');
  fireEvent.change(form.getByLabelText(/^Event/), { target: { value: '1' } });
  fireEvent.mouseDown(form.getByRole('combobox', { name: /^Action/ }));
  fireEvent.click(await screen.findByRole('option', { name: /^Notify/ }));
  const whom = await form.findByLabelText('Whom');
  expect(form.queryByLabelText('Group')).toBeNull();
  fireEvent.change(whom, { target: { value: 'Group' } });
  fireEvent.change(await form.findByLabelText('Group'), { target: { value: 'night' } });
  fireEvent.click(form.getByLabelText('Run automatically'));
  fireEvent.change(form.getByLabelText('Wait'), { target: { value: '00:15:00' } });
  fireEvent.change(form.getByLabelText('Repeat every'), { target: { value: '00:10:00' } });
  fireEvent.change(form.getByLabelText('Repeat at most'), { target: { value: '3' } });
  fireEvent.click(form.getByLabelText('Sev1'));
  fireEvent.click(form.getByLabelText('Sev0'));
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/protocolActions')).toHaveLength(1));
  const body = sent(calls, 'PUT', '/v1/protocolActions')[0]?.body as { parameters: string };
  expect(body).toMatchObject({
    wait: '00:15:00',
    repeatEvery: '00:10:00',
    repeatTimes: 3,
    onlySeverities: ['Sev0', 'Sev1'],
    onlyStates: [],
    stopWhen: 'Acknowledged',
    runAutomatically: true,
  });
  expect(JSON.parse(body.parameters)).toEqual({ Whom: 'Group', Group: 'night' });
});
