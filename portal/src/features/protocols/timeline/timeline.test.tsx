import '../../../testing/browser.ts';
// Loads the code before the tests, so that its loading time does not count for any of them.
import '../protocols-page.tsx';
import './protocol-editor-panel.tsx';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { simulateDraft } from '@cloudfit/contract/actions/protocols.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-0000000000a1';
const protocol = {
  protocolId: id,
  name: 'Silent gateway',
  description: null,
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  timerInverval: '00:30:00',
  manualActions: null,
  modified: '2026-05-01T08:00:00.000Z',
  modifiedBy: 'mara@northwind.example',
};
const hook = {
  actionDefinitionId: '01a1fcdb-e331-70c1-ba47-0000000000b1',
  name: 'Page the desk',
  description: null,
  inputParameters: 'Team',
};
const email = { actionDefinitionId: builtInAction.email, name: 'Email', description: null, inputParameters: 'To,Template,IsImportant' };
const notify = {
  actionDefinitionId: builtInAction.notify,
  name: 'Notify',
  description: null,
  inputParameters: 'Whom,PersonId,ScheduleId,Group,Subject,Body',
};
const step = (last: string, values: object = {}) => ({
  protocolActionId: `01a1fcdb-e331-70c1-ba47-0000000000${last}`,
  protocolId: id,
  tenantId,
  actionDefinitionId: hook.actionDefinitionId,
  actionDefinition: hook,
  workUnitEventTypeId: 1,
  parameters: '{"Team":"ops"}',
  sequence: 1,
  summary: null,
  runAutomatically: true,
  repeatable: false,
  wait: null,
  repeatEvery: null,
  repeatTimes: null,
  stopWhen: 'Acknowledged',
  onlyStates: [],
  onlySeverities: [],
  hours: 'Any',
  hoursScheduleId: null,
  onFailure: 'Continue',
  onLate: 'Continue',
  lateAfter: '00:05:00',
  ...values,
});
const call = step('c1', { summary: 'Call' });
const write = step('c2', { summary: 'Write', sequence: 2, actionDefinitionId: email.actionDefinitionId, actionDefinition: email });
const ask = step('c3', { summary: 'Ask', wait: '00:10:00', runAutomatically: false });
const nothing = { timeline: [], more: false, ended: [], unreachable: [], withoutAddress: [] };
const answers: Answers = {
  'GET /v1/protocols': list([protocol]),
  [`GET /v1/protocols(${id})`]: protocol,
  'GET /v1/protocolActions': list([call, write, ask]),
  'POST /v1/$batch': { responses: [] },
  simulateDraft: nothing,
  simulateProtocol: nothing,
  [`GET /v1/actionDefinitions/GetActionDefinitionsForProtocols(tenantId=${tenantId})`]: list([email, hook, notify]),
};

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const open = async (row: string, more: Answers = {}) => {
  const app = await renderApp(`/${tenantId}/protocols?id=${row}`, { ...answers, ...more });
  const title = row === 'new' ? 'Create Protocol' : 'Edit Protocol: Silent gateway';
  const panel = within(await screen.findByRole('dialog', { name: title }));
  await panel.findByRole('region', { name: 'Steps' });
  return { ...app, panel };
};
type Panel = Awaited<ReturnType<typeof open>>['panel'];
interface Part {
  id: string;
  method: string;
  url: string;
  body?: Record<string, unknown>;
}
const saved = (calls: readonly ApiCall[]) =>
  calls.filter(({ path }) => path === '/v1/$batch').map(({ body }) => (body as { requests: Part[] }).requests);
const simulated = (calls: readonly ApiCall[]) =>
  calls.filter(({ path }) => path === '/v1/protocols/simulate').map(({ body }) => body as { steps: Record<string, unknown>[] });
const titles = (panel: Panel) =>
  panel
    .queryAllByRole('button', { name: /^Edit.+(Automatic|Needs approval)$/ })
    .map((element) => `${element.querySelector('strong')?.textContent.trim()}, ${element.querySelector('.step-time')?.textContent.trim()}`);
const save = (panel: Panel, name = 'Save') => fireEvent.click(panel.getByRole('button', { name }));
/** The form of the step whose button has this title. */
const form = (panel: Panel, title: RegExp) => within(panel.getByRole('button', { name: title }).closest('li') as HTMLElement);
const typeWait = (fields: ReturnType<typeof form>, text: string) => {
  const wait = fields.getByLabelText('Wait after the event');
  fireEvent.change(wait, { target: { value: text } });
  fireEvent.blur(wait);
};
const chooseAction = async (fields: ReturnType<typeof form>, name: RegExp) => {
  fireEvent.mouseDown(fields.getByRole('combobox', { name: /^Action/ }));
  fireEvent.click(await screen.findByRole('option', { name }));
};

