/** Tests the operations of a device against a real server: create, queue, live updates, secrets, copy and delete. */
import { expect, test, type Page } from '@playwright/test';
import { seedPackages } from './package-world.ts';
import { apiOf, type Api } from './panel-world.ts';
import { administratorToken, signInBeforeAll, type World } from './world.ts';

let world: World;
let page: Page;
let call: Api;
let deviceId = '';

test.describe.configure({ mode: 'serial' });

signInBeforeAll(
  async (session) => {
    ({ world, page } = session);
    const token = administratorToken(world);
    call = apiOf(world.url, token);
    const [tenant] = (await call('GET', '/v1/tenants', undefined))['value'] as { tenantId: string }[];
    const [subscription] = (await call('GET', '/v1/subscriptions', undefined))['value'] as { subscriptionId: string }[];
    const home = { tenantId: tenant?.tenantId ?? '', subscriptionId: subscription?.subscriptionId, operatingSystemId: 4 };
    await seedPackages(world, home.tenantId);
    await call('PUT', `/v1/tenants/${home.tenantId}/secrets`, { name: 'share.account', value: 'violet tractor' });
    deviceId = String((await call('PUT', '/v1/devices', { ...home, name: 'pump-7' }))['deviceId']);
    await call('PUT', '/v1/devices', { ...home, name: 'pump-8' });
    await page.goto(`${page.url()}/devices`);
  },
  { browser: { reducedMotion: 'reduce' } },
);

const panel = () => page.getByRole('dialog', { name: 'Device Operations: pump-7' });
const rowOf = (label: string) => panel().getByRole('row', { name: new RegExp(label) });
const choose = async (label: string, entry: string) => {
  await page.getByRole('button', { name: `Actions for ${label}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
};

test('an operation of the catalog is made, with a secret of the tenant, and asked for', async () => {
  await choose('pump-7', 'Operations');
  await expect(panel()).toContainText('No enabled operations');
  await panel().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Add Operation Disk space' }).click();
  const form = page.getByRole('dialog', { name: 'Create Device Operation' });
  await form.getByLabel('Label').fill('System disk');
  await form.getByLabel('Frequency').selectOption('OnDemand');
  await form.getByRole('button', { name: 'Add secured value to Account' }).click();
  await form.getByLabel('Placeholder').fill('{Account}');
  await form.getByRole('combobox', { name: 'Lookup key' }).click();
  await page.getByRole('option', { name: 'share.account' }).click();
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('Device Operation created successfully.')).toBeVisible();
  await expect(rowOf('System disk')).toContainText('No');

  await choose('System disk', 'Enqueue');
  await expect(page.getByText('The operation is disabled; enable it before you queue it.')).toBeVisible();
  await choose('System disk', 'Enable Operation');
  await expect(rowOf('System disk')).toContainText('Yes');
  await choose('System disk', 'Enqueue');
  await expect(rowOf('System disk')).toContainText('(Queued)');
  await choose('System disk', 'Operation Logs');
  await expect(page.getByRole('dialog', { name: 'Operation Logs: System disk' })).toContainText('A run was requested.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: /Operation Logs/ })).toHaveCount(0);
});

test('what it reports is shown as it comes, and a reload keeps the panel', async () => {
  const operations = await call('GET', `/v1/deviceOperations?$filter=deviceId eq ${deviceId}`, undefined);
  const [operation] = operations['value'] as { deviceOperationId: string }[];
  await call('POST', '/v1/packets', { entityId: operation?.deviceOperationId, message: { Value: 61.4 } });
  await expect(rowOf('System disk')).toContainText('61.4');
  await choose('System disk', 'Dequeue');
  await expect(rowOf('System disk')).toContainText('now');
  await page.reload();
  await expect(rowOf('System disk')).toContainText('61.4');
});

test('what was typed is kept when the server refuses, and saved when it does not', async () => {
  await page.getByRole('button', { name: 'Configure System disk' }).click();
  const form = page.getByRole('dialog', { name: 'Edit Device Operation: System disk' });
  await form.getByLabel('Path').fill('/var');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').getByRole('button', { name: 'No', exact: true }).click();
  await page.route('**/v1/deviceOperations/*', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'X', message: 'Not now.' } } }),
  );
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Not now.' })).toBeVisible();
  await page.unrouteAll();
  await expect(form.getByLabel('Path')).toHaveValue('/var');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Device Operation updated successfully.').first()).toBeVisible();
  await expect(form).toHaveCount(0);
});

test('it is copied to another device, disabled and deleted', async () => {
  await panel().getByRole('button', { name: 'Clone Operations' }).click();
  const form = page.getByRole('dialog', { name: 'Clone Device Operations: pump-7' });
  await form.getByRole('combobox', { name: 'Target device' }).click();
  await expect(form.getByRole('option')).toHaveText(['pump-8']);
  await page.getByRole('option', { name: 'pump-8' }).click();
  await form.getByRole('checkbox', { name: 'Select System disk' }).check();
  await form.getByRole('button', { name: 'Clone', exact: true }).click();
  await expect(page.getByText('Device Operations Cloned Successfully.')).toBeVisible();

  await choose('System disk', 'Disable Operation');
  await expect(page.getByText('Device Operation disabled successfully.')).toBeVisible();
  await expect(rowOf('System disk')).toContainText('No');
  await choose('System disk', 'Delete Operation');
  await page.getByRole('dialog', { name: 'Delete Operation' }).getByRole('button', { name: 'Delete' }).click();
  await expect(panel()).toContainText('No operations yet');
  await panel().getByRole('button', { name: 'Close', exact: true }).click();
  await choose('pump-8', 'Operations');
  await expect(page.getByRole('dialog', { name: 'Device Operations: pump-8' }).getByRole('row', { name: /System disk/ })).toContainText(
    'Yes',
  );
});
