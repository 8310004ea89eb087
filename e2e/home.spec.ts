/** Home: what to do now, by keys, of all tenants and of one. */
import { expect, test, type Page } from '@playwright/test';
import type { Api } from './panel-world.ts';
import { tokenApi } from './screen-world.ts';
import { signInBeforeAll, type World } from './world.ts';

let world: World;
let page: Page;
let tenantId = '';
let api: Api;

test.describe.configure({ mode: 'serial' });

signInBeforeAll((session) => {
  ({ world, page } = session);
  api = tokenApi(world, '--all-tenants');
  tenantId = new URL(page.url()).pathname.slice(1);
});

test('new units arrive by themselves, are acknowledged and resolved by keys, and nothing waits', async () => {
  await page.goto(`${world.url}/${tenantId}`);
  const list = page.getByRole('region', { name: 'Do now' });
  await expect(list.getByText('Nothing waits for you')).toBeVisible();
  const unit = { severityId: 'Sev3', workUnitTypeId: 1, tenantId };
  const { workUnitId } = await api('PUT', '/v1/workunits', { ...unit, title: 'Gate 2 is open' });
  await api('PUT', '/v1/workunits', { ...unit, title: 'Pump 4 is on fire', severityId: 'Sev1' });
  const links = list.locator('a.do-now-title');
  await expect(links).toHaveText([/Pump 4 is on fire/, /Gate 2 is open/]);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(links.nth(1)).toBeFocused();
  await page.keyboard.press('a');
  await expect(list.getByRole('listitem').filter({ hasText: 'Gate 2 is open' })).toContainText('Assigned to me');
  expect((await api('GET', `/v1/workunits(${String(workUnitId)})`, undefined))['stateId']).toBe('Acknowledged');
  await links.nth(1).focus();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByRole('textbox').fill('Closed by hand.');
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
  await expect(links).toHaveText([/Pump 4 is on fire/]);
  await links.first().focus();
  await page.keyboard.press('Enter');
  // It opens beside the list.
  await expect(page).toHaveURL(new RegExp(`/${tenantId}\\?workUnitId=\\d+$`));
  await expect(page.getByRole('dialog', { name: /Pump 4 is on fire/ })).toBeVisible();
  await expect(links.first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(links.first()).toBeFocused();
});

test('says of which tenants it is, and shows another tenant only then', async () => {
  const { tenantId: otherId } = await api('PUT', '/v1/tenants', { name: 'Alder Water' });
  await api('PUT', '/v1/workunits', { severityId: 'Sev2', workUnitTypeId: 1, tenantId: otherId, title: 'Mains leak' });
  await page.goto(`${world.url}/${tenantId}`);
  const list = page.getByRole('region', { name: 'Do now' });
  await expect(list.getByRole('listitem').filter({ hasText: 'Mains leak' })).toContainText('Alder Water');
  await list.getByRole('combobox', { name: 'Tenants' }).selectOption('one');
  await expect(list.getByText('Mains leak')).toBeHidden();
  await expect(list.getByText('Pump 4 is on fire')).toBeVisible();
  await page.reload();
  await expect(list.getByText('Mains leak')).toBeHidden();
});
