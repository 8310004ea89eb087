/** `npm run doc-images`: renders the screens that the README shows, from demo data, into docs/images. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { setFirstPassword, signIn, startWorld } from '../e2e/world.ts';
import { buildPortal } from './build-portal.mjs';
import { chromiumPath, ensureChromium } from './chromium.mjs';
import { programOf } from './server/program.mjs';

const root = join(import.meta.dirname, '..');

/** The screens: `open` navigates from the tenant's home to the screen, `shows` is a text of the complete screen. */
const images: readonly { name: string; open(page: Page, home: string): Promise<void>; shows: string }[] = [
  {
    name: 'work-units',
    async open(page, home) {
      await page.goto(`${home}/workunitsv2?f=`);
      await page.getByRole('row').filter({ hasText: 'Sev1' }).first().click();
    },
    shows: 'Last updated',
  },
  {
    name: 'devices',
    async open(page, home) {
      await page.goto(`${home}/devices`);
      await page.getByText('build-01').first().click();
      await page.getByRole('link', { name: 'Open page' }).click();
    },
    shows: 'Operations',
  },
  {
    name: 'rule-backtest',
    async open(page, home) {
      await page.goto(`${home}/rules`);
      await page.getByText('CPU over 90').first().click();
      await page.getByRole('tab', { name: 'Conditions' }).click();
      await page.locator('input[value="90"]').fill('70');
      await page.getByRole('button', { name: 'Backtest' }).click();
      await page.getByRole('button', { name: 'Start' }).click();
    },
    shows: 'Difference from the saved rule',
  },
];

async function renderImages(): Promise<void> {
  const world = await startWorld({ env: { EXIT_WITH_PARENT: String(process.pid) } });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const demo = spawnSync(process.execPath, [programOf('server/src/admin/main.ts').file, 'demo', '--size', 'small'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATA_DIR: world.dataDir, PUBLIC_URL: world.url },
    });
    if (demo.status !== 0) throw new Error(`The demo data could not be written: ${demo.stderr}${demo.stdout}`);
    const page = await browser.newPage({ viewport: { width: 1440, height: 810 }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(120_000);
    await setFirstPassword(page, world);
    await signIn(page, world);
    await page.waitForURL(/\/[0-9a-f-]{36}$/);
    const home = page.url();
    for (const { name, open, shows } of images) {
      await open(page, home);
      await page.getByText(shows).first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await page.mouse.move(0, 0);
      // Waits for charts: nothing on the page shows when the canvas of a chart is complete.
      await page.waitForTimeout(1_000);
      await page.screenshot({ path: join(root, `docs/images/${name}.png`) });
      console.log(`docs/images/${name}.png`);
    }
  } finally {
    await browser.close();
    await world.remove();
  }
}

const missing = buildPortal() ?? ensureChromium();
if (missing === undefined) await renderImages();
else {
  console.error(missing);
  process.exitCode = 1;
}
