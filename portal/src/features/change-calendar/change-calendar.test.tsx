import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';
import { entriesOn, monthOf, monthText, weeksOf, type CalendarEntry } from './calendar.rules.ts';

const local = (day: string, time = '00:00') => new Date(`${day}T${time}:00`).toISOString();
const tenant = { tenantId, name: 'Northwind Energy' };
const change = {
  workUnitId: 41,
  publicWorkUnitId: 1504,
  title: 'Replace the pump',
  tenantId,
  plannedStartTime: local('2026-12-03', '22:00'),
  plannedFinishTime: local('2026-12-04', '02:00'),
  approved1By: 'a@example.com',
  approved2By: null,
  isApproverRequired: true,
  approvalOverriddenBy: null,
  tenant,
};
const windowRow = {
  maintenanceWindowId: 'w1',
  tenantId,
  reason: 'New disk',
  startsAt: local('2026-12-03', '08:00'),
  endsAt: local('2026-12-03', '09:30'),
  tenant,
};
const freeze = {
  changeFreezeId: 'f1',
  name: 'End of the year',
  startsAt: local('2026-12-24'),
  endsAt: local('2026-12-27'),
  tenantId: null,
  tenant: null,
};
const answers: Answers = {
  'GET /v1/workUnits': list([change]),
  'GET /v1/maintenanceWindows': list([windowRow]),
  'GET /v1/changeFreezes': list([freeze]),
};
const open = (query = '?month=2026-12', more: Answers = {}) => renderApp(`/${tenantId}/changecalendar${query}`, { ...answers, ...more });
const dayOf = (name: string) => within(screen.getByText(name).closest('td') as HTMLElement);

/** Without it, the page is as narrow as a phone. */
function beWide(): void {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }));
}
afterEach(() => vi.unstubAllGlobals());

describe('the calendar', () => {
  it('shows what is planned on each day that it touches, with its times there', async () => {
    beWide();
    const { calls } = await open();
    await screen.findByText('New disk');
    await screen.findAllByText('End of the year');
    await screen.findAllByText('#1504 Replace the pump');
    screen.getByRole('heading', { name: 'Dec 2026' });
    const third = dayOf('Thu, Dec 3').getAllByRole('link');
    expect(third.map((link) => link.textContent)).toEqual([
      'Maintenance New disk08:00 to 09:30',
      'Change #1504 Replace the pumpfrom 22:00, awaits approval',
    ]);
    expect(third[1]?.getAttribute('href')).toBe('/workunitsv2?workUnitId=41');
    expect(third[0]?.getAttribute('href')).toBe(`/${tenantId}/maintenance?id=w1`);
    expect(dayOf('Fri, Dec 4').getByRole('link').textContent).toBe('Change #1504 Replace the pumpuntil 02:00, awaits approval');
    for (const day of ['Thu, Dec 24', 'Fri, Dec 25', 'Sat, Dec 26'])
      expect(dayOf(day).getByRole('link').textContent).toBe('Freeze End of the yearall day');
    expect(dayOf('Sun, Dec 27').queryByRole('link')).toBeNull();
    const [request] = calls.filter(({ path, query }) => path === '/v1/workUnits' && query.get('$filter')?.includes('plannedStartTime'));
    expect(request?.query.get('$filter')).toContain(`plannedStartTime lt ${local('2027-01-03')}`);
    expect(request?.query.get('$filter')).toContain(`plannedFinishTime ge ${local('2026-11-29')}`);
  });

  it('turns to other months, and asks for all tenants, whose names it then shows', async () => {
    const { search, calls } = await open();
    await screen.findAllByText('#1504 Replace the pump');
    fireEvent.click(screen.getByRole('button', { name: 'Month after' }));
    await screen.findByRole('heading', { name: 'Jan 2027' });
    fireEvent.click(screen.getByRole('button', { name: 'Month before' }));
    await screen.findByRole('heading', { name: 'Dec 2026' });
    fireEvent.change(screen.getByLabelText('Tenants'), { target: { value: 'all' } });
    await screen.findByText('until Fri, Dec 4, awaits approval, Northwind Energy');
    expect(search().get('tenants')).toBe('all');
    const last = calls.filter(({ path }) => path === '/v1/changeFreezes').at(-1);
    expect(last?.query.get('$filter')).not.toContain('tenantId');
  });

  it('asks for nothing that the person may not see, and says what could not be loaded', async () => {
    const { calls } = await open('?month=2026-12', { 'GET /v1/permissions': [permission('WorkUnits', 'view')] });
    await screen.findAllByText('#1504 Replace the pump');
    expect(screen.queryByText('New disk')).toBeNull();
    expect(screen.queryByRole('link', { name: 'Change Freezes' })).toBeNull();
    expect(calls.filter(({ path }) => /maintenanceWindows|changeFreezes/.test(path))).toEqual([]);
    await open('?month=2026-12', {
      'GET /v1/workUnits': () => Response.json({ error: { code: 'X', message: 'Too much.' } }, { status: 400 }),
    });
    await screen.findByText('The calendar could not be loaded.');
  });

  it('lists on a phone the days on which something happens', async () => {
    await open();
    await screen.findAllByText('End of the year');
    await screen.findByText('New disk');
    await screen.findAllByText('#1504 Replace the pump');
    const days = screen.getAllByRole('region', { name: /^...,/ }).map((day) => within(day).getByRole('heading').textContent);
    expect(days).toEqual(['Thu, Dec 3', 'Thu, Dec 24']);
    screen.getByText('until Fri, Dec 4, awaits approval');
    screen.getByText('until Sat, Dec 26');
    const nothing = { 'GET /v1/workUnits': list([]), 'GET /v1/maintenanceWindows': list([]), 'GET /v1/changeFreezes': list([]) };
    await open('?month=2026-12', nothing);
    await screen.findByText('No change, maintenance or freeze is planned in this month.');
  });

  it('folds a full day, and says when a kind is cut off', async () => {
    beWide();
    const many = Array.from({ length: 8 }, (_, n) => ({ ...windowRow, maintenanceWindowId: `w${n}`, reason: `Disk ${n}` }));
    await open('?month=2026-12', {
      'GET /v1/workUnits': list([]),
      'GET /v1/maintenanceWindows': { '@odata.count': 700, value: many },
    });
    fireEvent.click(await screen.findByRole('button', { name: '4 more' }));
    await waitFor(() => expect(dayOf('Thu, Dec 3').getAllByRole('link')).toHaveLength(8));
    screen.getByText('Of the kind Maintenance, only the first 500 are shown. Choose one tenant to see fewer.');
  });
});

