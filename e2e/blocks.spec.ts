/** Tests the block board, a rule's matches and a dashboard against a real server: sizes, live values, creation and changes. */
import { expect, test, type Page } from '@playwright/test';
import { seedBlocks } from './block-world.ts';
import { apiOf, type Api } from './panel-world.ts';
import { administratorToken, signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let home = '';
let call: Api;
let places: Awaited<ReturnType<typeof seedBlocks>>;

signInBeforeAll(async (session) => {
  ({ world, page, home } = session);
  const token = administratorToken(world);
  call = apiOf(world.url, token);
  places = await seedBlocks(call, home.slice(1));
});

const tile = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });

test('[BLK-003] a card is 220 by 220, on a phone too', async () => {
  await page.goto(`${world.url}${home}/blocks`);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const name of ['Furnace temperature', 'Release', 'Not connected yet']) {
      const box = await tile(name).boundingBox();
      expect([name, box?.width, box?.height]).toEqual([name, 220, 220]);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('[BLK-001] a value that is posted shows on its card by itself', async () => {
  await expect(tile('Furnace temperature').getByText('94')).toBeVisible();
  await call('POST', `/v1/blocks/${places.block}/value`, { value: 71.5 });
  await expect(tile('Furnace temperature').getByText('71.5')).toBeVisible();
});

test('a block is made, found by name, renamed by keyboard and deleted', async () => {
  await page.keyboard.press('c');
  const form = page.getByRole('dialog', { name: 'Create Block' });
  await form.getByLabel('Name').fill('Lifts');
  await form.getByLabel('Type').selectOption('numeric');
  await form.getByRole('radio', { name: 'Grey' }).press('ArrowRight');
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(tile('Lifts').getByText('Orange')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('lif');
  await expect(page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) })).toHaveCount(1);
  await page.getByRole('link', { name: 'Lifts' }).focus();
  await page.keyboard.press('Enter');
  const editing = page.getByRole('dialog', { name: 'Edit Block: Lifts' });
  await editing.getByLabel('Name').fill('Lifts of tower B');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Unsaved changes' }).getByRole('button', { name: 'No' }).click();
  await editing.getByRole('button', { name: 'Save' }).click();
  await expect(editing).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for Lifts of tower B' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete Block' }).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Block deleted successfully.')).toBeVisible();
  await expect(page.getByText('No blocks found')).toBeVisible();
});

test('[MATCH-003] the matches of a rule take three quarters of the window, and all of a small one', async () => {
  await page.goto(`${world.url}${home}/rules?matchesOf=${places.blockRule}`);
  const panel = page.getByRole('dialog', { name: 'Rule Matches: Furnace over 90' });
  const width = async () => (await panel.boundingBox())?.width;
  await expect.poll(width).toBe(1080);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(width).toBe(390);
  await page.setViewportSize({ width: 1440, height: 900 });
  await panel.getByRole('button', { name: 'Action history of Furnace over 90: Furnace temperature' }).click();
  await panel.getByText('Create Work Unit').click();
  await expect(panel.getByText('"SeverityId": "Sev2"')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
});

test('a dashboard is made in one click, arranged by pointer and by keyboard, and stays on a wall that is cut off', async () => {
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  await page.goto(`${world.url}${home}/dashboards`);
  await page.getByRole('button', { name: 'New dashboard' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Wall');
  await page.getByRole('button', { name: 'Add tile' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Open rule matches' }).press('Enter');
  const handle = (name: string) => page.getByRole('button', { name: `Move ${name}: arrow keys` });
  const top = async (name: string) => (await region(name).last().boundingBox())?.y ?? 0;
  await expect(handle('Open rule matches')).toHaveCount(2);
  // Each key press moves the tile into the place of the tile above it.
  await expect(async () => {
    await handle('Open rule matches').last().press('ArrowUp');
    expect(await top('Open rule matches')).toBeLessThan(await top('Devices by state'));
  }).toPass();
  const [from, to] = [await handle('Open work units').boundingBox(), await region('Open rule matches').first().boundingBox()];
  const before = await region('Open work units').boundingBox();
  await page.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 10);
  await page.mouse.down();
  await page.mouse.move((to?.x ?? 0) + 30, (to?.y ?? 0) + 20, { steps: 10 });
  await page.mouse.up();
  await expect.poll(async () => (await region('Open work units').boundingBox())?.x).not.toBe(before?.x);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Wall' })).toBeVisible();
  await page.getByRole('link', { name: 'Kiosk' }).click();
  await expect(region('Devices by state').getByText('Reporting')).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await page.context().setOffline(true);
  await expect(page.getByText(/^No connection\. What you see is .+ old\.$/)).toBeVisible();
  await expect(region('Devices by state').getByText('Reporting')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 60_000 });
});
