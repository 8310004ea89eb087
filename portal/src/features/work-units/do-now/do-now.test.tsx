import '../../../testing/browser.ts';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { doNow } from '@cloudfit/contract/calls.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import '../../../app/home-route.tsx';
import { list, refused, renderApp, tenantId, type Answers } from '../../../testing/render-app.tsx';
import { incident } from '../panel/panel.fixtures.ts';

type Entry = CallOutput<typeof doNow>['value'][number];
type Reason = Entry['reasons'][number];

beforeEach(() => localStorage.clear());

const me = 'mara@northwind.example';
const other = '01a1fcdb-e331-70c1-ba47-fd1610462aff';
const tenants = [
  { tenantId, name: 'Northwind Energy' },
  { tenantId: other, name: 'Southwind' },
];
const inMinutes = (n: number) => new Date(Date.now() + n * 60_000 + 30_000).toISOString();
const because = (kind: Reason['kind'], more: Partial<Reason> = {}): Reason => ({
  kind,
  due: null,
  since: inMinutes(-5),
  detail: null,
  id: null,
  ...more,
});
const entry = (id: number, title: string, reasons: Reason[], more: object = {}): Entry => ({
  tenantId,
  tenantName: 'Northwind Energy',
  unit: {
    ...incident,
    workUnitId: id,
    publicWorkUnitId: 1_000 + id,
    title,
    stateId: 'New',
    assignedTo: null,
    ...more,
  } as unknown as Entry['unit'],
  communication: null,
  reasons,
});
const answer = (...value: Entry[]) => ({ value, total: value.length, isCut: false });
const units = { 'GET /v1/workUnits': list([]), 'GET /api/generallookup/tenants': tenants } satisfies Answers;

const card = async () => within(await screen.findByRole('region', { name: 'Do now' }));
const row = async (title: string) => {
  const link = await (await card()).findByRole('link', { name: new RegExp(`^#\\d+ ${title}`) });
  return within(link.closest('li') as HTMLElement);
};

it('shows each entry with its reasons, clocks and verbs', async () => {
  const value = [
    entry(1, 'Customer waits', [because('CallBack', { due: inMinutes(12), id: 'c1', detail: '0123' }), because('Assigned')], {
      assignedTo: me,
      stateId: 'InProgress',
    }),
    entry(2, 'Valve is hot', [because('LevelBreached', { due: inMinutes(-3) }), because('NewInGroup', { detail: 'Pumps' })]),
    {
      ...entry(3, '', [because('UpdateOverdue', { due: inMinutes(-120), detail: 'customer' })]),
      unit: null,
      communication: { workUnitCommunicationId: 9, publicId: 5, title: 'Outage in Leeds' },
    },
    entry(4, 'Paint the gate', [because('Mentioned', { id: 'i1', detail: 'Which colour, @mara@northwind.example?' })]),
  ];
  const { inputsOf } = await renderApp(`/${tenantId}`, {
    ...units,
    doNow: { value, total: 70, isCut: false },
    'POST /v1/callBacks/c1/take': {},
    markInboxItems: { changed: 1 },
  });
  const called = await row('Customer waits');
  expect(called.getByText(/^Call within 1[23] min$/)).toBeTruthy();
  expect(called.getByText('Assigned to me')).toBeTruthy();
  expect(called.queryByRole('button', { name: /^Acknowledge/ })).toBeNull();
  fireEvent.click(called.getByRole('button', { name: "I'll call about #1001 Customer waits" }));
  await waitFor(() => expect(inputsOf('takeCallBack')).toEqual([{ id: 'c1' }]));
  const late = await row('Valve is hot');
  expect(late.getByText(/^Service level breached, overdue by [23] min/).className).toContain('danger');
  expect(late.getByText('New in Pumps')).toBeTruthy();
  expect(late.getByRole('button', { name: 'Acknowledge: #1002 Valve is hot' })).toBeTruthy();
  const update = await row('Outage in Leeds');
  expect(update.getByRole('link', { name: /^Write the update/ }).getAttribute('href')).toBe('/workunitcommunications?id=9');
  const mentioned = await row('Paint the gate');
  expect(await mentioned.findByText('Which colour, @Mara Okafor?')).toBeTruthy();
  fireEvent.click(mentioned.getByRole('button', { name: /^Mark as read/ }));
  await waitFor(() => expect(inputsOf('markInboxItems')).toEqual([{ ids: ['i1'], isRead: true }]));
  expect((await card()).getByText(/And 66 more\./)).toBeTruthy();
});

