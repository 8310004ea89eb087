import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

it('makes a group of the tenants that are chosen, and of one at least', async () => {
  const { calls } = await renderApp(`/${tenantId}/tenantgroups?id=new`, { 'GET /v1/tenantGroups': list([]), 'PUT /v1/tenantGroups': {} });
  const form = within(await screen.findByRole('dialog', { name: 'Create Tenant Group' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Gold' } });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await form.findByText('A group has at least one tenant.');
  const add = form.getByRole('combobox', { name: 'Add a tenant' });
  fireEvent.focus(add);
  fireEvent.change(add, { target: { value: 'North' } });
  fireEvent.click(await screen.findByRole('option', { name: /^Northwind Energy/ }));
  form.getByRole('button', { name: /Northwind Energy/ });
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() => {
    const saved = calls.find(({ method, path }) => method === 'PUT' && path === '/v1/tenantGroups');
    expect(saved?.body).toMatchObject({ name: 'Gold', tenantIds: [tenantId] });
  });
});
