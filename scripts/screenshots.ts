/** `npm run screenshots`: writes a screenshot of every screen and state, in both themes at three widths, into a folder. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { seedScreens } from '../e2e/screen-world.ts';
import { screens, themes, widths } from '../e2e/screens.ts';
import { tourSignIn } from '../e2e/sign-in-tour.ts';
import { showTheme, visit } from '../e2e/visit.ts';
import { setFirstPassword, signIn, startWorld } from '../e2e/world.ts';
import { buildPortal } from './build-portal.mjs';
import { chromiumPath, ensureChromium } from './chromium.mjs';

const usage = `Usage: npm run screenshots -- [screen ...] [--out FOLDER]

Screens: ${screens.map(({ name }) => name).join(', ')}, sign-in; all when none is given. FOLDER is screenshots when left out.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'screenshots' }, help: { type: 'boolean', short: 'h' } },
});
const folder = resolve(values.out);
const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
const unknown = positionals.filter((name) => name !== 'sign-in' && !screens.some((screen) => screen.name === name));

/** Writes the screenshots. Returns their number, and the screens that did not load completely. */
async function takePictures(): Promise<{ written: number; broken: string[] }> {
  const world = await startWorld({ agent: true, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const broken: string[] = [];
  let written = 0;
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await setFirstPassword(page, world);
    await signIn(page, world);
    await page.waitForURL(/\/[0-9a-f-]{36}$/);
    const places = await seedScreens(world, new URL(page.url()).pathname);
    mkdirSync(folder, { recursive: true });
    for (const screen of screens.filter(({ name }) => isWanted(name))) {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        try {
          await visit(page, world.url, places, screen);
        } catch (error) {
          broken.push(`${screen.name} at ${width}: ${messageOf(error).split('\n')[0]}`);
        }
        for (const theme of themes) {
          await showTheme(page, theme);
          await page.screenshot({ path: join(folder, `${screen.name}-${width}-${theme}.png`) });
          written += 1;
        }
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
      console.log(screen.name);
    }
    if (isWanted('sign-in'))
      await tourSignIn(browser, world.url, async (visitor, name, theme, width) => {
        await visitor.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
        written += 1;
      });
  } finally {
    await browser.close();
    await world.remove();
  }
  return { written, broken };
}

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no screen ${unknown.join(', ')}.\n`);
  console.log(usage);
  process.exitCode = values.help ? 0 : 1;
} else {
  const missing = buildPortal() ?? ensureChromium();
  if (missing === undefined) {
    const { written, broken } = await takePictures();
    console.log(`${written} pictures in ${folder}`);
    for (const one of broken) console.error(`NOT COMPLETE: ${one}`);
    process.exitCode = broken.length > 0 ? 1 : 0;
  } else {
    console.error(missing);
    process.exitCode = 1;
  }
}
