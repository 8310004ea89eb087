import '../../testing/browser.ts';
import { readFileSync } from 'node:fs';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { en } from '@cloudfit/contract/messages/en.ts';
import { list, refused, renderApp, subscriptionId, tenantId, type Answers, type ApiCall } from '../../testing/render-app.tsx';

const id = '01a1fcdb-e331-70c1-ba47-000000000a01';
const blockId = '01a1fcdb-e331-70c1-ba47-000000000a02';
const page = {
  statusPageId: id,
  tenantId,
  title: 'Northwind status',
  description: null,
  address: 'northwind',
  enabled: false,
  components: [{ name: 'Grid', kind: 'Subscription', of: subscriptionId }],
  created: '2026-11-23T05:00:00Z',
  createdBy: 'mara@northwind.example',
  modified: '2026-11-23T05:00:00Z',
  modifiedBy: 'mara@northwind.example',
};
const answers: Answers = {
  'GET /v1/statusPages': list([page]),
  [`GET /v1/statusPages(${id})`]: page,
  [`GET /v1/statusPages/preview/${id}`]: { html: '<h1>Northwind status</h1>', takesSubscribers: true },
  'GET /v1/blocks': list([{ blockId, name: 'db-01', tenantId }]),
  'PUT /v1/statusPages': page,
  [`POST /v1/statusPages/${id}`]: page,
};
const open = (query = '', more: Answers = {}) => renderApp(`/${tenantId}/statuspages${query}`, { ...answers, ...more });
const sent = (calls: readonly ApiCall[], method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path);
const add = () => fireEvent.click(screen.getByRole('button', { name: 'Add component' }));
const press = (name: string) => fireEvent.click(screen.getAllByRole('button', { name }).at(-1) as HTMLElement);

async function choose(label: string, option: string) {
  fireEvent.mouseDown(screen.getByRole('combobox', { name: label }));
  fireEvent.focus(screen.getByRole('combobox', { name: label }));
  fireEvent.click(screen.getByRole('combobox', { name: label }));
  fireEvent.click(await screen.findByRole('option', { name: option }));
}

beforeEach(() => localStorage.clear());

it('makes a page of components that are chosen by name, in their order', async () => {
  const { calls } = await open('?id=new');
  fireEvent.change(await screen.findByLabelText(/^Title/), { target: { value: 'Northwind status' } });
  add();
  fireEvent.change(screen.getByLabelText('Public name'), { target: { value: 'Grid' } });
  await choose('Subscription', 'Grid operations');
  add();
  const second = within(screen.getAllByRole('listitem').at(-1) as HTMLElement);
  fireEvent.change(second.getByLabelText('Public name'), { target: { value: 'Orders' } });
  fireEvent.change(second.getByLabelText('Stands for'), { target: { value: 'Block' } });
  await choose('Block', 'db-01');
  press('Move Orders up');
  press('Create');
  await waitFor(() => expect(sent(calls, 'PUT', '/v1/statusPages')).toHaveLength(1));
  expect(sent(calls, 'PUT', '/v1/statusPages')[0]?.body).toMatchObject({
    title: 'Northwind status',
    tenantId,
    enabled: false,
    components: [
      { name: 'Orders', kind: 'Block', of: blockId },
      { name: 'Grid', kind: 'Subscription', of: subscriptionId },
    ],
  });
});

