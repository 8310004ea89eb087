import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { list, refused, renderApp, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

it('[SHELL-003][SHELL-004][SHELL-005][SHELL-006] the header shows tenant, subscription, user and environment', async () => {
  await renderApp('/workunitsv2');
  const header = within(await screen.findByRole('banner'));
  expect(await header.findByText('Northwind Energy')).toBeTruthy();
  expect(await header.findByText('Grid operations')).toBeTruthy();
  expect(await header.findByText('Mara Okafor')).toBeTruthy();
  expect(await header.findByText('Production')).toBeTruthy();
});

it('[SHELL-010][SHELL-011][SHELL-012][SHELL-013] the menu shows product, copyright, version and the License link', async () => {
  await renderApp('/workunitsv2');
  const menu = within(await screen.findByRole('navigation', { name: 'Main menu' }));
  expect(menu.getByText('CloudFit Software')).toBeTruthy();
  expect(menu.getByText(/© CloudFit \d{4}/)).toBeTruthy();
  expect(await menu.findByText('1.2.3')).toBeTruthy();
  expect(menu.getByRole('button', { name: 'License' })).toBeTruthy();
});

it('[SHELL-020][SHELL-022][SHELL-024][SHELL-028] the menu leads to the screens', async () => {
  await renderApp('/workunitsv2');
  const address = async (name: string) => (await screen.findByRole('link', { name })).getAttribute('href');
  await waitFor(async () => expect(await address('Devices')).toBe(`/${tenantId}/devices`));
  expect(await address('Work Units')).toBe('/workunitsv2');
  expect(await address('Rules')).toBe(`/${tenantId}/rules`);
  expect(await address('Locations')).toBe('/locations');
});

it('[SHELL-007][SHELL-008] the profile menu has Log out and Settings', async () => {
  await renderApp('/workunitsv2');
  fireEvent.click(await screen.findByRole('button', { name: /Mara Okafor/ }));
  expect(await screen.findByRole('menuitem', { name: 'Log out' })).toBeTruthy();
  expect(await screen.findByRole('menuitem', { name: 'Settings' })).toBeTruthy();
});

it('[SHELL-014][SHELL-015] the toggle switches between light and dark', async () => {
  document.documentElement.dataset['theme'] = 'light';
  await renderApp('/workunitsv2');
  fireEvent.click(await screen.findByRole('button', { name: 'Switch to dark mode' }));
  expect(document.documentElement.dataset['theme']).toBe('dark');
  fireEvent.click(await screen.findByRole('button', { name: 'Switch to light mode' }));
  expect(document.documentElement.dataset['theme']).toBe('light');
});

it('[SET-001][SET-002] the settings panel has Appearance with the toggle', async () => {
  await renderApp('/workunitsv2');
  fireEvent.click(await screen.findByRole('button', { name: /Mara Okafor/ }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Settings' }));
  const panel = within(await screen.findByRole('dialog', { name: 'Settings' }));
  fireEvent.click(within(panel.getByRole('region', { name: 'Appearance' })).getByRole('switch'));
  expect(document.documentElement.dataset['theme']).toBe('dark');
});

it('[LIC-002][LIC-003][LIC-004][LIC-006][LIC-007][LIC-008][LIC-009] the licence dialog', async () => {
  await renderApp('/workunitsv2');
  fireEvent.click(await screen.findByRole('button', { name: 'License' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'License' }));
  expect(dialog.getByText('Expiration Date Loading...')).toBeTruthy();
  expect(dialog.getByText(/five \(5\) years/)).toBeTruthy();
  expect(dialog.getByText(/cap on indemnity under this section is TBD/)).toBeTruthy();
  expect(dialog.getByRole('button', { name: 'Agree' })).toBeTruthy();
  expect(dialog.getByRole('button', { name: 'Cancel' })).toBeTruthy();
});

it.each([
  ['PERM-024', permission('Blocks', 'view')],
  ['PERM-025', permission('Devices', 'view')],
  ['PERM-026', permission('PendingDevices', 'edit')],
  ['PERM-027', permission('Tokens', 'edit')],
])('[%s] the picker shows with %s alone', async (_id, need) => {
  await renderApp('/workunitsv2', { 'GET /v1/permissions': [need] });
  expect(await screen.findByRole('button', { name: /Switch tenant and subscription/ })).toBeTruthy();
});

it('[PERM-028] the picker is hidden without any of them', async () => {
  await renderApp('/workunitsv2', { 'GET /v1/permissions': [permission('WorkUnits', 'view')] });
  expect(await screen.findByRole('link', { name: 'Work Units' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Switch tenant and subscription/ })).toBeNull();
});

it('[PERM-029] a person with only their own work units goes to the resolution center', async () => {
  const { router } = await renderApp('/workunitsv2', { 'GET /v1/permissions': [viewMine] });
  await waitFor(() => expect(router.state.location.pathname).toBe('/resolutioncenter'));
});

it('[AUTH-012][AUTH-013] a 403 on the permission lookup leads to access denied', async () => {
  const { router } = await renderApp('/workunitsv2', { 'GET /v1/permissions': refused(403, 'No.') });
  await waitFor(() => expect(router.state.location.pathname).toBe('/user/accessDenied'));
  expect(await screen.findByText('You do not have access')).toBeTruthy();
});

it('[ERR-016] a 403 on any other call shows the toast', async () => {
  await renderApp('/workunitsv2', { 'GET /v1/workUnits': refused(403, 'No.') });
  expect(await screen.findByText('You do not have access to one or more requested resources')).toBeTruthy();
});

it('[SHELL-041][SHELL-042][SHELL-043] an unknown address shows the 404 page', async () => {
  for (const address of ['/nowhere', `/${tenantId}/nowhere`]) {
    const { unmount } = await renderApp(address);
    expect(await screen.findAllByText('Page Not Found')).not.toHaveLength(0);
    expect(screen.getByRole('link', { name: 'Go Back Home' })).toBeTruthy();
    unmount();
  }
});

it('[SHELL-018] the page title follows the screen', async () => {
  await renderApp(`/${tenantId}/locations`);
  await waitFor(() => expect(document.title).toBe('Locations - CloudFit Software'));
});

it('[WU-047][WU-048] old edit addresses open the panel of the unit', async () => {
  for (const prefix of ['', `/${tenantId}`]) {
    const { router, unmount, search } = await renderApp(`${prefix}/workUnits/42/edit`);
    await waitFor(() => expect(router.state.location.pathname).toBe(`${prefix}/workunitsv2`));
    expect(search().get('workUnitId')).toBe('42');
    unmount();
  }
});

it('[LIC-010][SHELL-036][SHELL-038] the home page shows the licence banner and what needs attention', async () => {
  await renderApp(`/${tenantId}`, {
    'GET /api/generalLookup/environment': {
      environmentColor: null,
      environmentName: 'Production',
      licenseExpiration: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    },
    'GET /v1/workUnits': list([]),
  });
  expect(await screen.findByText('Your license expires in 5 day(s)')).toBeTruthy();
  expect(await screen.findByText('Welcome, Mara Okafor')).toBeTruthy();
});
