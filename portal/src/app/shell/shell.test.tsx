import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../testing/browser.ts';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { list, refused, renderApp, subscriptionId, tenantId } from '../../testing/render-app.tsx';

beforeEach(() => localStorage.clear());

it('the header shows tenant, subscription, user and environment', async () => {
  await renderApp('/workunitsv2');
  const header = within(await screen.findByRole('banner'));
  await proves('[SHELL-003] the tenant', () => header.findByText('Northwind Energy'));
  await proves('[SHELL-004] the subscription', () => header.findByText('Grid operations'));
  await proves('[SHELL-005] the user', () => header.findByText('Mara Okafor'));
  await proves('[SHELL-006] the environment', () => header.findByText('Production'));
});

it('the menu shows product, copyright, version and the License link', async () => {
  await renderApp('/workunitsv2');
  const menu = within(await screen.findByRole('navigation', { name: 'Main menu' }));
  await proves('[SHELL-010] the product', () => menu.getByText('CloudFit Software'));
  await proves('[SHELL-011] the copyright', () => menu.getByText(/© CloudFit \d{4}/));
  await proves('[SHELL-012] the version', () => menu.findByText('1.2.3'));
  await proves('[SHELL-013] the link', () => menu.getByRole('button', { name: 'License' }));
});

it.each([
  ['[SHELL-020]', 'Menu', 'Work Units', '/workunitsv2'],
  ['[SHELL-021]', 'Menu', 'WorkUnit Communications', `/${tenantId}/workunitcommunications`],
  ['[SHELL-022]', 'Menu', 'Devices', `/${tenantId}/devices`],
  ['[SHELL-023]', 'Menu', 'Blocks', `/${tenantId}/blocks`],
  ['[SHELL-024]', 'Menu', 'Rules', `/${tenantId}/rules`],
  ['[SHELL-025]', 'Menu', 'Compliance', `/${tenantId}/compliance`],
  ['[SHELL-028]', 'Administration', 'Locations', '/locations'],
  ['[SHELL-029]', 'Administration', 'Package Catalog', '/packages'],
  ['[SHELL-030]', 'Administration', 'Work Unit Protocols', '/protocols'],
  ['[SHELL-031]', 'Administration', 'Action Catalog', '/actioncatalog'],
  ['[SHELL-034]', 'Administration', 'Work Unit Settings', '/workunitsettings'],
  ['[SHELL-035]', 'Administration', 'Version Report', '/versionreport'],
])('%s the group %s has the item %s leading to its address', async (_id, group, label, address) => {
  const { router } = await renderApp(`/${tenantId}/locations`);
  const items = within(await screen.findByRole('group', { name: group }));
  const item = items.getByRole('link', { name: label });
  await waitFor(() => expect(item.getAttribute('href')).toBe(address));
  fireEvent.click(item);
  await waitFor(() => expect(router.state.location.pathname).toMatch(new RegExp(`${address}$`)));
  await waitFor(() => expect(items.getByRole('link', { name: label }).getAttribute('aria-current')).toBe('page'));
});

it('a group of the menu folds, stays folded, and shows the item of the current screen', async () => {
  await renderApp(`/${tenantId}/audit`);
  const group = async () => within(await screen.findByRole('group', { name: 'People and Access' }));
  fireEvent.click((await group()).getByRole('button', { name: 'People and Access' }));
  expect((await group()).getAllByRole('link').map((link) => link.textContent)).toEqual(['Audit']);
  await renderApp(`/${tenantId}/locations`);
  const button = (await group()).getByRole('button', { name: 'People and Access' });
  expect([button.getAttribute('aria-expanded'), (await group()).queryByRole('link')]).toEqual(['false', null]);
  fireEvent.click(button);
  expect((await group()).getAllByRole('link')).toHaveLength(4);
});

