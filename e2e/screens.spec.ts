/** Every screen in both themes at three widths: no finding of axe, and a picture of each to look at. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

const pictures = join(import.meta.dirname, '../test-results/screens');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const widths = [1440, 1024, 390];
const themes = ['light', 'dark'] as const;

interface Screen {
  name: string;
  /** Without the origin; `{home}` is the tenant's home page, `{unit}` and `{device}` are ids. */
  path: string;
  /** Visible when the screen is complete. */
  shows: string;
  /** What a person does there before the picture. */
  act?: (page: Page) => Promise<unknown>;
}

const screens: readonly Screen[] = [
  { name: 'home', path: '{home}', shows: 'Open work units by severity' },
  { name: 'work-units', path: '{home}/workunitsv2', shows: 'Pump 4 does not answer' },
  { name: 'work-units-none', path: '{home}/workunitsv2?search=nothing-has-this-name', shows: 'No work units match' },
  { name: 'work-unit', path: '{home}/workunitsv2?workUnitId={unit}', shows: 'Vacuum pump runs again.' },
  { name: 'work-unit-properties', path: '{home}/workunitsv2?workUnitId={unit}&tab=properties', shows: 'Work Unit Properties' },
  { name: 'work-unit-related', path: '{home}/workunitsv2?workUnitId={unit}&tab=related', shows: 'Nothing is linked to this work unit.' },
  { name: 'work-unit-create', path: '{home}/workunitsv2?workUnitId=new&type=1', shows: 'Create Work Unit' },
  {
    name: 'work-unit-wrong',
    path: '{home}/workunitsv2?workUnitId=new&type=1',
    shows: 'Please enter the title',
    act: (page) =>
      page
        .locator('.side-panel .foot')
        .getByRole('button', { name: /Create|Save/ })
        .click(),
  },
  { name: 'devices', path: '{home}/devices', shows: hostname() },
  { name: 'device', path: '{home}/devices?id={device}', shows: 'Last packet' },
  { name: 'rules', path: '{home}/rules', shows: 'CPU over 90 % three times in a row' },
  { name: 'locations', path: '{home}/locations', shows: 'Plant 7' },
  { name: 'location-create', path: '{home}/locations?id=new', shows: 'Coordinates' },
  {
    name: 'filter',
    path: '{home}/workunitsv2',
    shows: 'Assignment Group',
    act: (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  },
  { name: 'profile-menu', path: '{home}', shows: 'Log out', act: (page) => page.getByTitle('Profile').click() },
  {
    name: 'settings',
    path: '{home}',
    shows: 'Appearance',
    act: async (page) => {
      await page.getByTitle('Profile').click();
      await page.getByRole('menuitem', { name: 'Settings' }).click();
    },
  },
  { name: 'keys', path: '{home}', shows: 'Focus the search', act: (page) => page.keyboard.press('?') },
  { name: 'not-found', path: '{home}/nothing-here', shows: 'Go Back Home' },
  { name: 'access-denied', path: '/user/accessDenied', shows: 'Please contact your system administrator for access.' },
];

let world: World;
let page: Page;
const places: Record<string, string> = {};

showOutputOnFailure(() => world);

interface Api {
  (method: string, path: string, body: unknown): Promise<Record<string, unknown>>;
}

async function api(): Promise<Api> {
  const { token } = world.admin(['token', 'add', '--name', 'Screens', '--tenant', 'My organisation', '--set', 'Administrator']);
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
    const answer = await fetch(`${world.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    expect([path, answer.status < 300]).toEqual([path, true]);
    return (await answer.json()) as Record<string, unknown>;
  };
}

/** Something to see on every screen. */
async function furnish(): Promise<void> {
  const call = await api();
  const [tenant] = (await call('GET', '/v1/tenants', undefined))['value'] as { tenantId: string }[];
  const tenantId = tenant?.tenantId ?? '';
  await call('PUT', '/v1/locations', { name: 'Plant 7', city: 'Lynchburg', state: 'VA', tenantId });
  for (const [index, title] of [
    'Door 2 is open',
    'Backup is late',
    'Disk of the historian is nearly full',
    'Certificate ends in 9 days',
    'Printer is offline',
  ].entries()) {
    await call('PUT', '/v1/workunits', { title, severityId: `Sev${index}`, workUnitTypeId: 1 + (index % 4 === 1 ? 2 : 0), tenantId });
  }
  const unit = await call('PUT', '/v1/workunits', {
    title: 'Pump 4 does not answer',
    description: 'Since the last shift.',
    severityId: 'Sev1',
    workUnitTypeId: 1,
    tenantId,
  });
  places['unit'] = String(unit['workUnitId']);
  await call('POST', `/v1/workunits/${places['unit']}`, { severityId: 'Sev0' });
  await call('PUT', '/v1/workunitnotes', { workUnitId: unit['workUnitId'], detail: 'Vacuum pump runs again.' });
  await expect
    .poll(
      async () => {
        const [device] = (await call('GET', '/v1/devices', undefined))['value'] as { deviceId: string }[];
        return (places['device'] = device?.deviceId ?? '');
      },
      { timeout: 15_000 },
    )
    .not.toBe('');
}

test.beforeAll(async ({ browser }) => {
  world = await startWorld({ agent: true });
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
  await setFirstPassword(page, world);
  await signIn(page, world);
  await expect(page).toHaveURL(/\/[0-9a-f-]{36}$/);
  places['home'] = new URL(page.url()).pathname;
  await furnish();
});

test.afterAll(async () => {
  await page.context().close();
  await world.remove();
});

/** What axe finds, and whether the page is wider than the window. In the second theme only the colours are new. */
async function findingsOf(on: Page, what: string, theme: (typeof themes)[number]): Promise<string[]> {
  // There are no frames to look into.
  const axe = new AxeBuilder({ page: on }).setLegacyMode();
  const { violations } = await (theme === 'light' ? axe.withTags(tags) : axe.withRules(['color-contrast'])).analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${what}: ${id} at ${nodes
        .map(({ target }) => target.join(' '))
        .slice(0, 3)
        .join(', ')}`,
  );
  const overflow = await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return overflow > 0 ? [...found, `${what}: ${overflow} px wider than the window`] : found;
}

for (const screen of screens) {
  test(`${screen.name} is without a finding`, async () => {
    const address = world.url + screen.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? '');
    const found: string[] = [];
    await page.evaluate(() => localStorage.setItem('cloudfit.theme', 'light'));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(address);
      await page.getByRole('heading').first().waitFor();
      await screen.act?.(page);
      await expect(page.getByText(screen.shows).filter({ visible: true }).first()).toBeVisible();
      for (const theme of themes) {
        await page.evaluate((mode) => (document.documentElement.dataset['theme'] = mode), theme);
        await page.screenshot({ path: join(pictures, `${screen.name}-${width}-${theme}.png`) });
        found.push(...(await findingsOf(page, `${theme} ${width}`, theme)));
      }
    }
    expect(found).toEqual([]);
  });
}

test('the sign-in pages are without a finding', async ({ browser }) => {
  const found: string[] = [];
  for (const theme of themes) {
    const context = await browser.newContext({ colorScheme: theme });
    const visitor = await context.newPage();
    for (const width of widths) {
      await visitor.setViewportSize({ width, height: 844 });
      for (const name of ['login', 'provider'] as const) {
        await visitor.goto(`${world.url}/user/login`);
        await visitor.getByRole('button', { name: 'Login' }).waitFor();
        if (name === 'provider') {
          await visitor.getByRole('button', { name: 'Login' }).click();
          await visitor.getByLabel('User name').waitFor();
        }
        await visitor.screenshot({ path: join(pictures, `${name}-${width}-${theme}.png`) });
        found.push(...(await findingsOf(visitor, `${name} ${theme} ${width}`, theme)));
      }
    }
    await context.close();
  }
  expect(found).toEqual([]);
});
