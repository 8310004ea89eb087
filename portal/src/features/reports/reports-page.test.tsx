import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { ReportFigures } from '@cloudfit/contract/reports/calls.ts';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';
import { daysText } from '../../theme/times.ts';
import { periodOf } from './period.rules.ts';
import type { ReportSchedule } from './schedule-form.tsx';

const figures = (opened: number, over: Partial<ReportFigures> = {}): ReportFigures => ({
  opened,
  open: 1,
  unacknowledged: 2,
  acknowledge: { units: opened, medianSeconds: 95, p90Seconds: 5_400, met: 3, breached: 1 },
  resolve: { units: 0, medianSeconds: null, p90Seconds: null, met: 0, breached: 0 },
  ...over,
});
const report = {
  from: '2026-11-01',
  to: '2026-11-02',
  beforeFrom: '2026-10-30',
  beforeTo: '2026-10-31',
  now: figures(9),
  before: figures(4),
  days: [
    { day: '2026-11-01', opened: 5, before: 1 },
    { day: '2026-11-02', opened: 4, before: 3 },
  ],
  groups: [
    { key: 'c1', name: 'Network', tenantName: 'Northwind', now: figures(7), before: figures(4) },
    { key: '', name: null, tenantName: null, now: figures(2), before: figures(0) },
  ],
  groupCount: 2,
  pendingDays: 0,
};
const load = {
  personId: 'p1',
  name: 'Ada',
  timeZone: 'Europe/Berlin',
  now: { pages: 12, nights: 3, weekends: 2, units: 5 },
  before: { pages: 8, nights: 0, weekends: 0, units: 4 },
};
const open = (query = '', answer: typeof report = report) =>
  renderApp(`/${tenantId}/reports${query}`, { workUnitReport: answer, onCallLoad: { value: [load] } });

it('is of a group of tenants that the person sees', async () => {
  const tenantGroupId = '01a1fcdb-e331-70c1-ba47-fd1610462a01';
  const { inputsOf } = await renderApp(`/${tenantId}/reports?from=2026-11-01&to=2026-11-02`, {
    workUnitReport: report,
    onCallLoad: { value: [load] },
    'GET /v1/tenantGroups': list([{ tenantGroupId, name: 'North', tenantIds: [tenantId] }]),
  });
  await screen.findByRole('option', { name: 'North' });
  fireEvent.change(screen.getByLabelText('Tenants'), { target: { value: tenantGroupId } });
  await waitFor(() => expect(inputsOf('workUnitReport').at(-1)).toMatchObject({ tenantGroupId }));
  expect(inputsOf('workUnitReport').at(-1)).not.toHaveProperty('tenantId');
  expect(inputsOf('onCallLoad').at(-1)).toMatchObject({ tenantGroupId });
});

it('shows the figures of the period beside those of the period before, in all and for each group', async () => {
  const { inputsOf } = await open('?from=2026-11-01&to=2026-11-02');
  await screen.findByText('Work units opened Nov 1 – 2, 2026, compared with Oct 30 – 31, 2026');
  expect(document.title).toBe('Reports - CloudFit Software');
  expect(inputsOf('workUnitReport')[0]).toMatchObject({ from: '2026-11-01', to: '2026-11-02', by: 'category', tenantId });
  const tile = (name: string) => screen.getByText(name, { selector: 'dt' }).closest('div')?.querySelector('dd')?.textContent;
  expect(tile('Opened')).toBe('9before: 4');
  expect(tile('Acknowledged in, median')).toBe('1 min 35 sbefore: 1 min 35 s');
  expect(tile('Acknowledged in time')).toBe('75 % (3 of 4)before: 75 % (3 of 4)');
  expect(tile('Resolved in, median')).toBe('—before: —');
  expect(tile('Ended unacknowledged')).toBe('25 % (2 of 8)before: 67 % (2 of 3)');
  const rows = within(screen.getByRole('region', { name: 'Work units by category' })).getAllByRole('row');
  expect(rows.slice(1).map((row) => within(row).getByRole('rowheader').textContent)).toEqual(['Network (Northwind)', 'No category']);
  expect(within(rows[1] as HTMLElement).getAllByRole('cell')[0]?.textContent).toBe('7before: 4');
  const loads = within(await screen.findByRole('region', { name: 'On-call load' }));
  expect(inputsOf('onCallLoad')[0]).toEqual({ from: '2026-11-01', to: '2026-11-02', tenantId });
  expect(loads.getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['12before: 8', '3before: 0', '2before: 0', '5before: 4']);
});