it('[SHELL-017] screens stand under their tenant; an address without one leads there', async () => {
  for (const path of ['devices', 'rules', 'locations', 'workunitcommunications', 'workunitsettings']) {
    const { router, unmount } = await renderApp(`/${path}?search=x`);
    await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/${path}`));
    expect(router.state.location.search).toBe('?search=x');
    unmount();
  }
});

const other = '01a1fcdb-e331-70c1-ba47-fd1610462bbb';
const twoTenants = {
  'GET /api/generallookup/tenants': [
    { tenantId: other, name: 'Alder Water' },
    { tenantId, name: 'Northwind Energy' },
  ],
};

it('a link to another tenant shows whose the screen is, and leaves the chosen tenant in header and menu', async () => {
  const { router } = await renderApp(`/${other}/rules`, twoTenants);
  const header = within(await screen.findByRole('banner'));
  await header.findByText('Northwind Energy');
  await screen.findByText('This screen is of Alder Water. You work in Northwind Energy.');
  expect(screen.getByRole('link', { name: 'Back to Northwind Energy' }).getAttribute('href')).toBe(`/${tenantId}/rules`);
  expect(screen.getByRole('link', { name: 'Devices' }).getAttribute('href')).toBe(`/${tenantId}/devices`);
  fireEvent.click(screen.getByRole('link', { name: 'Locations' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/locations`));
  await waitFor(() => expect(screen.queryByText(/^This screen is of/)).toBeNull());
});

it.each([
  [other, 'Alder Water: Location saved.'],
  [tenantId, 'Location saved.'],
])('tells whose row was changed, if it is not of the chosen tenant: %s', async (owner, message) => {
  const lund = { locationId: '01a1fcdb-0000-7000-8000-000000000001', name: 'Lund plant', city: 'Lund', tenantId: owner };
  await renderApp(`/${owner}/locations?id=${lund.locationId}`, {
    ...twoTenants,
    'GET /v1/locations': list([lund]),
    [`GET /v1/locations(${lund.locationId})`]: lund,
    [`POST /v1/locations/${lund.locationId}`]: lund,
  });
  const editing = within(await screen.findByRole('dialog', { name: 'Edit Location: Lund plant' }));
  fireEvent.change(editing.getByLabelText(/^City/), { target: { value: 'Malmö' } });
  fireEvent.click(editing.getByRole('button', { name: 'Save' }));
  await screen.findByText(message);
});

it('says of the list of work units that it is of all tenants, which the picker beside it does not', async () => {
  const header = async () => within(await screen.findByRole('banner'));
  const all = await renderApp('/workunitsv2', twoTenants);
  await (await header()).findByText('All tenants');
  all.unmount();
  const ofOne = await renderApp(`/${tenantId}/workunitsv2`, twoTenants);
  await (await header()).findByText('Northwind Energy');
  expect((await header()).queryByText('All tenants')).toBeNull();
  ofOne.unmount();
  // Somebody with one tenant sees nothing else.
  await renderApp('/workunitsv2');
  await (await header()).findByText('Northwind Energy');
  expect((await header()).queryByText('All tenants')).toBeNull();
});

it('works in another tenant only when that is chosen', async () => {
  const { calls } = await renderApp(`/${other}/rules`, twoTenants);
  fireEvent.click(await screen.findByRole('button', { name: 'Work in Alder Water' }));
  await waitFor(() => expect(calls.some(({ path }) => path === `/v1/tenantSubscriptionContext/${other}`)).toBe(true));
});

it('somebody who never chose a tenant stays in the first one that they saw, whatever tenants are added', async () => {
  const user = { personId: 'p1', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId: null, subscriptionId: null };
  await renderApp(`/${tenantId}/rules`, { 'GET /v1/currentUser': user });
  await within(await screen.findByRole('banner')).findByText('Northwind Energy');
  await renderApp('/', { 'GET /v1/currentUser': user, ...twoTenants });
  await within(await screen.findByRole('banner')).findByText('Northwind Energy');
});

it('[SHELL-002] lists show what belongs to the current tenant and subscription', async () => {
  const { calls } = await renderApp(`/${tenantId}/devices`);
  await waitFor(() => expect(calls.some((call) => call.path === '/v1/devices')).toBe(true));
  expect(calls.find((call) => call.path === '/v1/devices')?.query.get('$filter')).toContain(subscriptionId);
  await renderApp(`/${tenantId}/locations`).then(async (app) => {
    await waitFor(() => expect(app.calls.some((call) => call.path === '/v1/locations')).toBe(true));
    expect(app.calls.find((call) => call.path === '/v1/locations')?.query.get('$filter')).toContain(tenantId);
  });
});

