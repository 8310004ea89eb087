/** What customers send and choose: files, news by mail, and what the steps of a request say. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { ownSubscriptions } from '@cloudfit/contract/calls.ts';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const request = {
  workUnitId: 40,
  publicWorkUnitId: 1040,
  tenantId,
  title: 'My screen is dark',
  description: 'Since today.',
  status: 'Active',
  stateId: 'InProgress',
  isAssigned: true,
  created: '2026-05-01T08:00:00.000Z',
  modified: '2026-05-01T08:00:00.000Z',
};
const note = (detail: string, isFromCustomer: boolean) => ({
  workUnitNoteId: 1,
  workUnitId: 40,
  detail,
  isFromCustomer,
  created: '2026-05-01T09:00:00.000Z',
  tenantId,
});
const answers = (row: object = {}, notes: readonly object[] = []) => ({
  'GET /v1/permissions': [viewMine],
  'GET /v1/workunits/rc': list([{ ...request, ...row }]),
  'GET /v1/workunits/40/externalNotes': list(notes),
});
const address = `/${tenantId}/resolutioncenter`;
const open = `${address}?workUnitId=40`;
const steps = async () => within(await screen.findByRole('list', { name: 'Steps of your request' }));

it('says in steps where the request is, and who is next', async () => {
  await renderApp(open, answers());
  const now = await steps();
  expect(now.getAllByRole('listitem').map((step) => step.textContent)).toEqual(['Received', 'Being worked on', 'Solved']);
  expect(now.getByText('Being worked on').getAttribute('aria-current')).toBe('step');
  screen.getByText('We are next: we write here as soon as there is news.');
});

it.each([
  [true, 'Waiting for you', 1],
  [false, 'On hold', 0],
])('says of a request on hold whether it waits for the customer (%s)', async (waitsForCustomer, step, times) => {
  await renderApp(open, answers({ stateId: 'OnHold', waitsForCustomer }, [note('Which screen?', false)]));
  (await steps()).getByText(step);
  expect(screen.queryAllByText('You are next: please answer our last message below.')).toHaveLength(times);
});

it('shows the files of a note, and offers to attach some to a message', async () => {
  const id = '01a1fcdb-e331-70c1-ba47-fd1610462a01';
  await renderApp(open, answers({}, [note(`See [app.log](file:${id})`, false)]));
  await screen.findByRole('button', { name: 'Download app.log' });
  screen.getByRole('button', { name: 'Attach an image or file' });
});

it('opens a resolved request again with a message, and a closed one not', async () => {
  const { inputsOf } = await renderApp(open, {
    ...answers({ stateId: 'Resolved', status: 'Done' }),
    'POST /v1/workunits/rc/40/reply': { ...request, stateId: 'InProgress' },
  });
  fireEvent.change(await screen.findByLabelText(/^Your message/), { target: { value: 'Dark again' } });
  fireEvent.click(screen.getByLabelText('The problem is not solved: open the request again'));
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText('Your message was sent, and your request is open again.');
  expect(inputsOf('replyToRequest')).toEqual([expect.objectContaining({ text: 'Dark again', reopens: true })]);
});

it('says of a closed request that a new one is needed', async () => {
  await renderApp(open, answers({ stateId: 'Closed', status: 'Done' }));
  await screen.findByText('This request is closed. If the problem is back, please create a new request.');
  expect(screen.queryByLabelText(/open the request again/)).toBeNull();
});

const subscriptions: CallOutput<typeof ownSubscriptions> = {
  email: 'mara@example.com',
  value: [{ tenantId, tenantName: 'Northwind', active: false, language: 'en', kinds: 'All', minimumSeverity: 'Sev4' }],
};

it('subscribes the person to news by mail', async () => {
  const { inputsOf } = await renderApp(address, {
    ...answers(),
    ownSubscriptions: subscriptions,
    changeOwnSubscription: { tenantId, active: true, language: 'de', kinds: 'All', minimumSeverity: 'Sev4' },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'News by Mail' }));
  const panel = within(await screen.findByRole('dialog', { name: 'News by Mail' }));
  await panel.findByText(/by mail to mara@example.com/);
  fireEvent.click(panel.getByLabelText('Send me mails'));
  fireEvent.change(panel.getByLabelText('Language'), { target: { value: 'de' } });
  fireEvent.click(panel.getByRole('button', { name: 'Save' }));
  await screen.findByText('You get these mails from now on.');
  await waitFor(() =>
    expect(inputsOf('changeOwnSubscription')).toEqual([{ tenantId, active: true, language: 'de', kinds: 'All', minimumSeverity: 'Sev4' }]),
  );
});

it('says what to do without a confirmed address', async () => {
  await renderApp(address, { ...answers(), ownSubscriptions: { ...subscriptions, email: null } });
  fireEvent.click(await screen.findByRole('button', { name: 'News by Mail' }));
  await screen.findByText('Please ask your administrator to invite you by mail.');
});

it('names the tenant of each request, and offers the services of the chosen one alone, to a customer with several', async () => {
  const second = '01a1fcdb-0000-7000-8000-0000000000a9';
  const service = (of: string, name: string) => ({
    workUnitCategoryId: `01a1fcdb-0000-7000-8000-0000000000c${of === tenantId ? 1 : 2}`,
    name,
    tenantId: of,
    workUnitTypeId: 3,
    isEnabled: true,
    isVisibleInResolutionCenter: true,
  });
  const { calls } = await renderApp('/resolutioncenter', {
    ...answers(),
    tenantLookup: [
      { tenantId, name: 'Northwind Energy' },
      { tenantId: second, name: 'Fjord Power' },
    ],
    categoryLookup: [service(tenantId, 'Mail'), service(second, 'Turbines')],
    subcategoryLookup: [],
    'GET /v1/currentUser': { personId: 'p1', name: 'Mara', userName: 'mara@northwind.example', tenantId, subscriptionId: null },
    'PUT /v1/rc/workunits': request,
  });
  const row = within((await screen.findByText('My screen is dark')).closest('tr') as HTMLElement);
  await row.findByText('Northwind Energy');
  fireEvent.click(screen.getByRole('button', { name: 'Create Request' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Create Request' }));
  const services = () => [...panel.getByLabelText<HTMLSelectElement>(/^Service/).options].map(({ text }) => text);
  await waitFor(() => expect(services()).toEqual(['—', 'Mail']));
  fireEvent.change(panel.getByLabelText(/^Service/), { target: { value: service(tenantId, '').workUnitCategoryId } });
  const tenant = panel.getByLabelText(/^Tenant/);
  fireEvent.focus(tenant);
  fireEvent.change(tenant, { target: { value: 'Fjord' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Fjord Power' }));
  await waitFor(() => expect(services()).toEqual(['—', 'Turbines']));
  fireEvent.change(panel.getByLabelText(/^Title/), { target: { value: 'My screen is dark' } });
  fireEvent.change(panel.getByLabelText(/^Description/), { target: { value: 'Since this morning.' } });
  fireEvent.change(panel.getByLabelText(/^Phone/), { target: { value: '1' } });
  fireEvent.click(panel.getByRole('button', { name: 'Submit' }));
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'PUT')?.body).toMatchObject({ tenantId: second, workUnitCategoryId: null }),
  );
});
