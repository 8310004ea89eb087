/** The page that shows how much work each rule causes for people. */
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { RuleNoise } from '@cloudfit/contract/noise/calls.ts';
import { renderApp, tenantId } from '../../../testing/render-app.tsx';

const hot: RuleNoise = {
  ruleId: '01a1fcdb-0000-7000-8000-000000000001',
  name: 'Hot machine',
  enabled: true,
  matches: 40,
  single: 30,
  returning: 4,
  flapping: 0,
  changesPerHour: 0,
  timeMatching: 0,
  clearMinutes: 0,
  clearMatches: 40,
  subjects: 3,
  units: 12,
  repeats: 5,
  ended: 10,
  idle: 9,
  minutes: 90,
};
const quiet: RuleNoise = { ...hot, ruleId: '01a1fcdb-0000-7000-8000-000000000002', name: 'Full', single: 0, idle: 0, enabled: false };

const open = (value: RuleNoise[]) => renderApp(`/${tenantId}/noise`, { ruleNoiseReport: { value } });

it('shows the figures of each rule, what would help, and leads to a backtest of it', async () => {
  await open([hot, quiet]);
  const row = within((await screen.findByRole('link', { name: 'Hot machine' })).closest('tr') as HTMLElement);
  expect(row.getAllByRole('cell').map((cell) => cell.textContent)).toMatchObject([
    'Hot machine on 3 devices or blocks',
    '40',
    '12',
    '5',
    '9 of 10',
    '1.5',
    expect.anything(),
  ]);
  row.getByText('9 of 10 units were closed without work on them. Lower the severity, or run its actions without a unit.');
  row.getByText(/^75 % of its matches were a single hit\./);
  expect(row.getByRole('link', { name: 'Try it in a backtest of Hot machine' }).getAttribute('href')).toContain(
    `/${tenantId}/rules?id=${hot.ruleId}&`,
  );
  const other = within((await screen.findByRole('link', { name: 'Full' })).closest('tr') as HTMLElement);
  other.getByText('Disabled');
  expect(other.queryByRole('link', { name: /backtest/ })).toBeNull();
});

it('reads another period, and says when no rule has matched in it', async () => {
  const { calls } = await open([]);
  await screen.findByText('No rule has matched in this time');
  fireEvent.change(screen.getByRole('combobox', { name: 'Period' }), { target: { value: '7' } });
  await waitFor(() =>
    expect(calls.filter(({ path }) => path === '/v1/rules/noise').map(({ query }) => query.get('days'))).toEqual(['28', '7']),
  );
});