it('asks for the outcome of a call that the person has taken', async () => {
  const callOfMine = entry(1, 'Customer waits', [because('Calling', { due: inMinutes(5), id: 'c1', detail: '0123 45' })]);
  const { inputsOf } = await renderApp(`/${tenantId}`, { ...units, doNow: answer(callOfMine), 'POST /v1/callBacks/c1/close': {} });
  const called = await row('Customer waits');
  expect(called.getByRole('link', { name: '0123 45' }).getAttribute('href')).toBe('tel:012345');
  fireEvent.click(called.getByRole('button', { name: 'Reached: #1001 Customer waits' }));
  await waitFor(() => expect(inputsOf('closeCallBack')).toEqual([{ id: 'c1', outcome: 'Reached', note: '' }]));
});

it('runs steps and decides changes in place', async () => {
  const change = { workUnitTypeId: 2, approver1: me, assignedTo: me, stateId: 'Acknowledged' };
  const step = {
    protocolActionId: 's1',
    actionDefinitionId: 'd1',
    name: 'Restart',
    description: null,
    summary: 'Restart the pump',
    workUnitEventTypeId: 1,
    sequence: 1,
    repeatable: false,
    inputParameters: '',
    parameters: '{}',
    status: 'waiting',
    messageId: null,
    actionHistoryId: null,
    nextTry: null,
    actionProcessed: null,
    resultDetail: null,
    mayRun: true,
  } as const;
  const { inputsOf } = await renderApp(`/${tenantId}`, {
    ...units,
    doNow: answer(
      entry(1, 'Pump 9 is silent', [because('Step', { id: 's1', detail: 'Restart the pump' })]),
      entry(2, 'Swap the switch', [because('Approval', { id: '1' })], change),
    ),
    pendingActions: {
      waiting: 1,
      protocolName: 'Outage',
      manualActions: null,
      value: [step, { ...step, protocolActionId: 's2', summary: 'Not mine' }],
    },
    approvalLookup: { approverId: me, isApprover: true, refusals: { approve: null, decline: null } },
    'POST /v1/workunits/2/approve/1': {},
  });
  const pump = await row('Pump 9 is silent');
  expect(await pump.findByRole('button', { name: 'Run Restart the pump' })).toBeTruthy();
  expect(pump.queryByRole('button', { name: 'Run Not mine' })).toBeNull();
  const swap = await row('Swap the switch');
  expect(await swap.findByRole('button', { name: 'Reject: #1002 Swap the switch' })).toBeTruthy();
  fireEvent.click(swap.getByRole('button', { name: 'Approve: #1002 Swap the switch' }));
  fireEvent.click(await within(await screen.findByRole('dialog')).findByRole('button', { name: 'Approve' }));
  await waitFor(() => expect(inputsOf('approveChange')).toEqual([{ workUnitId: '2', slot: '1', decisionNote: null }]));
});

it('moves by j and k, acknowledges by a, and goes on with the next entry', async () => {
  const first = entry(1, 'Pump 4 is on fire', [because('New')]);
  const second = entry(2, 'Door is open', [because('New')]);
  let isDone = false;
  await renderApp(`/${tenantId}`, {
    ...units,
    doNow: () => (isDone ? answer(second) : answer(first, second)),
    'PATCH /v1/workUnits/1': () => {
      isDone = true;
      return { ...first.unit, stateId: 'Acknowledged', assignedTo: me };
    },
  });
  await row('Door is open');
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  const focused = () => document.activeElement?.textContent;
  press('j');
  expect(focused()).toBe('#1001 Pump 4 is on fire');
  press('j');
  press('j');
  expect(focused()).toBe('#1002 Door is open');
  press('k');
  expect(focused()).toBe('#1001 Pump 4 is on fire');
  press('a');
  await waitFor(() => expect(isDone).toBe(true));
  await waitFor(() => expect(screen.queryByText('#1001 Pump 4 is on fire')).toBeNull());
  await waitFor(() => expect(focused()).toBe('#1002 Door is open'));
});