describe('the days', () => {
  it('are whole weeks from the first day of the week on, with every day of the month once', () => {
    for (let month = 0; month < 120; month += 1) {
      const of = { year: 2026 + Math.floor(month / 12), month: month % 12 };
      const [sunday, monday] = [weeksOf(of).flat(), weeksOf(of, [1, 2, 3, 4, 5, 6, 0]).flat()];
      expect([sunday[0], monday[0]].map((day) => new Date(day?.start ?? 0).getDay())).toEqual([0, 1]);
      const days = month % 2 === 0 ? sunday : monday;
      expect(days.length % 7).toBe(0);
      const inMonth = days.filter((day) => day.isInMonth);
      expect(inMonth.map(({ dayOfMonth }) => dayOfMonth)).toEqual(Array.from({ length: inMonth.length }, (_, day) => day + 1));
      expect(new Date(inMonth.at(-1)?.end ?? 0).getMonth()).toBe((of.month + 1) % 12);
      for (const day of days) expect(new Date(day.start).getDate()).toBe(day.dayOfMonth);
      for (const [at, day] of days.entries()) expect(days[at + 1]?.start ?? day.end).toBe(day.end);
    }
  });

  it('take the month of the address, or of now', () => {
    const now = new Date(2026, 10, 28).getTime();
    expect([null, '', '2026-13', '2026-00', 'x', '2027-02'].map((text) => monthText(monthOf(text, now)))).toEqual([
      ...Array.from({ length: 5 }, () => '2026-11'),
      '2027-02',
    ]);
    expect([monthText({ year: 2026, month: 11 }, 1), monthText({ year: 2026, month: 0 }, -1)]).toEqual(['2027-01', '2025-12']);
  });

  it('leave out what ends at their midnight, and keep what has no length', () => {
    const start = new Date(2026, 11, 3).getTime();
    const day = { start, end: new Date(2026, 11, 4).getTime(), dayOfMonth: 3, isInMonth: true };
    const entry = (title: string, from: number, until: number): CalendarEntry => ({
      key: title,
      kind: 'change',
      title,
      tenant: undefined,
      from,
      until,
      to: '',
    });
    const entries = [
      entry('ends', start - 5, start),
      entry('point', start, start),
      entry('later', day.end, day.end + 5),
      entry('over', start - 5, day.end + 5),
    ];
    expect(entriesOn(day, entries).map(({ title }) => title)).toEqual(['over', 'point']);
  });
});
