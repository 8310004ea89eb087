import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type ApiCall } from '../../../testing/render-app.tsx';
import { dialog, go, line, open as openEditor } from './rule-editor.fixtures.ts';

const ruleId = '01a1fcdb-0000-7000-8000-0000000000a1';
const deviceId = '01a1fcdb-0000-7000-8000-0000000000d1';
const rule = {
  ruleId,
  name: 'Cpu is high',
  enabled: true,
  ruleTypeId: 1,
  tenantId,
  subscriptionId: null,
  matchLifetime: '00:05:00',
  timeConditions: null,
  conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90', OccurrencePattern: null }],
  matchActions: [],
  expirationActions: [],
  created: '2026-11-21T10:00:00.000Z',
  modified: '2026-11-21T10:00:00.000Z',
};
const answered = {
  entities: 14,
  matching: 7,
  first: [{ id: deviceId, name: 'db-1' }],
  ignoresRepeats: true,
  unreported: [],
  twice: null,
  truncated: false,
};
const open = (answer: unknown, of = rule, moment = '') =>
  renderApp(`/${tenantId}/rules?id=${ruleId}&tab=conditions&panel.case=${moment}`, {
    'GET /v1/rules': list([of]),
    [`GET /v1/rules(${ruleId})`]: of,
    [`GET /v1/actionDefinitions/GetActionDefinitionsForRules(tenantId=${tenantId})`]: list([]),
    'GET /v1/packets': list([]),
    'GET /v1/devices': list([]),
    'POST /v1/rules/matchingNow': answer,
    explainDraft: refused(400, 'No.'),
  });
const counter = () => screen.findByRole('group', { name: 'Would match now' });
const requestedRules = (calls: readonly ApiCall[]) =>
  calls.filter(({ path }) => path === '/v1/rules/matchingNow').map(({ body }) => (body as { rule: Record<string, unknown> }).rule);

beforeEach(() => localStorage.clear());

it('counts again for each change of the conditions, and makes a device the test case', async () => {
  const { calls, search } = await open(({ body }: ApiCall) => {
    const [first] = (body as { rule: typeof rule }).rule.conditions;
    return first?.RightOperand === '99' ? { ...answered, matching: 0, first: [] } : answered;
  });
  const now = within(await counter());
  await now.findByText('7 of 14');
  now.getByText('and 6 more');
  now.getByText('Here it counts when it holds once, however often the rule requires it.');
  expect(requestedRules(calls)[0]).toMatchObject({
    ruleTypeId: 1,
    tenantId,
    conditions: [{ LeftOperandFieldName: 'Cpu', RightOperand: '90' }],
  });

  const value = await screen.findByLabelText('Value');
  fireEvent.change(value, { target: { value: '99' } });
  fireEvent.blur(value);
  await now.findByText('0 of 14');
  fireEvent.change(value, { target: { value: '' } });
  fireEvent.blur(value);
  await now.findByText('Complete the conditions to see it.');
  fireEvent.change(value, { target: { value: '90' } });
  fireEvent.blur(value);
  fireEvent.click(await now.findByLabelText('Show what the rule makes of db-1'));
  await waitFor(() => expect(search().get('panel.case')).toMatch(new RegExp(`^${deviceId}@20`)));
});

it('warns of a field that nobody reports, and says what one packet cannot show', async () => {
  await open({ ...answered, matching: null, first: [], unreported: [{ condition: 0, field: 'Metric Cpu' }] });
  const now = within(await counter());
  await now.findByText('One packet cannot show that; run a backtest.');
  expect(now.getByText(/^Condition/).textContent).toBe('Condition 1: nothing that it concerns reports Metric Cpu in its latest packet.');
});