it('asks for other days, groups and tenants, and has them in the address', async () => {
  const { inputsOf, search } = await open();
  const last = () => inputsOf('workUnitReport').at(-1);
  const choose = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
  await screen.findByText(/, compared with /u);
  choose('Tenants', 'all');
  await waitFor(() => expect(last()).not.toHaveProperty('tenantId'));
  choose('Group by', 'rule');
  await waitFor(() => expect(last()).toMatchObject({ by: 'rule' }));
  choose('First day (UTC)', '2026-01-05');
  await waitFor(() => expect(last()).toMatchObject({ from: '2026-01-05' }));
  expect(screen.getByLabelText<HTMLSelectElement>('Period').selectedOptions[0]?.text).toBe('Chosen days');
  choose('Period', '7');
  await waitFor(() => expect(Object.fromEntries(search())).toEqual({ tenants: 'all', by: 'rule', days: '7' }));
});

it('downloads both periods of each group, and prints the figures', async () => {
  let saved: Blob | undefined;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved = blob as Blob;
    return 'blob:report';
  });
  await open('?from=2026-11-01&to=2026-11-02');
  await screen.findByText(/, compared with /u);
  fireEvent.click(screen.getByRole('button', { name: 'CSV' }));
  await waitFor(() => expect(saved).toBeDefined());
  const lines = (await saved?.text())?.trim().split('\r\n') ?? [];
  expect(lines).toHaveLength(5);
  expect(lines[1]).toBe('"Network (Northwind)","2026-11-01 - 2026-11-02","7","1","2","7","95","5400","3","1","0","","","0","0"');
  fireEvent.click(await screen.findByRole('button', { name: 'Download the on-call load as CSV' }));
  await waitFor(async () => expect(await saved?.text()).toContain('"Ada","Europe/Berlin","The period before","8","0","0","4"'));
  let printed = '';
  vi.spyOn(window, 'print').mockImplementation(() => {
    printed = document.querySelector('.print-sheet')?.textContent ?? '';
  });
  fireEvent.click(screen.getByRole('button', { name: 'Print' }));
  expect(printed).toContain('No category');
  expect(printed).toContain('Europe/Berlin');
  window.dispatchEvent(new Event('afterprint'));
});

it('says what is missing: no units, days that are not counted yet, further groups', async () => {
  await open('', { ...report, groups: [], groupCount: 0, pendingDays: 2 });
  await screen.findByText('No work units were opened in these periods.');
  screen.getByText('2 days are being counted, so some figures are not up to date yet.');
});

it('reads the days of a report from its address', () => {
  const now = Date.parse('2026-11-28T22:00:00Z');
  const of = (query: string) => periodOf(new URLSearchParams(query), now);
  expect(of('')).toEqual({ from: '2026-10-30', to: '2026-11-28', days: 30 });
  expect(of('days=7')).toEqual({ from: '2026-11-22', to: '2026-11-28', days: 7 });
  expect(of('days=8')).toMatchObject({ days: 30 });
  expect(of('from=2026-01-01&to=2026-02-01')).toEqual({ from: '2026-01-01', to: '2026-02-01', days: undefined });
  expect(of('from=2026-13-01&to=2026-02-01')).toMatchObject({ days: 30 });
  expect(daysText('2026-11-01', '2026-11-30').replaceAll(/\s/gu, ' ')).toBe('Nov 1 – 30, 2026');
});