it('opens a unit beside the list, goes on by j and closes by Escape', async () => {
  const update = {
    ...entry(3, '', [because('UpdateOverdue', { due: inMinutes(-120), detail: 'customer' })]),
    unit: null,
    communication: { workUnitCommunicationId: 9, publicId: 5, title: 'Outage in Leeds' },
  };
  const { search, router } = await renderApp(`/${tenantId}?tenants=one`, {
    ...units,
    doNow: answer(entry(1, 'Pump 4 is on fire', [because('New')]), update, entry(2, 'Door is open', [because('New')])),
    'GET /v1/workUnits(1)': refused(404, 'x'),
    'GET /v1/workUnits(2)': refused(404, 'x'),
  });
  await row('Pump 4 is on fire');
  fireEvent.click((await card()).getByRole('link', { name: '#1001 Pump 4 is on fire' }));
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  await screen.findByRole('dialog');
  expect([router.state.location.pathname, search().toString()]).toEqual([`/${tenantId}`, 'tenants=one&workUnitId=1']);
  press('j');
  await waitFor(() => expect(search().get('workUnitId')).toBe('2'));
  const current = document.querySelectorAll('li[aria-current]');
  expect([...current].map((item) => item.getAttribute('data-entry'))).toEqual(['unit 2']);
  press('Escape');
  await waitFor(() => expect(search().toString()).toBe('tenants=one'));
});

it('shows by a bar how much of the time has passed', async () => {
  const level = entry(1, 'Valve is hot', [because('LevelDue', { due: inMinutes(25), since: inMinutes(-5) })], { created: inMinutes(-75) });
  const over = entry(2, 'Door is open', [because('LevelBreached', { due: inMinutes(-3) })], { created: inMinutes(-75) });
  const called = entry(3, 'Customer waits', [because('CallBack', { due: inMinutes(5), since: inMinutes(-15), id: 'c1', detail: '0123' })]);
  await renderApp(`/${tenantId}`, { ...units, doNow: answer(level, over, called) });
  await row('Valve is hot');
  const shares = [...document.querySelectorAll<HTMLElement>('.time-bar i')].map(({ style }) => Math.round(parseFloat(style.width) / 5) * 5);
  expect(shares).toEqual([75, 100, 75]);
});

it('is of all tenants of the person, or of this one, and says so where nothing waits', async () => {
  const { search, inputsOf } = await renderApp(`/${tenantId}`, units);
  expect(await (await card()).findByText(/^In none of your tenants\./)).toBeTruthy();
  expect(inputsOf('doNow')).toEqual([{}]);
  fireEvent.change((await card()).getByRole('combobox', { name: 'Tenants' }), { target: { value: 'one' } });
  expect(await (await card()).findByText(/^In Northwind Energy; other tenants are not shown\./)).toBeTruthy();
  expect(search().get('tenants')).toBe('one');
  expect(inputsOf('doNow').at(-1)).toEqual({ tenantId });
});

it('names the tenant of each entry where there are several, and says why it could not be loaded', async () => {
  const elsewhere = { ...entry(1, 'Belt stands', [because('New')]), tenantId: other, tenantName: 'Southwind' };
  await renderApp(`/${tenantId}`, { ...units, doNow: answer(elsewhere) });
  expect((await row('Belt stands')).getByText(/Southwind/)).toBeTruthy();
  cleanup();
  await renderApp(`/${tenantId}`, { ...units, doNow: refused(400, 'The database is away.') });
  expect(await (await card()).findByText('What you should do now could not be loaded.')).toBeTruthy();
  cleanup();
  const { calls } = await renderApp(`/${tenantId}`, {
    ...units,
    permissionsOfCaller: [permission('Home', 'view'), permission('Rules', 'view')],
  });
  await screen.findByText(/Welcome/);
  expect(screen.queryByRole('region', { name: 'Do now' })).toBeNull();
  expect(calls.some(({ name }) => name === 'doNow')).toBe(false);
});