it('creates a protocol with its steps by one save: at once, after an approval, after a wait', async () => {
  const { calls, panel, search } = await open('new', {
    'POST /v1/$batch': { responses: [{ id: 'protocol', status: 201, body: { protocolId: id } }] },
  });
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Outage' } });
  fireEvent.click(panel.getByRole('button', { name: 'Add step on OnNew' }));
  const first = form(panel, /^Edit.*New step/);
  expect(first.getByLabelText<HTMLInputElement>('Run automatically').checked).toBe(true);
  await waitFor(() => expect(document.activeElement).toBe(first.getByRole('combobox', { name: /^Action/ })));
  await chooseAction(first, /^Page the desk/);
  fireEvent.change(await first.findByLabelText('Team'), { target: { value: 'night' } });

  fireEvent.click(panel.getByRole('button', { name: 'Add step on OnNew' }));
  const second = form(panel, /^Edit.*New step/);
  await chooseAction(second, /^Email/);
  typeWait(second, '10 min');
  fireEvent.click(second.getByLabelText('Run automatically'));

  fireEvent.click(panel.getByRole('button', { name: 'Add step on OnNew' }));
  const third = form(panel, /^Edit.*New step/);
  expect(third.getByLabelText<HTMLInputElement>('Wait after the event').value).toBe('00:10:00');
  await chooseAction(third, /^Notify/);
  const wait = third.getByLabelText<HTMLInputElement>('Wait after the event');
  act(() => wait.focus());
  expect(wait.value.slice(wait.selectionStart ?? 0, wait.selectionEnd ?? 0)).toBe('00:10:00');
  typeWait(third, '00:30:00');
  fireEvent.change(await third.findByLabelText('Whom'), { target: { value: 'Assignee' } });
  expect(titles(panel)).toEqual(['Page the desk, at once', 'Email, after 10 min', 'Notify, after 30 min']);

  save(panel, 'Create');
  await waitFor(() => expect(saved(calls)).toHaveLength(1));
  const [protocolPart, ...steps] = saved(calls)[0] ?? [];
  expect(protocolPart).toMatchObject({ id: 'protocol', method: 'PUT', url: '/v1/protocols', body: { name: 'Outage', tenantId } });
  expect(steps.map(({ method, url, body }) => [method, url, body?.['protocol@odata.bind']])).toEqual(
    Array.from({ length: 3 }, () => ['PUT', '/v1/protocolActions', '$protocol']),
  );
  expect(steps.map(({ body }) => [body?.['actionDefinitionId'], body?.['wait'], body?.['runAutomatically'], body?.['parameters']])).toEqual(
    [
      [hook.actionDefinitionId, null, true, '{"Team":"night"}'],
      [email.actionDefinitionId, '00:10:00', false, '{}'],
      [notify.actionDefinitionId, '00:30:00', true, '{"Whom":"Assignee"}'],
    ],
  );
  expect(new Set(saved(calls)[0]?.map((part) => (part as Part & { atomicityGroup: string }).atomicityGroup))).toEqual(new Set(['save']));
  await waitFor(() => expect(search().get('id')).toBeNull());
  await waitFor(() => expect(document.activeElement?.getAttribute('data-row')).toBe(id));
});

it('moves a step by the keyboard and by dragging, and saves only what that changed', async () => {
  const { calls, panel } = await open(id);
  await waitFor(() => expect(titles(panel)).toEqual(['Call, at once', 'Write, at once', 'Ask, after 10 min']));
  fireEvent.keyDown(panel.getByRole('button', { name: /^Move Write/ }), { key: 'ArrowUp' });
  expect(titles(panel)).toEqual(['Write, at once', 'Call, at once', 'Ask, after 10 min']);
  panel.getByText('Write is step 1 of 3, at once.');

  // A step that is moved past a step with another time takes that step's time.
  const transfer = { effectAllowed: '', setData: () => undefined };
  fireEvent.dragStart(panel.getByRole('button', { name: /^Move Write/ }), { dataTransfer: transfer });
  const target = panel.getByRole('button', { name: /^Edit.*Ask/ }).closest('li') as HTMLElement;
  vi.spyOn(target, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 100, 40));
  fireEvent(
    target,
    Object.assign(new MouseEvent('dragover', { bubbles: true, cancelable: true, clientY: 30 }), { dataTransfer: transfer }),
  );
  fireEvent.drop(target, { dataTransfer: transfer });
  expect(titles(panel)).toEqual(['Call, at once', 'Ask, after 10 min', 'Write, after 10 min']);
  save(panel);
  await waitFor(() => expect(saved(calls)).toHaveLength(1));
  expect(saved(calls)[0]?.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', `/v1/protocolActions/${write.protocolActionId}`, { wait: '00:10:00' }],
  ]);
});

