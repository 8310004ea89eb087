import '../../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { queryClient } from '../../../api/query-client.ts';
import { refused, tenantId } from '../../../testing/render-app.tsx';
import { ruleId, cpu, rule, open, dialog, line, fieldsOf, go, sent, press, pick } from './rule-editor.fixtures.ts';

beforeEach(() => localStorage.clear());

it('writes a rule: the tenant condition added and removed by itself, a value only where one is asked for', async () => {
  const unit = {
    subject: 'web-1',
    at: '2026-11-21T10:00:00.000Z',
    title: 'Cpu is high: web-1',
    description: 'Condition: Metric Cpu >= 95',
    severityId: 'Sev1',
  };
  const { calls, search } = await open('?id=new', { 'PUT /v1/rules': rule, previewWorkUnit: unit });
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
  const days = () => form.getAllByRole('button', { pressed: true }).map((element) => element.textContent);
  await proves('[RULE-044] begins with all days', () => expect(days()).toEqual(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']));
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

it('who may not edit looks at the rule', async () => {
  await open(`?id=${ruleId}&tab=conditions`, { permissionsOfCaller: ['CloudFit.CFS.Rules:view'] });
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

it('says what happens when a work unit is ended while its match goes on, and asks after which time', async () => {
  const { calls } = await open(`?id=${ruleId}`, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const choice = await form.findByLabelText<HTMLSelectElement>('When ended while it matches');
  expect([...choice.options].map((option) => option.text)).toEqual([
    'Open it again',
    'Open another work unit',
    'Wait until the match ends',
  ]);
  fireEvent.change(form.getByLabelText('After further hits for'), { target: { value: '200:00:00' } });
  press(form, 'Save');
  await form.findByText('Must be at most 7 days.');
  fireEvent.change(form.getByLabelText('After further hits for'), { target: { value: '00:15:00' } });
  fireEvent.change(choice, { target: { value: 'Silent' } });
  expect(form.queryByLabelText('After further hits for')).toBeNull();
  fireEvent.change(choice, { target: { value: 'New' } });
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST').map((call) => call.body)).toEqual([{ whileMatching: 'New', reopenAfter: '00:15:00' }]));
});

it('says in its sentence how long it must be clear before a match ends', async () => {
  const { calls } = await open(`?id=${ruleId}`, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const field = await form.findByLabelText('Clear for');
  expect(form.queryByText(/without a hit\.$/)).toBeNull();
  fireEvent.change(field, { target: { value: '25:00:00' } });
  press(form, 'Save');
  await form.findByText('Must be at most 24 hours.');
  fireEvent.change(field, { target: { value: '00:10:00' } });
  await form.findByText(/It does not end before 10 min without a hit\.$/);
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST').map((call) => call.body)).toEqual([{ clearFor: '00:10:00' }]));
});

it('says in its sentence how often messages repeat, and how long an acknowledgement counts', async () => {
  const { calls } = await open(`?id=${ruleId}`, { [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog('Edit Rule: Cpu is high');
  const field = await form.findByLabelText('Repeat while nobody works on it');
  fireEvent.change(field, { target: { value: '00:00:30' } });
  press(form, 'Save');
  await form.findByText('Enter a time from 00:01:00 to 30 days.');
  fireEvent.change(field, { target: { value: '00:30:00' } });
  fireEvent.change(form.getByLabelText('An acknowledgement runs out after'), { target: { value: '02:00:00' } });
  await form.findByText(/mails and calls run again every 30 min\. An acknowledgement counts for 2 h without a change or note\.$/);
  press(form, 'Save');
  const saved = { repeatEvery: '00:30:00', acknowledgedFor: '02:00:00' };
  await waitFor(() => expect(sent(calls, 'POST').map((call) => call.body)).toEqual([saved]));
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

it('[ERR-004] says that a rule could not be saved, where no field has the reason', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  await open(`?id=${ruleId}`, { [`POST /v1/rules/${ruleId}`]: refused(500, 'No.') });
  const form = await dialog('Edit Rule: Cpu is high');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Cpu is very high' } });
  press(form, 'Save');
  await screen.findByText('Unable to save rule. Please try again.');
  vi.restoreAllMocks();
});

it('makes a rule for a group or for all tenants, and counts at the chosen tenant', async () => {
  const tenantGroupId = '01a1fcdb-e339-7000-9000-000000000001';
  const group = { tenantGroupId, name: 'Gold', tenantIds: [tenantId] };
  const { calls } = await open(`?id=${ruleId}`, { tenantGroups: [group], [`POST /v1/rules/${ruleId}`]: rule });
  const form = await dialog(`Edit Rule: ${rule.name}`);
  const tenant = form.getByLabelText<HTMLInputElement>(/^Tenant/);
  await waitFor(() => expect(tenant.value).toBe('Northwind Energy'));
  // Whether the person may do it for all tenants arrives later.
  await within(tenant.closest('.field') as HTMLElement).findByLabelText('Clear');
  fireEvent.click(within(tenant.closest('.field') as HTMLElement).getByLabelText('Clear'));
  expect(tenant.placeholder).toBe('All tenants');
  expect(await form.findByText('Would match now at Northwind Energy')).toBeTruthy();
  pick(tenant, 'Gold', 'Gold');
  press(form, 'Save');
  await waitFor(() => expect(sent(calls, 'POST').map((call) => call.body)).toMatchObject([{ tenantId: null, tenantGroupId }]));
});

it('shows a rule of several tenants to people who may not change it, and says so once that is certain', async () => {
  const may = ['CloudFit.CFS.Rules:view', 'CloudFit.CFS.Rules:edit'];
  const everywhereMay = Promise.withResolvers<string[]>();
  await open(`?id=${ruleId}`, {
    permissionsOfCaller: ({ everywhere }: { everywhere?: string | undefined }) => (everywhere ? everywhereMay.promise : may),
    [`GET /v1/rules(${ruleId})`]: { ...rule, tenantId: null, tenantGroupId: '01a1fcdb-e339-7000-9000-000000000001', tenantGroup: null },
  });
  const form = await dialog(`Rule: ${rule.name}`);
  expect(form.queryByText(/for several tenants/)).toBeNull();
  everywhereMay.resolve([]);
  expect(await form.findByText(/for several tenants/)).toBeTruthy();
  expect(form.getByLabelText<HTMLInputElement>(/^Tenant/).value).toBe('Several tenants');
});
