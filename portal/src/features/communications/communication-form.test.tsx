import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId } from '../../testing/render-app.tsx';
import { soon, mail, answers, address, open, panelOf } from './communications.fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('a new one is Investigating and needs a title and a next update', async () => {
  const { calls, search } = await renderApp(`${address}?publicWuCommId=new`, { ...answers, 'PUT /v1/workUnitCommunications': mail });
  const panel = await panelOf('Create Communication');
  const status = await panel.findByLabelText<HTMLSelectElement>(/^Status/);
  await proves('[COMM-025] is Investigating', () => expect(status.value).toBe('Investigating'));
  await proves('[COMM-026] has no other choice', () => expect(status.disabled).toBe(true));
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await proves('[COMM-030] needs a title', () => panel.findByText('Title is required.'));
  await proves('[COMM-034] needs a next update', () => panel.getByText('Date is required'));
  fireEvent.change(panel.getByLabelText(/^Next Customer Update/), { target: { value: '2020-01-01T10:00' } });
  await proves('[COMM-035] [SHELL-075] needs it in the future', () => panel.findByText('Date must be in the future'));
  fireEvent.change(panel.getByLabelText(/^Next Customer Update/), { target: { value: soon.slice(0, 16) } });
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'Mail is down' } });
  expect(calls.some((call) => call.method === 'PUT')).toBe(false);
  fireEvent.click(panel.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'PUT')?.body).toMatchObject({ title: 'Mail is down', tenantId, status: 'Investigating' }),
  );
  await proves('[COMM-004] has its number in the address', () => waitFor(() => expect(search().get('publicWuCommId')).toBe('1001')));
});

it('[COMM-033] [COMM-034] a root cause is required to resolve it, and a next update no longer', async () => {
  const { calls } = await renderApp(open, { ...answers, 'POST /v1/workUnitCommunications/7': mail });
  const panel = await panelOf(/^WUCOMM/);
  expect(
    within(panel.getByLabelText(/^Status/))
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Investigating (Open)', 'ConfirmedImpact', 'ServiceRestored', 'Cancelled (Closed)', 'Resolved (Closed)']);
  fireEvent.change(panel.getByLabelText(/^Status/), { target: { value: 'Resolved' } });
  fireEvent.change(panel.getByLabelText(/^Next Customer Update/), { target: { value: '' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await panel.findByText('Root Cause is required when the status is Resolved.');
  fireEvent.change(panel.getByLabelText(/^Root Cause/), { target: { value: 'A worn seal.' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ status: 'Resolved', nextUpdate: null, rootCause: 'A worn seal.' }),
  );
});

it('[COMM-035] a promised update that has passed does not stand in the way of another change', async () => {
  const late = { ...mail, nextUpdate: '2020-01-01T10:00:00.000Z' };
  const { calls } = await renderApp(open, {
    ...answers,
    'GET /v1/workUnitCommunications': list([late]),
    'POST /v1/workUnitCommunications/7': late,
  });
  expect(await screen.findByText('Overdue')).toBeTruthy();
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(panel.getByLabelText(/^Details/), { target: { value: 'Still down.' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ details: 'Still down.' }));
});

it('a closed one shows no next update, neither in the list nor in its form', async () => {
  const over = { ...mail, status: 'Resolved', rootCause: 'A worn seal.', nextInternalUpdate: soon };
  await renderApp(open, { ...answers, 'GET /v1/workUnitCommunications': list([over]) });
  const panel = await panelOf(/^WUCOMM/);
  expect(panel.queryByLabelText(/^Next /)).toBeNull();
  const table = screen.getByRole('table');
  const at = within(table)
    .getAllByRole('columnheader')
    .findIndex((header) => header.textContent.startsWith('Next'));
  const cells = within(table).getAllByRole('row')[1]?.querySelectorAll('td, th') ?? [];
  expect([at >= 0, cells[at]?.textContent]).toEqual([true, '']);
  // A reopened communication needs the time of its next update.
  fireEvent.change(panel.getByLabelText(/^Status/), { target: { value: 'Investigating' } });
  expect(await panel.findByLabelText(/^Next Customer Update/)).toBeTruthy();
});

it('[COMM-032] finds the service manager among the people', async () => {
  const { calls } = await renderApp(open, {
    ...answers,
    'GET /api/people': [{ displayName: 'Bo Berg', mail: 'bo@example.com' }],
    'POST /v1/workUnitCommunications/7': mail,
  });
  const panel = await panelOf(/^WUCOMM/);
  const picker = panel.getByRole<HTMLInputElement>('combobox', { name: /^Service Manager/ });
  expect(picker.value).toBe('ann@example.com');
  fireEvent.change(picker, { target: { value: 'Bo' } });
  fireEvent.click(await screen.findByRole('option', { name: /Bo Berg/ }));
  expect(calls.find((call) => call.path === '/api/people')?.query.get('searchTerm')).toBe('Bo');
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls.find((call) => call.method === 'POST')?.body).toEqual({ serviceManager: 'bo@example.com' }));
});

it('[ERR-038] a failed save says so and keeps what was typed', async () => {
  await renderApp(open, { ...answers, 'POST /v1/workUnitCommunications/7': refused(500, 'x') });
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'Mail is slow' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await screen.findByText('A problem occurred saving the communication. Please try again.');
  expect(panel.getByLabelText<HTMLInputElement>(/^Title/).value).toBe('Mail is slow');
});

it('offers the services of the status pages beside free text', async () => {
  await renderApp(open, { ...answers, [`GET /v1/tenants/${tenantId}/statusServices`]: ['Mail', 'Web'] });
  const services = within(await screen.findByRole('group', { name: 'Services of the status pages' }));
  const text = screen.getByLabelText<HTMLTextAreaElement>(/^Impacted Services/);
  expect(services.getByRole('button', { name: 'Mail' }).getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(services.getByRole('button', { name: 'Web' }));
  expect(text.value).toBe('Mail\nWeb');
  fireEvent.change(text, { target: { value: 'Mail, Web\nThe branch in Oslo' } });
  fireEvent.click(services.getByRole('button', { name: 'Mail' }));
  expect(text.value).toBe('Web\nThe branch in Oslo');
});

it('who may only look sees no way to change it', async () => {
  await renderApp(`${open}&tab=steps`, { ...answers, 'GET /v1/permissions': ['CloudFit.CFS.WorkUnitCommunications:view'] });
  const panel = await panelOf(/^WUCOMM/);
  await panel.findByText('You may look at this, but not change it.');
  for (const name of ['Save', 'Add step', 'Send Internal Notification']) expect(panel.queryByRole('button', { name })).toBeNull();
  expect(panel.getByRole('button', { name: 'External Report' })).toBeTruthy();
});

it('drops what was typed only after a question', async () => {
  await renderApp(open, answers);
  const panel = await panelOf(/^WUCOMM/);
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'Mail is slow' } });
  fireEvent.keyDown(document, { key: 'Escape' });
  expect(await screen.findByText('There are unsaved changes. Are you sure you want to close?')).toBeTruthy();
});