it('adds a step between two others, behind the one at the same time', async () => {
  const { calls, panel } = await open(id);
  fireEvent.click(await panel.findByRole('button', { name: 'Add a step after Call' }));
  await chooseAction(form(panel, /^Edit.*New step/), /^Email/);
  expect(titles(panel)).toEqual(['Call, at once', 'Email, at once', 'Write, at once', 'Ask, after 10 min']);
  save(panel);
  await waitFor(() => expect(saved(calls)).toHaveLength(1));
  expect(saved(calls)[0]?.map(({ method, id: part, body }) => [method, part, body?.['sequence'], body?.['protocolId']])).toEqual([
    ['PUT', 'new-1', 2, id],
    ['POST', write.protocolActionId, 3, undefined],
  ]);
});

it('removes a step once saving is confirmed, and takes it back before', async () => {
  const { calls, panel } = await open(id);
  const remove = () => fireEvent.click(panel.getByRole('button', { name: 'Remove Call' }));
  await panel.findByRole('button', { name: 'Remove Call' });
  remove();
  fireEvent.click(panel.getByRole('button', { name: 'Undo: keep Call' }));
  expect(panel.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
  remove();
  save(panel);
  const question = within(await screen.findByRole('dialog', { name: 'Delete Protocol Action' }));
  question.getByText('Are you sure you want to delete Call? Cannot be undone.');
  expect(saved(calls)).toEqual([]);
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(saved(calls)).toHaveLength(1));
  expect(saved(calls)[0]).toEqual([
    { id: call.protocolActionId, atomicityGroup: 'save', method: 'DELETE', url: `/v1/protocolActions/${call.protocolActionId}` },
  ]);
});

it('names what is missing before anything is sent, and keeps what was typed', async () => {
  const { calls, panel } = await open('new');
  fireEvent.click(panel.getByRole('button', { name: 'Add step on OnNew' }));
  const fields = form(panel, /^Edit.*New step/);
  typeWait(fields, 'soon');
  await fields.findByText('Please enter a duration as hh:mm:ss.');
  save(panel, 'Create');
  await panel.findByText('Name is required.');
  fields.getByText('Action is required.');
  fireEvent.change(panel.getByLabelText(/^Name/), { target: { value: 'Outage' } });
  save(panel, 'Create');
  await waitFor(() => expect(document.activeElement).toBe(fields.getByRole('combobox', { name: /^Action/ })));
  expect(saved(calls)).toEqual([]);
  expect(fields.getByLabelText<HTMLInputElement>('Wait after the event').value).toBe('soon');
});

it('shows a refusal of the server at the step and field that it names, and keeps all input', async () => {
  const refusal = { code: 'ValidationFailed', message: 'No.', details: [{ target: 'parameters', message: 'Team: No such team.' }] };
  const { calls, panel } = await open(id, {
    'POST /v1/$batch': { responses: [{ id: write.protocolActionId, status: 400, body: { error: refusal } }] },
  });
  fireEvent.click(await panel.findByRole('button', { name: /^Edit.*Write/ }));
  const fields = form(panel, /^Edit.*Write/);
  fireEvent.change(fields.getByLabelText('To'), { target: { value: 'night@example.com' } });
  fireEvent.click(panel.getByRole('button', { name: /^Edit.*Write/ }));
  save(panel);
  await panel.findByText('Team: No such team.');
  expect(saved(calls)).toHaveLength(1);
  expect(fields.getByLabelText<HTMLInputElement>('To').value).toBe('night@example.com');
  fireEvent.change(fields.getByLabelText('To'), { target: { value: 'day@example.com' } });
  await waitFor(() => expect(panel.queryByText('Team: No such team.')).toBeNull());
});

it('restores unsaved steps after a reload', async () => {
  const { panel } = await open(id);
  fireEvent.keyDown(await panel.findByRole('button', { name: /^Move Write/ }), { key: 'ArrowUp' });
  await waitFor(() => expect(sessionStorage).toHaveLength(1));
  const again = await open(id);
  await waitFor(() => expect(titles(again.panel)).toEqual(['Write, at once', 'Call, at once', 'Ask, after 10 min']));
});

