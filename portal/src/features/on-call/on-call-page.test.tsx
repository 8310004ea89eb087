import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-000000000901';
const kim = '01a1fcdb-e331-70c1-ba47-000000000902';
const lee = '01a1fcdb-e331-70c1-ba47-000000000903';
const shift = (personId: string, name: string, from: string, to: string) => ({ personId, name, from, to });
const now = shift(kim, 'Kim Berg', '2026-11-16T08:00:00Z', '2026-11-23T08:00:00Z');
const next = shift(lee, 'Lee Stein', '2026-11-23T08:00:00Z', '2026-11-30T08:00:00Z');
const layer = {
  name: 'First line',
  people: [kim, lee],
  start: '2026-11-16T09:00',
  unit: 'Weeks',
  every: 1,
  restrictions: [],
  holidays: 'Same',
};
const schedule = {
  onCallScheduleId: id,
  name: 'Plant',
  description: null,
  tenantId,
  timeZone: 'Europe/Berlin',
  layers: [layer],
  holidays: ['2026-12-25'],
  tenant: { tenantId, name: 'Northwind Energy' },
};
const shifts = {
  from: '2026-11-22T10:00:00Z',
  to: '2026-12-06T10:00:00Z',
  now,
  next,
  layers: [{ name: 'First line', shifts: [now, next] }],
  overrides: [{ ...shift(lee, 'Lee Stein', '2026-11-24T08:00:00Z', '2026-11-24T12:00:00Z'), onCallOverrideId: 'o1', reason: 'Dentist' }],
  final: [
    { ...now, layer: 0 },
    { ...next, layer: 0 },
  ],
  gaps: [{ from: '2026-11-30T08:00:00Z', to: '2026-12-06T10:00:00Z' }],
  people: [
    { personId: kim, name: 'Kim Berg' },
    { personId: lee, name: 'Lee Stein' },
  ],
  withoutTurns: [{ personId: kim, name: 'Kim Berg', layer: 'Weekdays' }],
  unreachable: [{ personId: lee, name: 'Lee Stein', reason: 'The person has no email address.' }],
};
const answers: Answers = {
  'GET /v1/onCallSchedules': list([schedule]),
  [`GET /v1/onCallSchedules(${id})`]: schedule,
  'GET /v1/onCall': { value: [{ onCallScheduleId: id, scheduleName: 'Plant', tenantId, now, next, isUnplannedGap: false, problem: null }] },
  [`GET /v1/onCallSchedules/${id}/shifts`]: shifts,
  [`POST /v1/onCallSchedules/${id}`]: schedule,
  [`POST /v1/onCallSchedules/${id}/calendarLink`]: { url: 'https://desk.example/v1/onCallCalendars/abc' },
  'PUT /v1/onCallOverrides': {},
  'DELETE /v1/onCallOverrides/o1': () => new Response(null, { status: 204 }),
};
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/oncall${query}`, { ...answers, ...more });
const sent = (calls: readonly ApiCall[], method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path);

beforeEach(() => localStorage.clear());

it('shows who is on call now and next, and takes over in two clicks', async () => {
  const { calls } = await open();
  const row = within((await screen.findByText('Plant')).closest('tr') as HTMLElement);
  expect((await row.findAllByText(/Kim Berg/)).length).toBeGreaterThan(0);
  row.getByText(/Lee Stein/);
  fireEvent.click(await row.findByRole('button', { name: "I'll take it" }));
  const choices = within(await screen.findByRole('dialog', { name: "I'll take it until" })).getAllByRole('button');
  fireEvent.click(choices[0] as HTMLElement);
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/onCallOverrides')).toHaveLength(1));
  const body = sent(calls, 'PUT', '/v1/onCallOverrides')[0]?.body as { personId: string; startsAt: string; endsAt: string };
  expect(body).toMatchObject({ onCallScheduleId: id, personId: 'p1' });
  expect(Date.parse(body.endsAt)).toBeGreaterThan(Date.parse(body.startsAt));
});

it('offers no override without the permission', async () => {
  await open('', { 'GET /v1/permissions': [permission('OnCall', 'view'), permission('Tenants', 'view')] });
  await screen.findByText('Plant');
  await screen.findAllByText(/Kim Berg/);
  expect(screen.queryByRole('button', { name: "I'll take it" })).toBeNull();
});

it('draws two weeks, warns of gaps and of people without a channel, and shows the address of the calendar', async () => {
  const { calls } = await open(`?id=${id}&tab=shifts`);
  const chart = within(await screen.findByRole('img', { name: 'Shifts of Plant in the next two weeks' }));
  expect(chart.getAllByTitle(/^Kim Berg: /)).toHaveLength(2);
  const warnings = within(screen.getByRole('region', { name: 'Warnings' }));
  warnings.getByText(/Kim Berg is never on call in Weekdays:/);
  warnings.getByText(/Lee Stein cannot be reached: The person has no email address\./);
  warnings.getByText(/Nobody is on call from/);
  fireEvent.click(screen.getByRole('button', { name: 'Show the address' }));
  await screen.findByText('https://desk.example/v1/onCallCalendars/abc');
  fireEvent.click(screen.getByRole('button', { name: 'Remove the override of Lee Stein' }));
  await waitFor(() => expect(sent(calls, 'DELETE', '/v1/onCallOverrides/o1')).toHaveLength(1));
});

it('says the zone of every time', async () => {
  await open(`?id=${id}&tab=shifts`);
  const zone = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' })
    .formatToParts(Date.parse(now.to))
    .find(({ type }) => type === 'timeZoneName')?.value;
  const table = within(await screen.findByRole('region', { name: 'Shifts' })).getByRole('table');
  const cells = within(table).getAllByText(/Nov \d+/);
  expect(cells.length).toBeGreaterThan(3);
  for (const cell of cells) expect(cell.textContent).toMatch(new RegExp(` ${zone?.replace('+', String.raw`\+`)}$`));
  screen.getByText(`Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`);
});

const handover = {
  onCallHandoverId: 'h1',
  onCallScheduleId: id,
  scheduleName: 'Plant',
  tenantId,
  fromName: 'Kim Berg',
  toName: null,
  shiftFrom: now.from,
  shiftTo: now.to,
  handedAt: now.to,
  note: null,
  completed: null,
  read: null,
  mayWrite: true,
  isMine: false,
};
const unit = { workUnitId: 7, publicWorkUnitId: 1007, title: 'Pump 4', severityId: 'Sev1', stateId: 'New', isOpen: true };
const facts = {
  units: [{ ...unit, opened: true, acknowledged: false, resolved: false }],
  moreUnits: 0,
  maintenance: [{ maintenanceWindowId: 'm1', reason: 'New disk', endsAt: now.to }],
  messages: [{ name: 'Kim Berg', at: now.from, channel: 'Push', publicWorkUnitId: 1007, title: 'Pump 4' }],
};

it('lists handovers with what happened, and takes the note of the one that comes', async () => {
  const past = {
    ...handover,
    onCallHandoverId: 'h0',
    toName: 'Lee Stein',
    completed: now.from,
    read: now.to,
    note: 'Watch pump 4.',
    mayWrite: false,
  };
  const { calls } = await open(`?id=${id}&tab=handovers`, {
    'GET /v1/onCallHandovers': { value: [handover, past] },
    'GET /v1/onCallHandovers/h0/facts': { units: [], moreUnits: 0, maintenance: [], messages: [] },
    'GET /v1/onCallHandovers/h1/facts': facts,
    'POST /v1/onCallHandovers/h1/note': { onCallHandoverId: 'h1' },
  });
  const card = within(await screen.findByRole('region', { name: 'Kim Berg · Before the handover' }));
  expect((await card.findByRole('link', { name: '#1007 Pump 4' })).getAttribute('href')).toContain('workUnitId=7');
  card.getByText('opened, now New');
  card.getByRole('link', { name: 'New disk' });
  card.getByText(/^Kim Berg by Push, /);
  fireEvent.change(card.getByLabelText('Note for the next person'), { target: { value: 'All quiet.' } });
  fireEvent.click(card.getByRole('button', { name: 'Save note' }));
  await waitFor(() =>
    expect(sent(calls, 'POST', '/v1/onCallHandovers/h1/note').map((item) => item.body)).toEqual([{ note: 'All quiet.' }]),
  );
  const before = within(screen.getByRole('region', { name: /^Kim Berg to Lee Stein · Read / }));
  before.getByText('Watch pump 4.');
  await before.findByText('Nothing happened in the shift.');
  expect(before.queryByRole('button')).toBeNull();
});

it('edits layers and holidays', async () => {
  const { calls } = await open(`?id=${id}`);
  const form = within(await screen.findByRole('dialog', { name: /Plant/ }));
  await form.findAllByText('Lee Stein');
  fireEvent.click(form.getByRole('button', { name: 'Move Lee Stein to the front' }));
  fireEvent.click(form.getByRole('button', { name: 'Add hours' }));
  fireEvent.change(form.getByLabelText(/^Holidays/), { target: { value: '2026-12-25\n2026-12-26' } });
  fireEvent.click(form.getByRole('button', { name: 'Add layer' }));
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent(calls, 'POST', `/v1/onCallSchedules/${id}`)).toHaveLength(1));
  const body = sent(calls, 'POST', `/v1/onCallSchedules/${id}`)[0]?.body as { layers: (typeof layer)[]; holidays: string[] };
  expect(Object.keys(body).toSorted()).toEqual(['holidays', 'layers']);
  expect(body.holidays).toEqual(['2026-12-25', '2026-12-26']);
  expect(body.layers[0]).toEqual({ ...layer, people: [lee, kim], restrictions: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }] });
  expect(body.layers[1]).toMatchObject({ name: 'Layer 2', people: [], unit: 'Weeks' });
});

it('shows the turns of a new schedule before it is saved, with somebody on call at once, and warns of times without anybody', async () => {
  const people = [{ personId: kim, displayName: 'Kim Berg', mail: 'kim@northwind.example' }];
  const { calls } = await open('?id=new', { 'GET /api/people': people });
  fireEvent.click(await screen.findByRole('button', { name: 'Add layer' }, { timeout: 20_000 }));
  const form = within(await screen.findByRole('dialog'));
  const preview = within(await form.findByRole('region', { name: 'The next two weeks with these layers' }));
  expect(preview.getAllByText(/^Nobody is on call from/)).toHaveLength(1);
  fireEvent.change(form.getByRole('combobox', { name: 'Add a person' }), { target: { value: 'Kim' } });
  fireEvent.click(await screen.findByRole('option', { name: /Kim Berg/ }));
  await waitFor(() => expect(preview.queryByText(/^Nobody is on call/)).toBeNull());
  expect(preview.getAllByTitle(/^Kim Berg: /).length).toBeGreaterThan(0);
  const start = Date.parse(`${(form.getByLabelText(/^First handover/) as HTMLInputElement).value}Z`);
  expect(start).toBeLessThan(Date.now() - 12 * 3_600_000);
  expect(calls.some(({ path }) => path.includes('//') || path.endsWith('/shifts'))).toBe(false);
});