it('marks the input that is wrong, and says what to do', async () => {
  const { calls } = await open('?id=new');
  fireEvent.change(await screen.findByLabelText(/^Title/), { target: { value: 'Northwind status' } });
  add();
  press('Create');
  const name = screen.getByLabelText('Public name');
  await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'));
  expect(document.getElementById(name.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Please name the component.');
  await waitFor(() => expect(document.activeElement).toBe(name));
  fireEvent.change(name, { target: { value: 'Grid' } });
  await screen.findByText('Please choose what the component stands for.');
  expect(name.getAttribute('aria-invalid')).toBeNull();
  expect(screen.getByRole('combobox', { name: 'Subscription' }).getAttribute('aria-invalid')).toBe('true');
  expect(sent(calls, 'PUT', '/v1/statusPages')).toHaveLength(0);
});

it('offers blocks of the page’s tenant alone, and shows at the list what the server refuses', async () => {
  const wrong = refused(400, 'No.', [{ target: 'components.0.of', message: 'Block was not found in this tenant.' }]);
  const { calls } = await open(`?id=${id}`, { [`POST /v1/statusPages/${id}`]: wrong });
  fireEvent.change(await screen.findByLabelText('Stands for'), { target: { value: 'Block' } });
  await choose('Block', 'db-01');
  for (const { query } of sent(calls, 'GET', '/v1/blocks')) expect(query.get('$filter')).toContain(`tenantId eq ${tenantId}`);
  press('Save');
  const group = within(screen.getByRole('group', { name: 'Components' }).parentElement as HTMLElement);
  await group.findByText('Block was not found in this tenant.');
});

it('shows the preview without scripts, and where the page will be', async () => {
  await open(`?id=${id}`);
  await screen.findByText(`Nobody sees it yet. It will be at ${location.origin}/status/northwind`);
  fireEvent.click(screen.getByRole('tab', { name: 'Preview' }));
  const frame = await screen.findByTitle('Preview of Northwind status');
  expect(frame.getAttribute('sandbox')).toBe('allow-same-origin');
  expect(frame.getAttribute('srcdoc')).toContain('Northwind status');
});

it('shows an error only after the click that left the field, which would miss a button that moves', async () => {
  await open('?id=new');
  const title = await screen.findByLabelText(/^Title/);
  const button = screen.getByRole('button', { name: 'Add component' });
  fireEvent.pointerDown(button);
  fireEvent.blur(title);
  await screen.findByRole('button', { name: 'Add component' });
  expect(title.getAttribute('aria-invalid')).toBeNull();
  fireEvent.pointerUp(button);
  fireEvent.click(button);
  screen.getByLabelText('Public name');
  await waitFor(() => expect(title.getAttribute('aria-invalid')).toBe('true'));
});

it('lists the subscribers of a page, and removes one after a question', async () => {
  const subscriber = {
    statusSubscriberId: blockId,
    statusPageId: id,
    tenantId,
    email: 'vera@example.org',
    created: '2026-11-23T05:00:00Z',
  };
  const { calls } = await open(`?id=${id}&tab=subscribers`, {
    'GET /v1/statusSubscribers': list([subscriber]),
    [`DELETE /v1/statusSubscribers/${blockId}`]: () => new Response(null, { status: 204 }),
  });
  await screen.findByText('vera@example.org');
  expect(sent(calls, 'GET', '/v1/statusSubscribers')[0]?.query.get('$filter')).toBe(`statusPageId eq ${id}`);
  fireEvent.click(screen.getByRole('button', { name: 'Remove vera@example.org' }));
  const question = within(await screen.findByRole('dialog', { name: 'Remove this subscriber?' }));
  fireEvent.click(question.getByRole('button', { name: /^(Yes|Delete|Remove)/ }));
  await waitFor(() => expect(sent(calls, 'DELETE', `/v1/statusSubscribers/${blockId}`)).toHaveLength(1));
});

it('shows the choices of a component over their whole width, not in the columns of the component', async () => {
  const style = document.createElement('style');
  style.textContent = readFileSync('portal/src/features/status-pages/status-pages.css', 'utf8');
  document.head.append(style);
  await open('?id=new');
  fireEvent.click(await screen.findByRole('button', { name: 'Add component' }));
  const box = screen.getByRole('combobox', { name: 'Subscription' });
  expect(getComputedStyle(screen.getByLabelText('Public name').closest('li') as HTMLElement).display).toBe('grid');
  fireEvent.mouseDown(box);
  fireEvent.focus(box);
  fireEvent.click(box);
  expect(getComputedStyle(await screen.findByRole('option', { name: 'Grid operations' })).display).not.toBe('grid');
  style.remove();
});

it('says so when the browser does not let the address be copied', async () => {
  Object.assign(navigator, { clipboard: undefined });
  await open(`?id=${id}`);
  fireEvent.click(await screen.findByRole('button', { name: 'Copy the address' }));
  await screen.findByText(en.copy.failed);
});

it('says why nobody can subscribe while no mail server is set', async () => {
  await open(`?id=${id}&tab=subscribers`, {
    'GET /v1/statusSubscribers': list([]),
    [`GET /v1/statusPages/preview/${id}`]: { html: '', takesSubscribers: false },
  });
  await screen.findByText('Visitors cannot subscribe');
  screen.getByText(/sets SMTP_URL/);
});
