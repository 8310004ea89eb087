/** Tests the administration screens against a real server: tenants, tokens and their revocation, promotion of devices. */
import { expect, test, type Page } from '@playwright/test';
import { signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let home = '';
let token = '';

signInBeforeAll((session) => {
  ({ world, page } = session);
  home = page.url();
});

const register = (machineName: string) =>
  fetch(`${world.url}/v1/agent/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      machineKey: crypto.randomUUID(),
      machineName,
      operatingSystem: 'Debian 12',
      architecture: 'x64',
      agentVersion: '1.0.0',
    }),
  });
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
const toast = (text: string) => expect(page.locator('.toasts').getByText(text)).toBeVisible();

test('a tenant is created with a field of its own, a secret and a subscription', async () => {
  await page.goto(`${home}/tenants`);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const creating = dialog('Create Tenant');
  await creating.getByLabel('Name').fill('Southwind Water');
  await creating.getByRole('tab', { name: 'Additional Fields' }).click();
  await creating.getByRole('button', { name: 'Add field' }).click();
  await creating.getByLabel('Name').filter({ visible: true }).fill('Shift');
  await creating.getByLabel('Type').selectOption('Dropdown');
  await creating.getByLabel('Options').fill('Day, Night');
  await creating.getByRole('button', { name: 'Create', exact: true }).click();
  await toast('Tenant created.');

  await page.getByRole('link', { name: 'Southwind Water' }).click();
  const editing = dialog('Edit Tenant: Southwind Water');
  await test.step('[TEN-004] has its parts in tabs', async () => {
    await editing.getByRole('tab', { name: 'Additional Fields' }).click();
    await expect(editing.getByLabel('Options')).toHaveValue('Day, Night');
    await editing.getByRole('tab', { name: 'Secrets' }).click();
  });
  await editing.getByLabel('Name').filter({ visible: true }).fill('mail.key');
  await editing.getByLabel('Value').fill('violet tractor');
  await editing.getByRole('button', { name: 'Add secret' }).click();
  await editing.getByRole('button', { name: 'Show mail.key' }).click();
  await expect(editing.getByText('violet tractor')).toBeVisible();
  await editing.getByRole('button', { name: 'Change mail.key' }).click();
  await editing.getByRole('textbox', { name: 'New value of mail.key' }).fill('marzipan');
  await editing.getByRole('button', { name: 'Save secret' }).click();
  await expect(editing.getByText('Version 2')).toBeVisible();
  await expect(editing.getByText('violet tractor')).toBeHidden();

  await editing.getByRole('tab', { name: 'Details' }).click();
  await editing.getByRole('button', { name: 'Subscriptions' }).click();
  const panel = dialog('Subscriptions: Southwind Water');
  await panel.getByRole('button', { name: 'Create Subscription' }).click();
  await test.step('[SUB-001] has a panel for each subscription', async () => {
    await dialog('Create Subscription').getByLabel('Name').fill('Pumping stations');
    await dialog('Create Subscription').getByRole('button', { name: 'Create', exact: true }).click();
  });
  await test.step('[TEN-005] lists the subscriptions', () =>
    expect(panel.getByRole('button', { name: 'Pumping stations', exact: true })).toBeVisible());
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: '1 Subscriptions of Southwind Water' })).toBeVisible();
});

test('a new token is shown once, with the focus on it, and works', async () => {
  await page.goto(`${home}/tokens?id=new`);
  const creating = dialog('Create Token');
  await creating.getByLabel('Name').fill('Plant 7');
  await creating.getByLabel('Lifetime').selectOption('1 year');
  await creating.getByRole('button', { name: 'Create', exact: true }).click();
  const shown = page.getByRole('region', { name: 'The token Plant 7 is ready' });
  await expect(shown).toBeFocused();
  await test.step('[TOK-008] has a button that copies it', () =>
    expect(shown.getByRole('button', { name: 'Copy Generated token' })).toBeVisible());
  token = (await shown.locator('code').textContent()) ?? '';
  for (const name of ['plc-1', 'plc-2', 'plc-3']) expect((await register(name)).status).toBe(200);
  await test.step('[TOK-007] is not shown again', async () => {
    await page.reload();
    await expect(page.getByRole('link', { name: 'Plant 7' })).toBeVisible();
    await expect(page.getByText(token)).toBeHidden();
  });
});

test('machines that wait become devices of the current subscription, or go for good', async () => {
  await page.goto(`${home}/pendingdevices`);
  await test.step('[PEND-023] hides the inactive ones', async () => {
    await page.getByRole('button', { name: 'Hide Inactive Devices' }).click();
    await expect(page.getByRole('button', { name: 'Show Inactive Devices' })).toBeVisible();
  });
  for (const name of ['plc-1', 'plc-2']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Promote' }).click();
  await dialog('Promote 2 devices to Default').getByRole('button', { name: 'Promote' }).click();
  await toast('2 devices were promoted.');
  await expect(page.getByRole('link', { name: 'plc-1' })).toBeHidden();
  await page.getByRole('checkbox', { name: 'Select plc-3' }).check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog('Delete 1 device').getByRole('button', { name: 'Delete' }).click();
  await toast('1 pending device was deleted.');
  await test.step('[PEND-014] deletes for good', () => expect(page.getByRole('link', { name: 'plc-3' })).toBeHidden());
  await page.goto(`${home}/devices`);
  await test.step('[PEND-011] has them as devices', async () => {
    for (const name of ['plc-1', 'plc-2']) await expect(page.getByRole('link', { name })).toBeVisible();
  });
});

test('[TOK-006] [TOK-015] a revoked token is Revoked, and dead at once', async () => {
  await page.goto(`${home}/tokens`);
  await page.getByRole('button', { name: 'Actions for Plant 7' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await dialog('Revoke token').getByRole('button', { name: 'Revoke' }).click();
  await toast('Plant 7 is revoked.');
  await expect(page.getByRole('row', { name: /Plant 7/ }).getByText('Revoked')).toBeVisible();
  await expect.poll(async () => (await register('plc-9')).status).toBe(401);
});
