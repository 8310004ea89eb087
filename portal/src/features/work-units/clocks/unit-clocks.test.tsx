import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../../testing/render-app.tsx';

const minutes = (n: number): number => Date.now() + n * 60_000;
const iso = (n: number): string => new Date(minutes(n)).toISOString();

const clock = {
  workUnitClockId: 1,
  workUnitId: 7,
  tenantId,
  kind: 'Resolve',
  state: 'Running',
  serviceLevelId: 'l1',
  levelName: 'Gold',
  targetMinutes: 240,
  warnPercent: 75,
  pausesOnHold: true,
  calendar: null,
  started: iso(-300),
  ended: null as string | null,
  dueAt: iso(30) as string | null,
  warnAt: iso(-30) as string | null,
  warned: iso(-30) as string | null,
  breached: null as string | null,
  carriedMs: 0,
  periods: [
    { from: minutes(-300), to: minutes(-210) as number | null },
    { from: minutes(-120), to: null },
  ],
};
const acknowledge = {
  ...clock,
  workUnitClockId: 2,
  kind: 'Acknowledge',
  state: 'Breached',
  targetMinutes: 15,
  ended: iso(-280),
  breached: iso(-285),
  periods: [{ from: minutes(-300), to: minutes(-280) }],
};
const unit = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  title: 'Gateway east-07 is silent',
  severityId: 'Sev1',
  stateId: 'Acknowledged',
  assignedTo: null,
  tenantId,
  workUnitTypeId: 1,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  relations: [],
  properties: null,
  effort: null,
  clockDue: iso(30),
  clockWarn: iso(-30),
  created: iso(-300),
  createdBy: 'System',
  modified: iso(-300),
  modifiedBy: 'System',
};
const late = { ...unit, workUnitId: 8, publicWorkUnitId: 1008, title: 'Pump 4', clockDue: iso(-12) };
const calm = { ...unit, workUnitId: 9, publicWorkUnitId: 1009, title: 'Gate 2', clockDue: null, clockWarn: null };

beforeEach(() => localStorage.clear());
const open = (address: string) =>
  renderApp(address, {
    'GET /v1/workUnits': list([unit, late, calm]),
    'GET /v1/workUnits(7)': { ...unit, clocks: [clock, acknowledge] },
    'GET /v1/workUnits(9)': { ...calm, clocks: [] },
    workUnitHistory: { value: [] },
  });
const rowOf = async (title: string) => within((await screen.findByText(title)).closest('tr') as HTMLElement);

it('the list says how long the next clock of each unit has, or for how long it is over', async () => {
  await open('/workunitsv2');
  // In its column, and in the line of a phone.
  expect((await rowOf(unit.title)).getAllByText(/^(30|29) min$/).map(({ className }) => className)).toEqual(['chip warn', 'chip warn']);
  expect((await rowOf('Pump 4')).getAllByText('12 min over').map(({ className }) => className)).toEqual(['chip danger', 'chip danger']);
  expect((await rowOf('Gate 2')).queryByText(/min/)).toBeNull();
});

it('a quick filter shows the units that warn or are over, in all open states', async () => {
  const { calls } = await open('/workunitsv2');
  await screen.findByText(unit.title);
  fireEvent.click(screen.getByRole('button', { name: 'Quick filters' }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Breaching' }));
  await waitFor(() => {
    const filter = calls.findLast((call) => call.path === '/v1/workUnits')?.query.get('$filter');
    expect(filter).toContain('clockWarn le now()');
    expect(filter).toContain("'OnHold'");
  });
});

it('a unit shows its clocks, and when each ran', async () => {
  const { calls } = await open('/workunitsv2?workUnitId=7');
  const chip = await screen.findByText(/^Resolve: (30|29) min left$/);
  expect(chip.className).toContain('warn');
  expect(screen.getByText('Acknowledge: 5 min over').className).toContain('danger');
  // They come with the unit.
  expect(calls.some((call) => call.path.startsWith('/v1/workUnitClocks'))).toBe(false);
  fireEvent.click(chip);
  const rows = within(screen.getByRole('region', { name: 'When each clock ran' })).getAllByRole('row');
  expect(rows[1]?.textContent).toMatch(/^ResolveRunningGold4 h3 h.* to .* to now/);
  expect(rows[2]?.textContent).toMatch(/^AcknowledgeBreachedGold15 min20 min.*Over at/);
});

it('says when a clock is due that stands still outside its working hours, and of canceled ones the record alone', async () => {
  // The next Monday at nine, counted from any day; the calendar has no other hours.
  const still = { ...clock, periods: [{ from: minutes(0), to: null }], warned: null, warnAt: iso(60 * 50), dueAt: iso(60 * 60) };
  const calendar = { timeZone: 'UTC', hours: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '00:01' }], holidays: [] };
  const canceled = { ...acknowledge, state: 'Canceled', breached: null };
  await renderApp('/workunitsv2?workUnitId=7', {
    'GET /v1/workUnits': list([unit]),
    'GET /v1/workUnits(7)': { ...unit, clocks: [{ ...still, calendar }, canceled] },
    workUnitHistory: { value: [] },
  });
  await screen.findByText(/^Resolve: (4 h|3 h 59 min) left, due \w{3}, \w{3} \d+, \d\d:\d\d$/);
  expect(screen.queryByText(/^Acknowledge: /)).toBeNull();
  const record = within(screen.getByRole('region', { name: 'When each clock ran', hidden: true }));
  expect(record.getByText('Canceled')).toBeTruthy();
});

it('a unit without a service level shows nothing of clocks', async () => {
  await open('/workunitsv2?workUnitId=9');
  await screen.findByRole('dialog', { name: /Gate 2/ });
  expect(screen.queryByText(/left$/)).toBeNull();
  expect(document.querySelector('.unit-clocks')).toBeNull();
});
