import '../../testing/browser.ts';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

const press = (key: string, target: Element = document.body) => fireEvent.keyDown(target, { key });
const plant = { locationId: 'l1', name: 'Plant 7', city: 'Lynchburg', tenantId };
const plants = { 'GET /v1/locations': list([plant]), 'GET /v1/locations(l1)': plant };

it('? shows the keys, with those of the screens that the person has', async () => {
  await renderApp(`/${tenantId}/locations`, { 'GET /v1/permissions': [permission('Locations', 'view'), permission('Rules', 'view')] });
  await screen.findByRole('link', { name: 'Rules' });
  press('?');
  const sheet = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }));
  expect(sheet.getByRole('region', { name: 'Go to a screen' }).textContent).toContain('Rulesgr');
  expect(sheet.getByRole('region', { name: 'Go to a screen' }).textContent).not.toContain('Devices');
});

it('/ goes to the search and c creates', async () => {
  await renderApp(`/${tenantId}/locations`, plants);
  const search = await screen.findByRole('searchbox', { name: 'Search locations' });
  await waitFor(() => {
    press('/');
    expect(document.activeElement === search).toBe(true);
  });
  press('c', search);
  expect(screen.queryByRole('dialog')).toBeNull();
  search.blur();
  await screen.findByRole('button', { name: 'Create' });
  press('c');
  expect(await screen.findByRole('dialog', { name: 'Create Location' })).toBeTruthy();
});

it('the down arrow leads from the search to the first row', async () => {
  await renderApp(`/${tenantId}/locations`, plants);
  const row = (await screen.findByText('Plant 7')).closest('tr');
  const search = screen.getByRole('searchbox', { name: 'Search locations' });
  search.focus();
  press('ArrowDown', search);
  expect(document.activeElement).toBe(row);
});

it('letters are no keys of the shell while a new row is typed', async () => {
  await renderApp(`/${tenantId}/locations?id=new`, plants);
  const panel = await screen.findByRole('dialog', { name: 'Create Location' });
  const { theme } = document.documentElement.dataset;
  press('t', panel);
  press('?', panel);
  expect(document.documentElement.dataset['theme']).toBe(theme);
  expect(screen.queryByRole('dialog', { name: 'Keyboard shortcuts' })).toBeNull();
});

it('g and a letter go to a screen; the letter alone does not', async () => {
  const { router } = await renderApp(`/${tenantId}/locations`);
  await screen.findByRole('link', { name: 'Rules' });
  press('r');
  press('g');
  press('r');
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/rules`));
  const { theme } = document.documentElement.dataset;
  press('g');
  press('t');
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/tenants`));
  expect(document.documentElement.dataset['theme']).toBe(theme);
  press('g');
  press('h');
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}`));
});

it('a screen that a key opens takes the focus, and the down arrow goes to its first row', async () => {
  await renderApp(`/${tenantId}/rules`, plants);
  await screen.findByRole('link', { name: 'Locations' });
  press('g');
  press('l');
  const main = screen.getByRole('main');
  await waitFor(() => expect(document.activeElement).toBe(main));
  const row = (await screen.findByRole('link', { name: 'Plant 7' })).closest('tr');
  press('ArrowDown', main);
  expect(document.activeElement).toBe(row);
  // After `g`, the shell handles the letter `x`, not the focused row.
  press('g', row as Element);
  press('x', row as Element);
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Access'));
});

it('the screen that the palette opens takes the focus, and leaves it to a link that has it', async () => {
  await renderApp(`/${tenantId}/rules`, plants);
  const link = await screen.findByRole('link', { name: 'Locations' });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  const box = await screen.findByRole('combobox', { name: 'Command palette' });
  fireEvent.change(box, { target: { value: 'locations' } });
  await waitFor(() => expect(screen.getAllByRole('option')[0]?.textContent).toContain('Locations'));
  press('Enter', box);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')));
  const rules = screen.getByRole('link', { name: 'Rules' });
  rules.focus();
  fireEvent.click(rules);
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Rules'));
  expect(document.activeElement).toBe(rules);
  expect(link.isConnected).toBe(true);
});

it('[SHELL-053] Escape closes the panel on top, one at a time; both stand in the address', async () => {
  const { search, router } = await renderApp(`/${tenantId}/locations?id=l1`, plants);
  await screen.findByRole('dialog', { name: /Plant 7/ });
  await act(() => router.navigate(`/${tenantId}/locations?id=l1&show=settings`));
  const settings = await screen.findByRole('dialog', { name: 'Settings' });
  press('Escape', settings);
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Settings' })).toBeNull());
  expect(search().get('id')).toBe('l1');
  press('Escape');
  await waitFor(() => expect(router.state.location.search).toBe(''));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('a right that is taken away while somebody looks: a toast, then word instead of the screen, and no item', async () => {
  let has = true;
  const all = [permission('Rules', 'view'), permission('Devices', 'view')];
  await renderApp(`/${tenantId}/rules`, {
    'GET /v1/permissions': () => Response.json(has ? all : [permission('Devices', 'view')]),
    'GET /v1/rules': () => (has ? list([]) : refused(403, 'No.')()),
    'GET /v1/currentUser/why': { askedPeople: [] },
  });
  await screen.findByText('No rules yet');
  has = false;
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'cpu' } });
  fireEvent.submit(screen.getByRole('search'));
  await proves('[ERR-016] says so in a toast', () => screen.findByText('You do not have access to one or more requested resources'));
  await proves('[PERM-001] shows only what may be seen now', async () => {
    expect(await screen.findByText('Please contact your system administrator for access.')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Rules' })).toBeNull());
    expect(screen.getByRole('link', { name: 'Devices' })).toBeTruthy();
  });
  expect(document.title).toBe('You do not have access - CloudFit Software');
});
