import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { favoriteTenants, rememberTenant } from '../../api/known-tenants.ts';
import { refused, renderApp, subscriptionId, tenantId, type Answers } from '../../testing/render-app.tsx';

const water = '01a1fcdb-e331-70c1-ba47-fd1610462bbb';
const rail = '01a1fcdb-e331-70c1-ba47-fd1610462ccc';
const answers: Answers = {
  'GET /api/generallookup/tenants': [
    { tenantId: rail, name: 'Alpine Rail' },
    { tenantId: water, name: 'Contoso Water' },
    { tenantId, name: 'Northwind Energy' },
  ],
  'GET /api/generallookup/subscriptions': [
    { subscriptionId, name: 'Grid operations', tenantId },
    { subscriptionId: 's1', name: 'Wells', tenantId: water },
    { subscriptionId: 's2', name: 'Pumps', tenantId: water },
  ],
};

beforeEach(() => localStorage.clear());

async function openPicker(more: Answers = {}, address = `/${tenantId}/locations`) {
  const app = await renderApp(address, { ...answers, ...more });
  fireEvent.click(await screen.findByRole('button', { name: /Switch tenant and subscription/ }));
  const form = within(await screen.findByRole('dialog', { name: 'Switch tenant and subscription' }));
  await form.findByRole('radio', { name: /Northwind Energy/ });
  return { ...app, form };
}

const tenantNames = (form: ReturnType<typeof within>) =>
  form.getAllByRole('radio').map((hTMLElement: HTMLElement) => hTMLElement.closest('label')?.textContent);
const offered = (form: ReturnType<typeof within>) =>
  within(form.getByRole('combobox', { name: /Subscription/ }))
    .getAllByRole('option')
    .map((element) => element.textContent);

it('offers tenants, and the subscriptions of the chosen tenant only', async () => {
  const { form } = await openPicker();
  await proves('[SHELL-064] offers both', () => {
    expect(tenantNames(form)).toEqual(['Alpine Rail', 'Contoso Water', 'Northwind Energy']);
    expect((form.getByRole('radio', { name: 'Northwind Energy' }) as HTMLInputElement).checked).toBe(true);
    expect(offered(form)).toEqual(['Choose a subscription', 'Grid operations']);
  });
  fireEvent.click(form.getByRole('radio', { name: 'Contoso Water' }));
  await proves('[SHELL-067] of another tenant the others', () =>
    expect(offered(form)).toEqual(['Choose a subscription', 'Wells', 'Pumps']),
  );
});

it('[SHELL-066][SHELL-068] requires a subscription and says so', async () => {
  const { form, calls } = await openPicker();
  const select = form.getByRole('combobox', { name: /Subscription/ });
  expect(select.getAttribute('aria-required')).toBe('true');
  fireEvent.click(form.getByRole('radio', { name: 'Contoso Water' }));
  fireEvent.click(form.getByRole('button', { name: 'Switch' }));
  expect(await form.findByText('Please choose a subscription.')).toBeTruthy();
  expect(calls.some((call) => call.method === 'POST')).toBe(false);
});

it('[SHELL-065][SHELL-068] requires a tenant and says so', async () => {
  const nowhere = { personId: 'p1', name: 'Mara', userName: 'mara@northwind.example', tenantId: null, subscriptionId: null };
  const app = await renderApp('/workunitsv2', { ...answers, 'GET /v1/currentUser': nowhere, 'GET /api/generallookup/tenants': [] });
  fireEvent.click(await screen.findByRole('button', { name: /Switch tenant and subscription/ }));
  const form = within(await screen.findByRole('dialog', { name: 'Switch tenant and subscription' }));
  expect((await form.findByRole('radiogroup', { name: /Tenant/ })).getAttribute('aria-required')).toBe('true');
  fireEvent.click(form.getByRole('button', { name: 'Switch' }));
  expect(await form.findByText('Please choose a tenant.')).toBeTruthy();
  expect(app.calls.some((call) => call.method === 'POST')).toBe(false);
});

it('[SHELL-069] posts the new context; a refusal says so and stays', async () => {
  const { form, calls } = await openPicker({ [`POST /v1/tenantSubscriptionContext/${water}`]: refused(500, 'No.') });
  fireEvent.click(form.getByRole('radio', { name: 'Contoso Water' }));
  fireEvent.change(form.getByRole('combobox', { name: /Subscription/ }), { target: { value: 's2' } });
  fireEvent.click(form.getByRole('button', { name: 'Switch' }));
  await waitFor(() =>
    expect(calls.find((call) => call.method === 'POST')).toMatchObject({
      path: `/v1/tenantSubscriptionContext/${water}`,
      body: { tenant: water, subscriptionId: 's2' },
    }),
  );
  expect(await screen.findByText('The tenant could not be switched. Please try again.')).toBeTruthy();
  expect(form.getByRole('button', { name: 'Switch' })).toBeTruthy();
});

it('finds a tenant by its name; Enter chooses the first', async () => {
  const { form } = await openPicker();
  const search = form.getByRole('searchbox', { name: 'Find a tenant' });
  fireEvent.change(search, { target: { value: 'WATER' } });
  expect(tenantNames(form)).toEqual(['Contoso Water']);
  fireEvent.keyDown(search, { key: 'Enter' });
  expect((form.getByRole('radio', { name: 'Contoso Water' }) as HTMLInputElement).checked).toBe(true);
  fireEvent.change(search, { target: { value: 'zebra' } });
  expect(form.getByText('Nothing matches.')).toBeTruthy();
});

it('shows favorites first, then those used lately, and keeps what is marked', async () => {
  rememberTenant(water);
  favoriteTenants.set([tenantId]);
  const { form } = await openPicker();
  expect(tenantNames(form)).toEqual(['Northwind Energy', 'Contoso WaterRecent', 'Alpine Rail']);
  const star = form.getByRole('button', { name: 'Favorite Alpine Rail' });
  expect(star.getAttribute('aria-pressed')).toBe('false');
  fireEvent.click(star);
  expect(star.getAttribute('aria-pressed')).toBe('true');
  expect(favoriteTenants.get()).toEqual([tenantId, rail]);
});