const schedule: ReportSchedule = {
  reportScheduleId: '00000000-0000-7000-8000-0000000000a1',
  name: 'Monday figures',
  by: 'category',
  period: 'LastWeek',
  tenantId,
  tenantName: 'Northwind',
  isAllTenants: false,
  rhythm: 'Weekly',
  day: 1,
  hour: 7,
  timeZone: 'Europe/Berlin',
  receivers: ['p1', 'p2', 'p3'],
  people: [
    { personId: 'p1', name: 'Ada' },
    { personId: 'p2', name: 'Bob' },
    { personId: 'p3', name: null },
  ],
  isEnabled: true,
  nextRun: '2026-12-07T06:00:00.000Z',
  lastRun: '2026-11-30T06:00:00.000Z',
  lastResult: [
    { personId: 'p1', name: 'Ada', outcome: 'NoRight' },
    { personId: 'p2', name: 'Bob', outcome: 'Sent' },
    { personId: 'p3', name: null, outcome: 'Removed' },
  ],
};

async function openSchedules(value: ReportSchedule[], answers: object = {}) {
  const app = await renderApp(`/${tenantId}/reports?days=7&by=rule&tenants=all`, {
    workUnitReport: report,
    onCallLoad: { value: [load] },
    reportSchedules: { value },
    timeZoneLookup: [{ id: 'Europe/Berlin', name: 'Europe/Berlin' }],
    ...answers,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Send by mail …' }));
  return app;
}

it('lists the reports by mail with their times and who got the last one, and tries, switches off and deletes them', async () => {
  const { inputsOf } = await openSchedules([schedule], {
    testReportSchedule: { email: 'me@example.com' },
    changeReportSchedule: { reportScheduleId: schedule.reportScheduleId },
    removeReportSchedule: {},
  });
  const item = within(await screen.findByRole('listitem', { name: 'Monday figures' }));
  item.getByText('Work units by category · The last week, Monday to Sunday · Northwind');
  item.getByText('Every Monday at 7:00am (Europe/Berlin)');
  item.getByText('To Ada, Bob, Somebody who was removed');
  item.getByText(/Sent to 1; not to Ada: may not view the work units; not to Somebody who was removed: was removed$/);
  const id = schedule.reportScheduleId;
  fireEvent.click(item.getByRole('button', { name: 'Send me a test now' }));
  await screen.findByText('A test is on its way to me@example.com.');
  expect(inputsOf('testReportSchedule')).toEqual([{ id }]);
  fireEvent.click(item.getByRole('button', { name: 'Switch off' }));
  await waitFor(() => expect(inputsOf('changeReportSchedule')).toEqual([{ id, isEnabled: false }]));
  fireEvent.click(item.getByRole('button', { name: 'Delete' }));
  const question = within(await screen.findByRole('dialog', { name: 'Delete report by mail' }));
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(inputsOf('removeReportSchedule')).toEqual([{ id }]));
});

it('makes a report by mail of what the page shows, once a receiver is named', async () => {
  const { inputsOf } = await openSchedules([], { createReportSchedule: { reportScheduleId: schedule.reportScheduleId } });
  await screen.findByText('You have no reports sent by mail.');
  fireEvent.click(screen.getByRole('button', { name: 'New report by mail' }));
  const form = within(await screen.findByRole('dialog', { name: 'New report by mail' }));
  fireEvent.change(form.getByLabelText('How often'), { target: { value: 'Monthly' } });
  fireEvent.change(form.getByLabelText('Day of the month'), { target: { value: '3' } });
  const [remove] = form.getAllByRole('button', { name: /^Remove / });
  fireEvent.click(remove as HTMLElement);
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await form.findByText('Please name at least one receiver.');
  expect(inputsOf('createReportSchedule')).toEqual([]);
  fireEvent.click(form.getByRole('button', { name: 'Back' }));
  fireEvent.click(await screen.findByRole('button', { name: 'New report by mail' }));
  const again = within(await screen.findByRole('dialog', { name: 'New report by mail' }));
  fireEvent.change(again.getByLabelText('How often'), { target: { value: 'Daily' } });
  expect(again.queryByLabelText('Day of the week')).toBeNull();
  fireEvent.click(again.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(inputsOf('createReportSchedule')).toHaveLength(1));
  expect(inputsOf('createReportSchedule')[0]).toMatchObject({
    name: 'Work units by rule',
    by: 'rule',
    period: 'Last7Days',
    tenantId,
    isAllTenants: true,
    rhythm: 'Daily',
    day: 0,
    hour: 7,
    isEnabled: true,
  });
  expect((inputsOf('createReportSchedule')[0] as { receivers: string[] }).receivers).toHaveLength(1);
});
