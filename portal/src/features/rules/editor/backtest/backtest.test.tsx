import '../../../../testing/browser.ts';
import { fireEvent, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { clockTime } from '../../../../theme/times.ts';
import { tenantId } from '../../../../testing/render-app.tsx';
import { ruleId, cpu, open, dialog, line, go, sent, press } from '../rule-editor.fixtures.ts';

beforeEach(() => localStorage.clear());

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
    startBacktest: () => ({ id: ids.shift() ?? '' }),
    [`GET /v1/rules/backtest/${runId}`]: run('running'),
    [`GET /v1/rules/backtest/${nextId}`]: run('done', { id: nextId, progress: 1, result }),
    stopBacktest: () => Response.json(run('stopped')),
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
  const changes = within(panel.getByRole('region', { name: 'Difference from the saved rule' }));
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
