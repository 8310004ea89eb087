import '../../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { clockTime } from '../../../components/relative-time.tsx';
import { queryClient } from '../../../api/query-client.ts';
import { list, refused, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';

const ruleId = '01a1fcdb-0000-7000-8000-0000000000a1';
const otherTenant = '01a1fcdb-0000-7000-8000-0000000000a9';
const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90', OccurrencePattern: null };
const rule = {
  ruleId,
  name: 'Cpu is high',
  enabled: true,
  description: null,
  ruleTypeId: 1,
  tenantId,
  subscriptionId: null,
  color: null,
  matchLifetime: '00:05:00',
  useSlidingExpiration: false,
  timeConditions: null,
  conditions: [cpu],
  matchActions: [],
  expirationActions: [],
  protocolId: null,
  evaluationFailure: null,
  evaluationFailed: null,
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
  subscription: null,
};
const optionsPath = (tenant: string) => `GET /api/${tenant}/rulelookup/conditionInputOptions/20`;
const answers: Answers = {
  'GET /api/generallookup/tenants': [
    { tenantId, name: 'Northwind Energy' },
    { tenantId: otherTenant, name: 'Southwind Water' },
  ],
  'GET /v1/rules': list([rule]),
  [`GET /v1/rules(${ruleId})`]: rule,
  [optionsPath(tenantId)]: ({ query }: ApiCall) => [
    query.get('tenantId') === tenantId ? { id: tenantId, name: 'Northwind Energy' } : { id: otherTenant, name: 'Southwind Water' },
  ],
  'GET /api/generalLookup/timezones': [
    { id: 'America/New_York', name: 'America/New York' },
    { id: 'UTC', name: 'UTC' },
  ],
  'GET /v1/packets': list([{ message: { Metrics: { Cpu: 97.5 } } }]),
  [`GET /v1/actionDefinitions/GetActionDefinitionsForRules(tenantId=${tenantId})`]: list([
    {
      actionDefinitionId: builtInAction.createWorkUnit,
      name: 'Create Work Unit',
      description: null,
      inputParameters: 'SeverityId,TenantId',
    },
    { actionDefinitionId: builtInAction.setColor, name: 'Set Color', description: null, inputParameters: 'Color' },
  ]),
};
const open = (query: string, more: Answers = {}) => renderApp(`/${tenantId}/rules${query}`, { ...answers, ...more });
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
type Form = Awaited<ReturnType<typeof dialog>>;
const line = (form: Form, at: number, of: number) => within(form.getByLabelText(`Condition ${at} of ${of}`));
const fieldsOf = (form: Form) => form.queryAllByLabelText<HTMLInputElement>('What to compare').map((input) => input.value);
const go = (form: Form, tab: string) => fireEvent.click(form.getByRole('tab', { name: new RegExp(`^${tab}`) }));
/** Without the calls that count what the rule would match, which are sent whenever typing pauses. */
const sent = (calls: readonly ApiCall[], method: string) =>
  calls.filter(({ method: of, path }) => of === method && path.startsWith('/v1/rules') && path !== '/v1/rules/matchingNow');
/** Finds a control by its label or text: queries by role are slow in a form of this size. */
const press = (form: Form, name: string) =>
  fireEvent.click(form.queryByLabelText(name, { selector: 'button' }) ?? form.getByText(name, { selector: 'button' }));

function pick(box: HTMLElement, text: string, option: string) {
  fireEvent.change(box, { target: { value: text } });
  fireEvent.click(screen.getByText(option, { selector: '[role=option] span' }));
}

beforeEach(() => localStorage.clear());

it('writes a rule: the tenant condition added and removed by itself, a value only where one is asked for', async () => {
  const unit = {
    subject: 'web-1',
    at: '2026-11-21T10:00:00.000Z',
    title: 'Cpu is high: web-1',
    description: 'Condition: Metric Cpu >= 95',
    severityId: 'Sev1',
  };
  const { calls, search } = await open('?id=new', { 'PUT /v1/rules': rule, 'POST /v1/rules/previewWorkUnit': unit });
  const form = await dialog('Create Rule');
  await proves('[RULE-010] has three tabs', () =>
    expect(form.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Details', 'Conditions', 'Actions']),
  );
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Cpu is high' } });
  fireEvent.change(form.getByLabelText(/^Rule type/), { target: { value: '1' } });
  const tenant = form.getByLabelText<HTMLInputElement>(/^Tenant/);
  await waitFor(() => expect(tenant.value).toBe('Northwind Energy'));
  go(form, 'Conditions');
  expect(search().get('tab')).toBe('conditions');
  await proves('[RULE-040] a tenant adds its condition', () => expect(fieldsOf(form)).toEqual(['Tenant', '']));
  const value = () => line(form, 1, 2).getByLabelText<HTMLInputElement>('Value').value;
  await waitFor(() => expect(value()).toBe('Northwind Energy'));

  go(form, 'Details');
  const tenantField = within(tenant.closest('.field') as HTMLElement);
  fireEvent.click(tenantField.getByLabelText('Clear'));
  go(form, 'Conditions');
  await proves('[RULE-041] none removes it', () => expect(fieldsOf(form)).toEqual(['']));
  go(form, 'Details');
  pick(tenant, 'South', 'Southwind Water');
  go(form, 'Conditions');
  expect(fieldsOf(form)).toEqual(['Tenant', '']);
  await waitFor(() => expect(value()).toBe('Southwind Water'));
  go(form, 'Details');
  pick(tenant, 'North', 'Northwind Energy');
  go(form, 'Conditions');
  await waitFor(() => expect(value()).toBe('Northwind Energy'));

  const second = line(form, 2, 2);
  fireEvent.change(second.getByLabelText('What to compare'), { target: { value: 'cpu' } });
  fireEvent.click(await screen.findByText('Metric Cpu', { selector: '[role=option] span' }));
  expect(second.getByLabelText<HTMLInputElement>('Field name').value).toBe('Cpu');
  const operator = second.getByLabelText<HTMLSelectElement>('Operator');
  expect(document.activeElement).toBe(operator);
  expect(operator.selectedOptions[0]?.text).toBe('is over');
  for (const [requirement, id] of [
    ['[RULE-042] IsEmpty has no value', '13'],
    ['[RULE-043] IsNotEmpty has no value', '14'],
  ] as const) {
    fireEvent.change(operator, { target: { value: id } });
    await proves(requirement, () => expect(second.queryByLabelText('Value')).toBeNull());
    fireEvent.change(operator, { target: { value: '6' } });
    second.getByLabelText('Value');
  }
  fireEvent.change(second.getByLabelText('Value'), { target: { value: '95' } });
  fireEvent.change(second.getByLabelText('Counts when it holds'), { target: { value: 'TimesInRow' } });
  form.getByText(/^When Cpu is at least 95, 3 times in a row, where Tenant is Northwind Energy\./);

  go(form, 'Actions');
  press(form, 'Add an action: when it matches');
  const action = within(form.getByLabelText('When it matches, action 1'));
  // The focus moves to the choice of the action.
  expect(document.activeElement).toBe(action.getByLabelText(/^Action/, { selector: 'input' }));
  pick(action.getByLabelText(/^Action/, { selector: 'input' }), 'Create', 'Create Work Unit');
  expect(action.getByLabelText<HTMLSelectElement>('Severity').value).toBe('Sev3');
  expect(action.getByLabelText<HTMLInputElement>('Tenant', { selector: 'input' }).placeholder).toBe('—');
  fireEvent.change(action.getByLabelText('Severity'), { target: { value: 'Sev1' } });
  press(action, 'Preview');
  const preview = within(await action.findByLabelText('Preview of the work unit'));
  preview.getByText('Cpu is high: web-1');
  preview.getByText(/Condition: Metric Cpu >= 95/);
  expect(sent(calls, 'POST').map((call) => call.body)).toMatchObject([
    {
      name: 'Cpu is high',
      tenantId,
      parameters: { SeverityId: 'Sev1' },
      conditions: [{ LeftOperand: 20 }, { LeftOperand: 62, RightOperand: '95' }],
    },
  ]);
  press(form, 'Add an action: when the match ends');
  const ending = within(form.getByLabelText('When the match ends, action 1'));
  pick(ending.getByLabelText(/^Action/, { selector: 'input' }), 'Set', 'Set Color');
  fireEvent.change(ending.getByLabelText('Color'), { target: { value: 'green' } });
  press(form, 'Create');
  await screen.findByText('Rule created.');
  expect(sent(calls, 'PUT').map((call) => call.body)).toMatchObject([
    {
      name: 'Cpu is high',
      enabled: true,
      ruleTypeId: 1,
      tenantId,
      matchLifetime: '00:05:00',
      timeConditions: null,
      conditions: [
        { Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: tenantId },
        { ...cpu, Operator: 6, RightOperand: '95', OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } },
      ],
      matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev1' } }],
      expirationActions: [{ ActionDefinitionId: builtInAction.setColor, Parameters: { Color: 'green' } }],
    },
  ]);
  expect(search().toString()).toBe('');
  await waitFor(() => expect(document.activeElement?.getAttribute('data-row')).toBe(ruleId));
});

it('says what is missing at its place, and on which tab', async () => {
  const { calls } = await open('?id=new');
  const form = await dialog('Create Rule');
  fireEvent.change(form.getByLabelText(/^Lifetime/), { target: { value: '' } });
  go(form, 'Conditions');
  press(form, 'Remove condition 2');
  press(form, 'Remove condition 1');
  press(form, 'Create');
  await proves('[RULE-032] asks for conditions', () => form.getByText('Condtions are required for rules.'));
  for (const [tab, text] of [
    ['Details', '3 problems'],
    ['Conditions', '1 problem'],
  ] as const)
    within(form.getByRole('tab', { name: new RegExp(`^${tab}`) })).getByText(text);
  go(form, 'Details');
  for (const [requirement, text] of [
    ['[RULE-025] asks for a name', 'Please enter a rule name'],
    ['[RULE-027] asks for a type', 'Please select a Rule Type'],
    ['[RULE-029] asks for a lifetime', 'Lifetime is required'],
  ] as const)
    await proves(requirement, () => form.getByText(text));
  fireEvent.change(form.getByLabelText(/^Lifetime/), { target: { value: '00:04:59' } });
  form.getByText('Must be at least 5 minutes.');

  fireEvent.change(form.getByLabelText(/^Rule type/), { target: { value: '5' } });
  go(form, 'Conditions');
  await proves('[RULE-034] asks for times', () => form.getByText('Time limitations are required for Maintenance rules.'));
  fireEvent.click(form.getByRole('switch', { name: 'Only at certain times' }));
  expect(form.queryByText('Time limitations are required for Maintenance rules.')).toBeNull();
  const days = () => form.getAllByRole('button', { pressed: true }).map((one) => one.textContent);
  await proves('[RULE-044] begins with all days', () => expect(days()).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']));
  const zone = form.getByLabelText<HTMLInputElement>(/^Time zone/);
  await proves('[RULE-039] begins with this time zone', () => expect(zone.value).toBe('America/New York'));
  for (const day of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']) press(form, day);
  await proves('[RULE-036] asks for a day', () => form.getByText('At least one day should be selected when using a Maintenance rule.'));
  press(form, 'Weekdays');
  fireEvent.click(within(zone.closest('.field') as HTMLElement).getByLabelText('Clear'));
  await proves('[RULE-038] asks for a time zone', () => form.getByText('A timezone is required.'));
  fireEvent.change(form.getByLabelText('Days of month'), { target: { value: '1, 15-17, 40' } });
  form.getByText('Days of month are numbers from 1 to 31.');
  expect(sent(calls, 'PUT')).toEqual([]);
});

it('[RULE-004] edits through the row, sends what changed alone, and keeps it when it cannot be saved', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const message = 'Device was not found.';
  const { calls } = await open('', {
    [`POST /v1/rules/${ruleId}`]: refused(400, 'No.', [{ target: 'conditions[1].RightOperand', message }]),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit Cpu is high' }));
  const form = await dialog('Edit Rule: Cpu is high');
  go(form, 'Conditions');
  const first = line(form, 1, 1);
  fireEvent.keyDown(first.getByLabelText('Value'), { key: 'Enter', altKey: true, shiftKey: true });
  expect(document.activeElement).toBe(line(form, 2, 2).getByLabelText('What to compare'));
  form.getByRole('group', { name: 'Box 2 of 2' });
  pick(line(form, 2, 2).getByLabelText('What to compare'), 'Device Name', 'Device Name');
  fireEvent.change(line(form, 2, 2).getByLabelText('Value'), { target: { value: 'db-1' } });
  fireEvent.keyDown(line(form, 2, 2).getByLabelText('Value'), { key: 'ArrowUp', altKey: true });
  expect(fieldsOf(form)).toEqual(['Device Name', 'Metric']);
  go(form, 'Details');
  press(form, 'Save');
  await form.findByText(message);
  expect(screen.queryByText('Unable to save rule. Please try again.')).toBeNull();
  expect(form.getByRole('tab', { name: /^Conditions/ }).getAttribute('aria-selected')).toBe('true');
  expect(sent(calls, 'POST').map((call) => call.body)).toMatchObject([
    {
      conditions: [
        { LeftOperand: 31, Operator: 1, RightOperand: 'db-1' },
        { ...cpu, Type: 'Or' },
      ],
    },
  ]);
  expect(Object.keys(sent(calls, 'POST')[0]?.body as object)).toEqual(['conditions']);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  const guard = await screen.findByText('There are unsaved changes. Are you sure you want to close?');
  fireEvent.click(within(guard.closest('[role=dialog]') as HTMLElement).getByRole('button', { name: 'No' }));
  expect(fieldsOf(form)).toEqual(['Device Name', 'Metric']);
  vi.restoreAllMocks();
});

it('brings back what was typed into a rule when it is opened again', async () => {
  const first = await open(`?id=${ruleId}`);
  let form = await dialog('Edit Rule: Cpu is high');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Cpu is very high' } });
  first.unmount();
  await open(`?id=${ruleId}`);
  form = await dialog('Edit Rule: Cpu is high');
  await waitFor(() => expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Cpu is very high'));
  expect(form.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(false);
});

it('writes recovery conditions beside the conditions, and says them in the sentence', async () => {
  const { calls } = await open(`?id=${ruleId}&tab=conditions`, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const recovery = within(form.getByText('Recovery').closest('details') as HTMLElement);
  fireEvent.click(recovery.getByText(/^Add/, { selector: 'button' }));
  const added = within(recovery.getByLabelText('Condition 1 of 1'));
  fireEvent.change(added.getByLabelText('What to compare'), { target: { value: 'cpu' } });
  fireEvent.click(await screen.findByText('Metric Cpu', { selector: '[role=option] span' }));
  fireEvent.change(added.getByLabelText('Operator'), { target: { value: '4' } });
  fireEvent.change(added.getByLabelText('Value'), { target: { value: '80' } });
  form.getByText(/It ends earlier when Cpu is under 80\.$/);
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]?.body).toEqual({
    recoveryConditions: [expect.objectContaining({ LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 4, RightOperand: '80' })],
  });
});

it('who may not edit looks at the rule', async () => {
  await open(`?id=${ruleId}&tab=conditions`, { 'GET /v1/permissions': ['CloudFit.CFS.Rules:view'] });
  const form = await dialog('Rule: Cpu is high');
  form.getByText('You may look at this, but not change it.');
  expect(form.queryByRole('button', { name: /Save|And|Or|Remove/ })).toBeNull();
  expect(line(form, 1, 1).getByLabelText<HTMLInputElement>('Value').readOnly).toBe(true);
});

it('follows what somebody else saves; of a field that both changed the person chooses', async () => {
  let now: object = rule;
  const { calls } = await open(`?id=${ruleId}`, {
    [`GET /v1/rules(${ruleId})`]: () => now,
    [`POST /v1/rules/${ruleId}`]: rule,
  });
  const form = await dialog('Edit Rule: Cpu is high');
  const name = form.getByLabelText<HTMLInputElement>(/^Name/);
  fireEvent.change(name, { target: { value: 'Mine' } });
  now = { ...rule, name: 'Theirs', description: 'Since noon.', modified: '2026-11-21T11:00:00.000Z' };
  await act(() => queryClient.invalidateQueries({ queryKey: ['rules'] }));
  await screen.findByText(/^Somebody else changed and saved Name/);
  expect(name.value).toBe('Mine');
  expect(form.getByLabelText<HTMLTextAreaElement>('Description').value).toBe('Since noon.');
  press(form, 'Save');
  await screen.findByText(/Choose what stays before you save\./);
  expect(sent(calls, 'POST')).toEqual([]);
  press(form, 'Keep mine of Name');
  expect(screen.queryByText(/^Somebody else changed/)).toBeNull();
  press(form, 'Save');
  await screen.findByText('Rule saved.');
  expect(sent(calls, 'POST').map((call) => call.body)).toEqual([{ name: 'Mine' }]);
});

it('tries the rule as it is written on what is on record, can be stopped, and says what the rule would have done', async () => {
  const [runId, nextId] = ['01a1fcdb-0000-7000-8000-0000000000f1', '01a1fcdb-0000-7000-8000-0000000000f2'];
  const ids = [runId, nextId];
  const outcome = (matches: number) => ({
    matches,
    entities: 1,
    timeline: [
      { from: '2026-11-20T10:00:00.000Z', matches: 0 },
      { from: '2026-11-20T11:00:00.000Z', matches },
    ],
    actions: [{ actionDefinitionId: 'x', phase: 'match', run: 2, suppressed: 0 }],
    workUnits: 2,
    failed: 0,
    error: null,
    byEntity: [
      { entityId: 'e2', entityName: 'gateway-2', matches: 3, last: '2026-11-20T11:30:00.000Z' },
      { entityId: 'e1', entityName: 'gateway-1', matches: 1, last: '2026-11-20T11:00:00.000Z' },
    ],
    list: ['2026-11-20T11:00:00.000Z', '2026-11-20T11:30:00.000Z'].map((firstMatch) => ({
      entityId: 'e1',
      entityName: 'gateway-1',
      firstMatch,
      lastMatch: firstMatch,
      expires: '2026-11-20T11:50:00.000Z',
      matchCount: 4,
      inMaintenance: false,
      suppressed: null,
      inBoth: false,
      values: 'Cpu 93 > 80',
    })),
    truncated: false,
  });
  const [, second] = outcome(2).list;
  const differing = (entityName: string, values: string) => ({ differing: [{ ...second, entityId: 'e3', entityName, values }] });
  const result = {
    draft: { ...outcome(2), ...differing('gateway-3', 'Cpu 85 > 80') },
    inForce: { ...outcome(1), ...differing('gateway-4', 'Cpu 95 > 90') },
    difference: { same: 1, added: 1, removed: 1 },
    notes: ['Taken as it is now.'],
  };
  const run = (state: string, more: object = {}) => ({
    id: runId,
    state,
    progress: 0.5,
    packets: 1200,
    error: null,
    result: null,
    rule: { tenantId, ruleTypeId: 1, name: 'as tried' },
    inForce: { tenantId, ruleTypeId: 1, name: 'as saved' },
    ...more,
  });
  const { calls, search } = await open(`?id=${ruleId}`, {
    'POST /v1/rules/backtest': () => ({ id: ids.shift() }),
    [`GET /v1/rules/backtest/${runId}`]: run('running'),
    [`GET /v1/rules/backtest/${nextId}`]: run('done', { id: nextId, progress: 1, result }),
    [`POST /v1/rules/backtest/${runId}/stop`]: () => Response.json(run('stopped')),
    'POST /v1/rules/explain': {
      outcome: 'hit',
      event: 'packet',
      entityId: 'e3',
      packet: { timestamp: '2026-11-20T11:30:00.000Z', received: '2026-11-20T11:30:00.000Z', message: { Metrics: { Cpu: 95 } } },
      newerPacket: null,
      conditions: [{ index: 0, text: 'Metric Cpu > 90', saw: 'saw 95, which holds', progress: null, satisfied: true }],
    },
  });
  const form = await dialog('Edit Rule: Cpu is high');
  go(form, 'Conditions');
  fireEvent.change(line(form, 1, 1).getByLabelText('Value'), { target: { value: '80' } });
  press(form, 'Backtest');
  const panel = await dialog('Backtest');
  const start = panel.getByText<HTMLButtonElement>('Start', { selector: 'button' });
  expect(document.activeElement).toBe(start);
  fireEvent.click(start);
  await panel.findByText('1200 packets read…');
  expect([document.activeElement, start.getAttribute('aria-disabled')]).toEqual([start, 'true']);
  // A second click starts no second run.
  fireEvent.click(start);
  expect(search().get('panel.try')).toBe(runId);
  expect(panel.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50');
  const [started] = sent(calls, 'POST').map((call) => call.body as { rule: object; ruleId: string; from: string });
  expect(started).toMatchObject({ ruleId, rule: { tenantId, ruleTypeId: 1, conditions: [{ ...cpu, RightOperand: '80' }] } });
  press(panel, 'Stop');
  await panel.findByText('Stopped before it was finished.');

  fireEvent.change(panel.getByLabelText('Period'), { target: { value: '0' } });
  const end = (label: string, value: string) => fireEvent.change(panel.getByLabelText(label), { target: { value } });
  end('From', '2026-11-20T10:00:00');
  end('To', '2026-11-20T09:00:00');
  panel.getByText('The period must end after it begins.');
  expect(panel.getByText<HTMLButtonElement>('Start', { selector: 'button' }).disabled).toBe(true);
  end('To', '2026-12-24T10:00:00');
  panel.getByText('A backtest covers at most 31 days.');
  end('To', '2026-11-20T12:00:00');
  press(panel, 'Start');
  await panel.findByText('2 matches of 1 device or block. 2 actions would have run, 2 work units been opened.');
  // The arrow keys read each bar aloud: its period and its count.
  const bars = panel.getByRole('group', { name: 'As written now: 2 matches over the period' });
  fireEvent.focus(bars);
  const hour = (from: string, to: string) => `${clockTime(`2026-11-20T${from}:00.000Z`)} – ${clockTime(`2026-11-20T${to}:00.000Z`)}`;
  expect(within(bars).getAllByText(`${hour('11:00', '12:00')}: 2 matches`)).toHaveLength(2);
  fireEvent.keyDown(bars, { key: 'ArrowLeft' });
  expect(within(bars).getAllByText(`${hour('10:00', '11:00')}: 0 matches`)).toHaveLength(2);
  fireEvent.blur(bars);
  expect(within(bars).queryByText(/matches/)).toBeNull();
  fireEvent.pointerEnter(bars.children[1] as HTMLElement);
  expect(within(bars).getAllByText(`${hour('11:00', '12:00')}: 2 matches`)).toHaveLength(2);
  panel.getByRole('group', { name: 'As saved: 1 match over the period' });
  panel.getByText('Matches the same: 1, new: 1, gone: 1.');
  expect(sent(calls, 'POST').at(-1)?.body).toMatchObject({
    from: new Date('2026-11-20T10:00:00').toISOString(),
    to: new Date('2026-11-20T12:00:00').toISOString(),
  });
  const ranked = within(panel.getByRole('region', { name: 'Matches by device and block' }));
  expect(ranked.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    `gateway-23 matcheslast ${clockTime('2026-11-20T11:30:00.000Z')}`,
    `gateway-11 matchlast ${clockTime('2026-11-20T11:00:00.000Z')}`,
  ]);
  const newestFirst = within(panel.getByRole('region', { name: 'Matches that would have opened' })).getAllByText(/:/, { selector: 'time' });
  expect(newestFirst.map((time) => time.textContent)).toEqual(
    ['2026-11-20T11:30:00.000Z', '2026-11-20T11:00:00.000Z'].map((at) => clockTime(at)),
  );
  expect(panel.getAllByText('Cpu 93 > 80')).toHaveLength(2);

  // A match that only one of the rules opens has a sign and a word; a click explains it by that rule, and the explanation links
  // to the packet.
  const changes = within(panel.getByRole('region', { name: 'Difference to the saved rule' }));
  changes.getByText('New: 1 match');
  changes.getByText('Gone: 1 match');
  const isAdded = changes.getByRole('button', { name: /^New: ?gateway-3 ?Cpu 85 > 80/ });
  const isGone = changes.getByRole('button', { name: /^Gone: ?gateway-4 ?Cpu 95 > 90/ });
  expect([isAdded, isGone].map((line) => line.firstChild?.textContent)).toEqual(['+', '−']);
  fireEvent.click(isGone);
  await changes.findByText('Metric Cpu > 90: saw 95, which holds');
  expect(isGone.getAttribute('aria-expanded')).toBe('true');
  expect(calls.filter((call) => call.path === '/v1/rules/explain').map((call) => call.body)).toEqual([
    { rule: { tenantId, ruleTypeId: 1, name: 'as saved' }, entityId: 'e3', at: '2026-11-20T11:30:00.000Z' },
  ]);
  // Links open in another tab, because this one has an unsaved rule.
  expect(changes.getByRole('link', { name: 'All values' }).getAttribute('target')).toBe('_blank');
  expect(changes.getByRole('link', { name: 'All values' }).getAttribute('href')).toBe(
    `/${tenantId}/packets/e3?tab=history&panel.at=${encodeURIComponent('2026-11-20T11:30:00.000Z')}`,
  );
  fireEvent.click(isAdded);
  await waitFor(() => expect(calls.some((call) => JSON.stringify(call.body ?? '').includes('as tried'))).toBe(true));
  panel.getByText('Taken as it is now.');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(search().get('panel.try')).toBeNull());
  expect(line(form, 1, 1).getByLabelText<HTMLInputElement>('Value').value).toBe('80');
});

it('says of a rule that would not have matched only that', async () => {
  const runId = '01a1fcdb-0000-7000-8000-0000000000f1';
  const draft = { matches: 0, entities: 0, timeline: [], actions: [], workUnits: 0, failed: 0, error: null, list: [], truncated: false };
  const result = { draft, inForce: draft, difference: { same: 0, added: 0, removed: 0 }, notes: ['Taken as it is now.'] };
  await open(`?id=${ruleId}&panel.try=${runId}`, {
    [`GET /v1/rules/backtest/${runId}`]: { id: runId, state: 'done', progress: 1, packets: 3, error: null, result, rule: {}, inForce: {} },
  });
  const panel = await dialog('Backtest');
  expect((await panel.findByRole('status')).textContent).toBe('It would not have matched.');
  expect(panel.queryByRole('region')).toBeNull();
});

it('says what a fault does that comes back, and asks for the hours only where they count', async () => {
  const { calls } = await open(`?id=${ruleId}`, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const choice = await form.findByLabelText<HTMLSelectElement>('When the fault comes back');
  expect([...choice.options].map((option) => option.text)).toEqual([
    'Add it to the open work unit',
    'Open the work unit again',
    'Open another work unit',
  ]);
  expect(form.queryByLabelText('Reopen within hours')).toBeNull();
  fireEvent.change(choice, { target: { value: 'Reopen' } });
  fireEvent.change(form.getByLabelText('Reopen within hours'), { target: { value: '12' } });
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST').map((call) => call.body)).toEqual([{ recurrence: 'Reopen', reopenHours: 12 }]));
});

it('compares with another reading or a value of the device, by one button and back', async () => {
  const device = { deviceId: '01a1fcdb-0000-7000-8000-0000000000d1', ruleValues: 'site = north\nmaxTemp = 80' };
  const { calls } = await open(`?id=${ruleId}&tab=conditions`, { 'GET /v1/devices': list([device]), [`POST /v1/rules(${ruleId})`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  press(form, 'Compare with a reading or a value of the device');
  press(form, 'Compare with a fixed value');
  expect(form.getByLabelText<HTMLInputElement>('Value').value).toBe('90');
  press(form, 'Compare with a reading or a value of the device');
  fireEvent.change(form.getByLabelText('Factor'), { target: { value: '0.9' } });
  fireEvent.change(form.getByLabelText('Kind of the reading to compare with'), { target: { value: '36' } });
  const name = form.getByLabelText<HTMLInputElement>('Reading to compare with');
  await waitFor(() => {
    fireEvent.change(name, { target: { value: 'max' } });
    fireEvent.click(screen.getByText('maxTemp', { selector: '[role=option] span' }));
  });
  expect(form.getByLabelText('Rule in words').textContent).toMatch(/^When Cpu is over 0.9 × Device Value maxTemp\./);
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]?.body).toMatchObject({
    conditions: [{ RightOperand: null, RightReading: { Operand: 36, FieldName: 'maxTemp', Factor: 0.9 } }],
  });
});

it('groups matches by location or by tag, and says so in its sentence', async () => {
  const { calls } = await open('?id=' + ruleId, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const by = form.getByLabelText('One work unit for each');
  expect(form.getByLabelText('Storm above')).toBeTruthy();
  fireEvent.change(by, { target: { value: 'Rule' } });
  form.getByText(/All matches within 30 min of each other become one work unit/);
  fireEvent.change(by, { target: { value: 'Location' } });
  expect(form.queryByLabelText('Storm above')).toBeNull();
  expect(form.queryByLabelText('Tag begins with')).toBeNull();
  fireEvent.change(form.getByLabelText('Summary every'), { target: { value: '00:10:00' } });
  form.getByText(/Matches of the same location within 30 min of each other become one work unit: .* at most every 10 min\./);
  fireEvent.change(by, { target: { value: 'Tag' } });
  fireEvent.change(form.getByLabelText('Tag begins with'), { target: { value: 'site:' } });
  form.getByText(/Matches of the same tag site:… within 30 min/);
  press(form, 'Save');
  await screen.findByText('Rule saved.');
  expect(sent(calls, 'POST').at(-1)?.body).toMatchObject({ groupBy: 'Tag', groupTag: 'site:', groupSummary: '00:10:00' });
});

it('shows the last reading beside a metric, and none beside its rate', async () => {
  await open('?id=new&tab=conditions');
  const form = await dialog('Create Rule');
  const box = form.getAllByLabelText('What to compare').at(-1) as HTMLElement;
  fireEvent.change(box, { target: { value: 'cpu' } });
  const choice = async (name: string) => (await screen.findByText(name, { selector: '[role=option] span' })).closest('[role=option]');
  expect((await choice('Metric Cpu'))?.textContent).toContain('97.5');
  expect((await choice('Change of Metric Cpu'))?.textContent).not.toContain('97.5');
});

it('compares a metric with its baseline: deviations, hours and weeks', async () => {
  const { calls } = await open(`?id=${ruleId}&tab=conditions`, { [`POST /v1/rules(${ruleId})`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const what = form.getByLabelText('What to compare');
  // The operand is also found by its description; the last reading is not shown, as it is no number of deviations.
  fireEvent.change(what, { target: { value: 'past weeks' } });
  const choice = await screen.findByText('Metric Above Baseline Cpu', { selector: '[role=option] span' });
  expect(choice.closest('li')?.textContent).toBe('Metric Above Baseline Cpu');
  fireEvent.click(choice);
  const selects = [...form.getByLabelText('Condition 1 of 1').querySelectorAll('select')];
  expect(selects.map((one) => one.labels[0]?.textContent)).toEqual([
    'Operator',
    'Hours to compare with',
    'Weeks to look back',
    'Counts when it holds',
  ]);
  expect(form.queryByLabelText('Compare with a reading or a value of the device')).toBeNull();
  fireEvent.change(form.getByLabelText('Standard deviations'), { target: { value: '3' } });
  const sentence = form.getByLabelText('Rule in words');
  expect(sentence.textContent).toMatch(/^When Cpu is more than 3 standard deviations above the same hour of the last 4 weeks\b/);
  form.getByText('Holds only where at least 3 of these weeks have values of the hour.');
  fireEvent.change(form.getByLabelText('Hours to compare with'), { target: { value: 'OfDay' } });
  fireEvent.change(form.getByLabelText('Weeks to look back'), { target: { value: '1' } });
  expect(sentence.textContent).toMatch(/above the same hour of each day of the last week\b/);
  form.getByText('Holds only where that week has values of the hour.');
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST')).toHaveLength(1));
  expect(sent(calls, 'POST')[0]?.body).toMatchObject({
    conditions: [{ LeftOperand: 87, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '3', Baseline: { Weeks: 1, Hour: 'OfDay' } }],
  });
});

it('[ERR-004] says that a rule could not be saved, where no field has the reason', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  await open(`?id=${ruleId}`, { [`POST /v1/rules/${ruleId}`]: refused(500, 'No.') });
  const form = await dialog('Edit Rule: Cpu is high');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Cpu is very high' } });
  press(form, 'Save');
  await screen.findByText('Unable to save rule. Please try again.');
  vi.restoreAllMocks();
});