it('[SHELL-037] the logo leads to the home page', async () => {
  const { router } = await renderApp(`/${tenantId}/locations`);
  const logo = within(await screen.findByRole('navigation', { name: 'Main menu' })).getByRole('link', { name: 'CloudFit Software' });
  await waitFor(() => expect(logo.getAttribute('href')).toBe(`/${tenantId}`));
  fireEvent.click(logo);
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}`));
});

it('[SHELL-039] the address of the old experience leads to the work units of the tenant', async () => {
  const { router } = await renderApp(`/${tenantId}/workunits/index`);
  await waitFor(() => expect(router.state.location.pathname).toBe(`/${tenantId}/workunitsv2`));
});

it('[SHELL-040] the link to the old experience shows only on a page that asks for it', async () => {
  function OldPage() {
    usePageTitle('Somewhere', { hasOldExperience: true });
    return null;
  }
  await renderApp(`/${tenantId}/locations`);
  await screen.findByRole('heading', { name: 'Locations' });
  expect(screen.queryByRole('link', { name: 'Old experience' })).toBeNull();
  const asking = render(<OldPage />);
  expect((await screen.findByRole('link', { name: 'Old experience' })).getAttribute('href')).toBe(`/${tenantId}/workunits/index`);
  asking.unmount();
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

it('the licence dialog', async () => {
  await renderApp('/workunitsv2');
  fireEvent.click(await screen.findByRole('button', { name: 'License' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'License' }));
  await proves('[LIC-002] says so until the date arrives', () => dialog.getByText('Expiration Date Loading...'));
  await proves('[LIC-006] has the confidentiality', () => dialog.getByText(/five \(5\) years/));
  await proves('[LIC-007] has the indemnity', () => dialog.getByText(/cap on indemnity under this section is TBD/));
  await proves('[LIC-008] can be accepted', () => dialog.getByRole('button', { name: 'Agree' }));
  await proves('[LIC-009] can be rejected', () => dialog.getByRole('button', { name: 'Cancel' }));
});

it.each([
  ['[PERM-024]', permission('Blocks', 'view')],
  ['[PERM-025]', permission('Devices', 'view')],
  ['[PERM-026]', permission('PendingDevices', 'edit')],
  ['[PERM-027]', permission('Tokens', 'edit')],
])('%s the picker shows with %s alone', async (_id, need) => {
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

it('says that the tenant is disabled, rather than that nothing was granted', async () => {
  const disabled = refused(403, 'The tenant Alder is disabled.');
  await renderApp('/workunitsv2', { 'GET /v1/permissions': disabled, currentUser: disabled });
  await screen.findByText('The tenant Alder is disabled.');
  expect(screen.queryByText(/Nothing has been granted/)).toBeNull();
});

it('[ERR-016] a 403 on any other call shows the toast', async () => {
  await renderApp('/workunitsv2', { 'GET /v1/workUnits': refused(403, 'No.') });
  expect(await screen.findByText('You do not have access to one or more requested resources')).toBeTruthy();
});

it('an unknown address shows the 404 page', async () => {
  for (const address of ['/nowhere', `/${tenantId}/nowhere`]) {
    const { unmount } = await renderApp(address);
    await proves('[SHELL-041] [SHELL-042] says that nothing is there', () => screen.findAllByText('Page Not Found'));
    await proves('[SHELL-043] leads home', () => screen.getByRole('link', { name: 'Go Back Home' }));
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

it('the home page welcomes by name and shows the licence banner', async () => {
  await renderApp(`/${tenantId}`, {
    'GET /api/generalLookup/environment': {
      environmentColor: null,
      environmentName: 'Production',
      licenseExpiration: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    },
    'GET /v1/workUnits': list([]),
  });
  await proves('[LIC-010] has the banner', () => screen.findByText('Your license expires in 5 day(s)'));
  await proves('[SHELL-036] is the home page', () => screen.findByText('Welcome, Mara Okafor'));
});

it.each([
  ['a menu', () => fireEvent.click(screen.getByTitle('Profile')), 'menu'],
  ['a dialog', () => fireEvent.keyDown(document.body, { key: '?' }), 'dialog'],
  ['a question', () => void confirm({ title: 'Delete it?', text: 'It is gone then.' }), 'dialog'],
])('%s over a page closes when the person goes back', async (_what, show, role) => {
  const { router } = await renderApp(`/${tenantId}/locations`);
  await screen.findByRole('banner');
  await act(() => router.navigate(`/${tenantId}/audit`));
  show();
  await screen.findByRole(role);
  await act(() => router.navigate(-1));
  await waitFor(() => expect(screen.queryByRole(role)).toBeNull());
  expect(router.state.location.pathname).toBe(`/${tenantId}/locations`);
});
