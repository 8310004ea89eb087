import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

const level = {
  serviceLevelId: '01a1fcdb-e331-70c1-ba47-000000000031',
  name: 'Gold',
  tenantId,
  tenant: { tenantId, name: 'Northwind Energy' },
  workUnitTypeId: 1,
  workUnitType: { workUnitTypeId: 1, name: 'Incident' },
  workUnitCategoryId: null,
  workUnitCategory: null,
  severityId: 'Sev0',
  acknowledgeMinutes: 15,
  firstAnswerMinutes: null,
  resolveMinutes: 240,
  nextUpdateMinutes: null,
  warnPercent: 75,
  workingCalendarId: null,
  workingCalendar: null,
  pausesOnHold: true,
};

beforeEach(() => localStorage.clear());

it('lists levels with what they are for and their targets', async () => {
  const { calls } = await renderApp(`/${tenantId}/servicelevels`, { 'GET /v1/serviceLevels': list([level]) });
  const row = within((await screen.findByRole('link', { name: 'Gold' })).closest('tr') as HTMLElement);
  for (const text of ['Incident', 'Sev0', '15 min', '4 h', 'Northwind Energy']) row.getByText(text);
  // Levels for all tenants hold in this one, too.
  expect(calls.find((call) => call.path === '/v1/serviceLevels')?.query.get('$filter')).toContain('tenantId eq null');
  expect(screen.getByRole('link', { name: 'Working Calendars' }).getAttribute('href')).toContain('workingcalendars');
});

it('creates a level', async () => {
  const { calls } = await renderApp(`/${tenantId}/servicelevels?id=new`, {
    'GET /v1/serviceLevels': list([]),
    'PUT /v1/serviceLevels': level,
  });
  const form = within(await screen.findByRole('dialog', { name: 'Create Service Level' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Gold' } });
  fireEvent.change(form.getByLabelText(/^Minutes to resolve/), { target: { value: '240' } });
  fireEvent.change(form.getByLabelText(/^Severity/), { target: { value: 'Sev0' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({
      name: 'Gold',
      severityId: 'Sev0',
      resolveMinutes: 240,
      acknowledgeMinutes: null,
      warnPercent: 75,
      pausesOnHold: true,
      tenantId,
    }),
  );
});

it('edits the hours and holidays of a working calendar', async () => {
  const calendar = {
    workingCalendarId: '01a1fcdb-e331-70c1-ba47-000000000041',
    name: 'Office',
    timeZone: 'Europe/Berlin',
    hours: [{ days: [1, 2], from: '08:00', to: '16:00' }],
    holidays: ['2026-12-25'],
    tenantId,
    tenant: { tenantId, name: 'Northwind Energy' },
  };
  const { calls } = await renderApp(`/${tenantId}/workingcalendars?id=${calendar.workingCalendarId}`, {
    'GET /v1/workingCalendars': list([calendar]),
    [`GET /v1/workingCalendars(${calendar.workingCalendarId})`]: calendar,
    [`POST /v1/workingCalendars/${calendar.workingCalendarId}`]: calendar,
  });
  const form = within(await screen.findByRole('dialog', { name: 'Edit Working Calendar: Office' }));
  fireEvent.click(form.getByRole('checkbox', { name: 'Wed' }));
  fireEvent.change(form.getByLabelText(/^Holidays/), { target: { value: '2026-12-25\n2027-01-01' } });
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST')?.body).toEqual({
      hours: [{ days: [1, 2, 3], from: '08:00', to: '16:00' }],
      holidays: ['2026-12-25', '2027-01-01'],
    }),
  );
});
