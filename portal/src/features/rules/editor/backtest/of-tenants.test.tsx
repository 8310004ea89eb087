/** A rule of several tenants is tried at each of them; what is shown is in sum, by tenant, and what was left out. */
import '../../../../testing/browser.ts';
import { fireEvent, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, type ApiCall } from '../../../../testing/render-app.tsx';
import { dialog, open, press, rule, ruleId, sent } from '../rule-editor.fixtures.ts';

beforeEach(() => localStorage.clear());

const batchId = '01a1fcdb-0000-7000-8000-0000000000b1';
const runId = (n: number) => `01a1fcdb-0000-7000-8000-0000000000f${n}`;
const tenantGroupId = '01a1fcdb-e339-7000-9000-000000000001';
const ofMany = { ...rule, tenantId: null, tenantGroupId, tenantGroup: { name: 'Gold' } };

const counts = (matches: number) => ({ matches, entities: 1, workUnits: matches, calls: 2 * matches });
const figures = (draft: number, inForce: number) => ({
  draft: counts(draft),
  inForce: counts(inForce),
  difference: { same: draft, added: 0, removed: inForce - draft },
});
const tenant = (n: number, name: string, more: object = {}) => ({
  tenantId: `01a1fcdb-0000-7000-8000-0000000000c${n}`,
  name,
  runId: runId(n),
  state: 'done',
  leftOut: null,
  error: null,
  figures: null,
  ...more,
});
const timeline = (matches: number) => [{ from: '2026-11-20T10:00:00.000Z', matches }];
const batch = (more: object) => ({ id: batchId, isOver: true, progress: 1, packets: 9, createdBy: 'a', created: '', notes: [], ...more });

const exception = {
  ruleExceptionId: '01a1fcdb-0000-7000-8000-0000000000e1',
  ruleId,
  appliesTo: 'Tenant',
  isOff: true,
  until: null,
  rank: 100,
  tenant: { name: 'Birch' },
  created: '2026-11-21T10:00:00.000Z',
};

it('is tried at all tenants of the rule at first, stopped, and shown in sum, by tenant and with what was left out', async () => {
  const done = batch({
    sum: { tenants: 2, ...figures(3, 5), timeline: timeline(3), inForceTimeline: timeline(5) },
    tenants: [
      tenant(1, 'Alder', { figures: figures(1, 1) }),
      tenant(2, 'Birch', { state: 'stopped', leftOut: 'off' }),
      tenant(3, 'Cedar', { figures: figures(2, 4) }),
      tenant(4, 'Dogwood', { state: 'stopped', leftOut: 'packets' }),
      tenant(5, 'Elm', { state: 'failed', error: 'Too many values.' }),
    ],
    notes: [
      { text: 'Taken as it is now.', tenants: 2 },
      { text: 'Only the first.', tenants: 1 },
    ],
  });
  const running = batch({
    isOver: false,
    progress: 0.5,
    sum: { tenants: 0, draft: counts(0), inForce: null, difference: null, timeline: [], inForceTimeline: null },
    tenants: [tenant(1, 'Alder', { state: 'running' }), tenant(3, 'Cedar', { state: 'queued' })],
  });
  const outcome = { ...counts(2), timeline: timeline(2), actions: [], failed: 0, error: null, list: [], truncated: false };
  const { calls, search } = await open(`?id=${ruleId}`, {
    [`GET /v1/rules(${ruleId})`]: ofMany,
    'GET /v1/ruleExceptions': ({ query }: ApiCall) => (query.get('$filter')?.includes('isOff eq true') ? list([exception]) : list([])),
    startBacktestOfTenants: { id: batchId },
    getBacktestOfTenants: () => Response.json(running),
    stopBacktestOfTenants: () => Response.json(done),
    [`GET /v1/rules/backtest/${runId(3)}`]: {
      id: runId(3),
      batchId,
      tenantId: 'c3',
      state: 'done',
      progress: 1,
      packets: 3,
      error: null,
      rule: { tenantId: 'c3', ruleTypeId: 1 },
      inForce: null,
      result: { draft: outcome, inForce: null, difference: null, notes: [] },
    },
  });
  const form = await dialog('Edit Rule: Cpu is high');
  expect(await form.findByText(/It holds for the tenants of Gold but Birch\.$/)).toBeTruthy();
  press(form, 'Backtest');
  const panel = await dialog('Backtest');
  expect((await panel.findByLabelText<HTMLSelectElement>('Where')).value).toBe('all');
  press(panel, 'Start');
  await panel.findByText('0 of 2 tenants are tried…');
  const [started] = sent(calls, 'POST').filter(({ path }) => path === '/v1/rules/backtest/tenants');
  expect(started?.body).toMatchObject({ ruleId, tenantGroupId, rule: { ruleTypeId: 1 } });
  expect(started?.body).not.toHaveProperty('rule.tenantId');
  expect(search().get('panel.try')).toBe(`all.${batchId}`);

  press(panel, 'Stop');
  await panel.findByText(/^3 matches of 1 device or block\. At 2 of 2 tenants\./);
  panel.getByText('Matches the same: 3, new: 0, gone: 2.');
  panel.getByText('It does not hold at Birch.');
  panel.getByText('Not tried, because 20,000,000 packets were read before: Dogwood.');
  panel.getByText('Failed: Too many values.');
  panel.getByText('Taken as it is now.');
  panel.getByText('Only the first. (1 tenant)');
  const names = panel.getAllByRole('rowheader').map(({ textContent }) => textContent);
  expect(names).toEqual(['Cedar', 'Alder', 'Elm']);

  // The matches of a tenant are those of its own backtest.
  press(panel, 'Cedar');
  await panel.findByText(/^2 matches of 1 device or block\./);
  expect(search().get('panel.try')).toBe(runId(3));
  press(panel, 'Back to all tenants');
  await waitFor(() => expect(search().get('panel.try')).toBe(`all.${batchId}`));
});

it('is tried at the chosen tenant alone when a person says so', async () => {
  const { calls } = await open(`?id=${ruleId}`, {
    [`GET /v1/rules(${ruleId})`]: ofMany,
    startBacktest: { id: runId(1) },
    [`GET /v1/rules/backtest/${runId(1)}`]: {
      id: runId(1),
      batchId: null,
      state: 'queued',
      progress: 0,
      packets: 0,
      error: null,
      result: null,
    },
  });
  const form = await dialog('Edit Rule: Cpu is high');
  press(form, 'Backtest');
  const panel = await dialog('Backtest');
  fireEvent.change(await panel.findByLabelText('Where'), { target: { value: 'one' } });
  press(panel, 'Start');
  await waitFor(() =>
    expect(sent(calls, 'POST').find(({ path }) => path === '/v1/rules/backtest')?.body).toMatchObject({
      rule: { tenantId: expect.any(String) as string },
    }),
  );
});