it('restores what was edited, and leaves the rest as somebody else saved it meanwhile', async () => {
  const { panel } = await open(id);
  fireEvent.click(await panel.findByRole('button', { name: /^Edit.*Ask/ }));
  typeWait(form(panel, /^Edit.*Ask/), '00:20:00');
  await waitFor(() => expect(sessionStorage).toHaveLength(1));
  const other = step('c4', { summary: 'Close', sequence: 4, wait: '01:00:00' });
  const rows = [{ ...call, summary: 'Call the plant' }, { ...ask, runAutomatically: true }, other];
  const again = await open(id, { 'GET /v1/protocolActions': list(rows) });
  await waitFor(() => expect(titles(again.panel)).toEqual(['Call the plant, at once', 'Ask, after 20 min', 'Close, after 1 h']));
  save(again.panel);
  await waitFor(() =>
    expect(saved(again.calls)).toEqual([
      [expect.objectContaining({ id: ask.protocolActionId, method: 'POST', body: { wait: '00:20:00' } })],
    ]),
  );
});

it('simulates what is typed before it is saved: times, who is told, and why a step never runs', async () => {
  const moment = { event: 'OnNew', stateId: 'New', after: null, runs: [], skipped: [], waits: [] };
  const plain = { protocolActionId: call.protocolActionId, name: 'Page the desk', summary: 'Call', sequence: 1 };
  const { calls, panel } = await open(id, {
    simulateDraft: {
      timeline: [
        { ...moment, at: '2026-12-24T22:00:00Z', runs: [{ ...plain, to: 'Kim (on call: Plant)' }] },
        { ...moment, at: '2026-12-24T22:15:00Z', after: '00:15:00', skipped: [{ ...plain, reason: 'it is for Sev0' }] },
      ],
      more: false,
      ended: [],
      unreachable: [
        { ...plain, protocolActionId: write.protocolActionId, event: 'OnTimer', never: true, reason: 'Its action no longer exists.' },
      ],
      withoutAddress: [{ ...plain, event: 'OnNew', reason: 'Nobody is on call in Plant.' }],
    },
  });
  fireEvent.click(await panel.findByRole('button', { name: /^Edit.*Ask/ }));
  typeWait(form(panel, /^Edit.*Ask/), '00:20:00');
  fireEvent.change(panel.getByLabelText('Severity'), { target: { value: 'Sev2' } });
  fireEvent.change(panel.getByLabelText('Opened at'), { target: { value: '2026-12-24T22:00' } });
  fireEvent.change(panel.getByLabelText('Acknowledged at'), { target: { value: '2026-12-24T22:30' } });
  await waitFor(() =>
    expect(simulated(calls).at(-1)).toMatchObject({
      protocolTenantId: tenantId,
      timerInverval: '00:30:00',
      severityId: 'Sev2',
      start: new Date('2026-12-24T22:00').toISOString(),
      states: [{ stateId: 'Acknowledged', at: new Date('2026-12-24T22:30').toISOString() }],
      steps: [{ summary: 'Call' }, { summary: 'Write' }, { summary: 'Ask', wait: '00:20:00', runAutomatically: false }],
    }),
  );
  // The server refuses names that it does not know.
  const fieldNames = Object.keys(
    (simulateDraft.input as unknown as { shape: { steps: { element: { shape: object } } } }).shape.steps.element.shape,
  );
  expect(Object.keys(simulated(calls).at(-1)?.steps[0] ?? {}).toSorted()).toEqual(fieldNames.toSorted());
  expect(saved(calls)).toEqual([]);
  const moments = within(await panel.findByRole('region', { name: 'What happens when' }));
  moments.getByText('→ Kim (on call: Plant)');
  moments.getByText('15 min after OnNew');
  moments.getByText('Call is not run: it is for Sev0');
  form(panel, /^Edit.*Write/).getByText(/^Never runs: Its action no longer exists\./);
  form(panel, /^Edit.*Call/).getByText('Nobody is on call in Plant.');
});

it('simulates what is saved while nothing is changed', async () => {
  const { calls, panel } = await open(id, {
    simulateProtocol: {
      ...nothing,
      withoutAddress: [
        {
          protocolActionId: call.protocolActionId,
          name: 'Page the desk',
          summary: 'Call',
          sequence: 1,
          event: 'OnNew',
          reason: 'The action has no endpoint address.',
        },
      ],
    },
  });
  await waitFor(() => form(panel, /^Edit.*Call/).getByText('The action has no endpoint address.'));
  expect(simulated(calls)).toEqual([]);
});

it('offers no change without the permission for it', async () => {
  const { panel } = await open(id, {
    permissionsOfCaller: allPermissions.filter((permission) => !/WorkUnits\.Protocols:(create|delete)|:mine$/.test(permission)),
  });
  fireEvent.click(await panel.findByRole('button', { name: /^Edit.*Call/ }));
  panel.getByRole('button', { name: /^Move Call/ });
  expect(panel.queryByRole('button', { name: /^(Add|Remove)/ })).toBeNull();
});