it('asks nothing about a rule before it is complete, neither the counter nor the test case', async () => {
  const { calls } = await open(
    answered,
    { ...rule, conditions: rule.conditions.map((condition) => ({ ...condition, RightOperand: '' })) },
    `${deviceId}@2026-11-21T10:00:00.000Z`,
  );
  const now = within(await counter());
  await now.findByText('Complete the conditions to see it.');
  await screen.findByText('Complete the rule to check its test case.');
  const value = await screen.findByLabelText('Value');
  fireEvent.change(value, { target: { value: '90' } });
  await now.findByText('7 of 14');
  await waitFor(() => expect(calls.filter(({ path }) => path === '/v1/rules/explain')).toHaveLength(1));
  const requests = calls.filter(({ method, path }) => method === 'POST' && /\/(matchingNow|explain)$/.test(path));
  const values = requests.map(({ body }) => (body as { rule: typeof rule }).rule.conditions[0]?.RightOperand);
  expect(values).toEqual(['90', '90']);
});

const reportedTwice = { ...answered, twice: { device: 'db-1', operation: 'System metrics' } };
const separate = /^db-1 and its operation System metrics both report this, so one fault would open two work units\./;
const joined = /so the rule opens one work unit for each device\./;

it('warns when a device and its operation report the same, and joins their matches when a person says so', async () => {
  const { calls } = await open(reportedTwice);
  const now = within(await counter());
  await now.findByText(separate);
  fireEvent.click(now.getByText('One for each device'));
  await now.findByText(joined);
  fireEvent.click(now.getByText('One for each that reports'));
  fireEvent.click(await now.findByText('One for each device'));
  fireEvent.click(screen.getByText('Save', { selector: 'button' }));
  await waitFor(() => expect(calls.map(({ body }) => (body as { groupBy?: string } | undefined)?.groupBy)).toContain('Device'));
});

it('proposes one work unit for each device in a new rule, once', async () => {
  await openEditor('?id=new', { 'POST /v1/rules/matchingNow': reportedTwice });
  const form = await dialog('Create Rule');
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Cpu is high' } });
  fireEvent.change(form.getByLabelText(/^Rule type/), { target: { value: '1' } });
  await waitFor(() => expect(form.getByLabelText<HTMLInputElement>(/^Tenant/).value).toBe('Northwind Energy'));
  go(form, 'Conditions');
  const second = line(form, 2, 2);
  fireEvent.change(second.getByLabelText('What to compare'), { target: { value: 'cpu' } });
  fireEvent.click(await screen.findByText('Metric Cpu', { selector: '[role=option] span' }));
  fireEvent.change(second.getByLabelText('Operator'), { target: { value: '3' } });
  const type = (value: string) => {
    fireEvent.change(second.getByLabelText('Value'), { target: { value } });
    fireEvent.blur(second.getByLabelText('Value'));
  };
  type('90');
  const now = within(await counter());
  await now.findByText(joined);
  fireEvent.click(now.getByText('One for each that reports'));
  await now.findByText(separate);
  // The person has decided: the next answer changes nothing.
  type('');
  await now.findByText('Complete the conditions to see it.');
  type('91');
  await now.findByText(separate);
});

it('counts at all tenants of a rule of several when a person wants it, again for a changed rule', async () => {
  const largest = [{ tenantId, name: 'Northwind', entities: 1_200, matching: 1_003 }];
  const everywhere = { tenants: 38, tenantsMatching: 3, entities: 19_842, matching: 1_013, largest, truncated: false };
  const { calls } = await renderApp(`/${tenantId}/rules?id=${ruleId}&tab=conditions`, {
    'GET /v1/rules': list([{ ...rule, tenantId: null }]),
    [`GET /v1/rules(${ruleId})`]: { ...rule, tenantId: null },
    'POST /v1/rules/matchingNow': answered,
    matchingOfTenants: everywhere,
    explainDraft: refused(400, 'No.'),
  });
  const now = within(await counter());
  fireEvent.click(await now.findByRole('button', { name: 'Count at all its tenants' }));
  await now.findByText('1,013 of 19,842, at 3 of 38 tenants');
  now.getByText('Northwind 1,003');
  now.getByText('and 2 more');
  const sent = calls.filter(({ path }) => path === '/v1/rules/matchingNow/tenants');
  expect(sent).toMatchObject([{ body: { ruleId, tenantGroupId: null, rule: { ruleTypeId: 1 } } }]);
  const value = await screen.findByLabelText('Value');
  fireEvent.change(value, { target: { value: '99' } });
  fireEvent.blur(value);
  await now.findByRole('button', { name: 'Count at all its tenants' });
});
