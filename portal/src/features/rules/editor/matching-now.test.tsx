import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type ApiCall } from '../../../testing/render-app.tsx';

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
