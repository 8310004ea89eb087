/**
 * Every screen in both themes at three widths: no finding of axe, and nothing wider than the window. The screens are shared
 * out to several spec files, so that they are looked at side by side. `npm run screenshots` takes the pictures.
 */
import { expect, test, type Page } from '@playwright/test';
import { axeFindings } from './axe.ts';
import { furnish, screens, showTheme, themes, tourSignIn, visit, widths } from './screens.ts';
import { setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

let world: World;
let page: Page;
let places: Readonly<Record<string, string>> = {};

/** What a table cell shows beyond its column, over the next cell, and times and numbers that are cut off. */
const overflowingCells = (on: Page): Promise<string[]> =>
  on.evaluate(() =>
    [...document.querySelectorAll('.table td.fits, .table td:has(> time, > .num)')]
      .filter((cell) => cell.clientWidth > 0 && cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => `a cell is wider than its column: ${cell.textContent}`),
  );

/** What axe finds, and whether something is wider than its place. In the second theme only the colours are new. */
async function findingsOf(on: Page, what: string, theme: (typeof themes)[number]): Promise<string[]> {
  const found = await axeFindings(on, theme === 'dark' ? 'color-contrast' : undefined);
  const overflow = await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) found.push(`${overflow} px wider than the window`);
  if (theme === 'light') found.push(...(await overflowingCells(on)));
  return found.map((finding) => `${what}: ${finding}`);
}

/** Call it once in a spec file: looks at every `parts`th screen, beginning with `part`; the first one looks at the sign-in pages too. */
export function lookAtScreens(part: number, parts: number): void {
  showOutputOnFailure(() => world);

  test.beforeAll(async ({ browser }) => {
    world = await startWorld({ agent: true });
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
    await setFirstPassword(page, world);
    await signIn(page, world);
    await expect(page).toHaveURL(/\/[0-9a-f-]{36}$/);
    places = await furnish(world, new URL(page.url()).pathname);
  });

  test.afterAll(async () => {
    await page.context().close();
    await world.remove();
  });

  for (const screen of screens.filter((_, n) => n % parts === part)) {
    test(`${screen.name} is without a finding`, async () => {
      const found: string[] = [];
      await page.evaluate(() => localStorage.setItem('cloudfit.theme', 'light'));
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        // Between the wide windows people drag; a phone opens the address.
        if (width !== 1024) await visit(page, world.url, places, screen);
        for (const theme of themes) {
          await showTheme(page, theme);
          found.push(...(await findingsOf(page, `${theme} ${width}`, theme)));
        }
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(found).toEqual([]);
    });
  }

  if (part === 0)
    test('the sign-in pages are without a finding', async ({ browser }) => {
      const found: string[] = [];
      await tourSignIn(browser, world.url, async (visitor, name, theme, width) => {
        found.push(...(await findingsOf(visitor, `${name} ${theme} ${width}`, theme)));
      });
      expect(found).toEqual([]);
    });
}
