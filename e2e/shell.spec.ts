/** Tests the shell where it needs a real browser: widths, toasts, the tenant picker, the palette by keyboard, another tab. */
import { expect, test, type Page } from '@playwright/test';
import { signIn, signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let tenantId = '';
let otherTenant = '';

signInBeforeAll(
  async (session) => {
    ({ world, page } = session);
    tenantId = new URL(page.url()).pathname.slice(1);
    const token = await page.evaluate(() => {
      const key = Object.keys(localStorage).find((key) => key.startsWith('oidc.user:')) ?? '';
      return (JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token?: string }).access_token ?? '';
    });
    const put = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${world.url}${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
      expect([path, answer.status < 300]).toEqual([path, true]);
      return (await answer.json()) as Record<string, string>;
    };
    otherTenant = (await put('/v1/tenants', { name: 'Contoso Water' }))['tenantId'] ?? '';
    await put('/v1/subscriptions', { name: 'Wells', tenantId: otherTenant });
    await put('/v1/locations', { name: 'Plant 7', tenantId });
  },
  { browser: { reducedMotion: 'reduce' } },
);

const menu = () => page.getByRole('navigation', { name: 'Main menu' });
const panel = () => page.getByRole('dialog', { name: /Plant 7/ });
const boxOf = async (part: ReturnType<typeof menu>) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

test('[SHELL-045] the menu is 260 px wide, beside the page and over it', async () => {
  await page.goto(`${world.url}/${tenantId}/locations`);
  expect((await boxOf(menu())).width).toBe(260);
  await page.setViewportSize({ width: 1265, height: 900 });
  await expect(menu()).toBeHidden();
  await page.getByRole('button', { name: 'Open menu' }).click();
  expect((await boxOf(menu())).width).toBe(260);
  await page.keyboard.press('Escape');
  await expect(menu()).toBeHidden();
});

test('a side panel opens from the right, half the window wide, all of it under 768 px', async () => {
  await page.getByRole('link', { name: 'Plant 7' }).click();
  const measured = async () => {
    const box = await boxOf(panel());
    return { width: Math.round(box.width), right: Math.round(box.x + box.width) };
  };
  await test.step('[SHELL-050] touches the right edge', async () =>
    expect.poll(async () => (await measured()).right).toBe(page.viewportSize()?.width));
  const hasWidth = async (width: number, expected: number) => {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(measured).toEqual({ width: expected, right: width });
  };
  await test.step('[SHELL-051] is half the window wide', async () => {
    await hasWidth(1440, 720);
    await hasWidth(1024, 512);
  });
  await test.step('[SHELL-049] changes at 768 px', async () => {
    await hasWidth(768, 384);
    await hasWidth(767, 767);
  });
  await test.step('[SHELL-052] is as wide as the window', () => hasWidth(390, 390));
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('[SHELL-059] [SHELL-079] toasts appear at the bottom right', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await panel()
    .getByRole('button', { name: /^Copy .*ID [0-9a-f-]{36}$/ })
    .click();
  const corner = async () => {
    const box = await boxOf(page.locator('.toast'));
    return [Math.round(box.x + box.width), Math.round(box.y + box.height)];
  };
  // The toast stands right above the panel's buttons.
  const buttons = await boxOf(panel().locator('.foot'));
  await expect.poll(corner).toEqual([1440 - 16, Math.round(buttons.y - 8)]);
  await page.keyboard.press('Escape');
  await expect(panel()).toBeHidden();
});

test('[SHELL-069] [SHELL-070] switching the tenant posts the context and loads the address with the new tenant', async () => {
  await page.goto(`${world.url}/${tenantId}/locations?search=plant`);
  await page.getByRole('button', { name: /Switch tenant and subscription/ }).click();
  await page.getByRole('searchbox', { name: 'Find a tenant' }).fill('contoso');
  await page.keyboard.press('Enter');
  const posted = page.waitForRequest((request) => request.url().includes('/v1/tenantSubscriptionContext/'));
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Switch', exact: true }).click();
  expect((await posted).url()).toContain(otherTenant);
  await loaded;
  await expect(page).toHaveURL(`${world.url}/${otherTenant}/locations?search=plant`);
  await expect(page.getByRole('button', { name: /Contoso Water \/ Wells/ })).toBeVisible();
});

test('the palette leads back by keys alone, and focus returns to where it was', async () => {
  const search = page.getByRole('searchbox', { name: 'Search locations' });
  await search.focus();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Command palette' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(search).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('my organisation');
  await expect(page.getByRole('option', { name: /My organisation/, selected: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${world.url}/${tenantId}/locations?search=plant`);
});

test('signing in again in one tab brings the other one back to where it was', async () => {
  const second = await page.context().newPage();
  await second.goto(`${world.url}/${tenantId}/locations?search=plant`);
  await expect(second.getByRole('link', { name: 'Plant 7' })).toBeVisible();
  await page.getByTitle('Profile').click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible();
  await expect(second.getByText('You were signed out in another tab.')).toBeVisible();
  await signIn(page, world);
  await expect(second).toHaveURL(`${world.url}/${tenantId}/locations?search=plant`);
  await expect(second.getByRole('link', { name: 'Plant 7' })).toBeVisible();
  await second.close();
});
