/**
 * Checks every screen in both themes at three widths: no axe findings, and nothing wider than the window or its cell. Several
 * spec files share the screens, so that they run in parallel. `npm run screenshots` stores images of the same screens.
 */
import { expect, test, type Page } from '@playwright/test';
import { isLong } from '../contract/src/testing/runs.ts';
import { axeFindings } from './axe.ts';
import { seedScreens } from './screen-world.ts';
import { screens, themes, widths } from './screens.ts';
import { tourSignIn } from './sign-in-tour.ts';
import { showTheme, visit } from './visit.ts';
import { signInBeforeAll, type World } from './world.ts';

/** Between the widths with layouts of their own, so that axe looks at it only in `npm run test:long`. */
const between = 1024;

let world: World;
let page: Page;
let places: Readonly<Record<string, string>> = {};

/** Finds cells whose content overflows into the next cell, and times and numbers that are cut off. */
const overflowingCells = (on: Page): Promise<string[]> =>
  on.evaluate(() =>
    [...document.querySelectorAll('.table td.fits, .table td:has(> time, > .num)')]
      .filter((cell) => cell.clientWidth > 0 && cell.scrollWidth > cell.clientWidth + 1)
      .map((cell) => `a cell is wider than its column: ${cell.textContent}`),
  );

/** Returns the findings of axe and the overflows. In the dark theme, axe checks only the rule on contrast. */
async function findingsOf(on: Page, name: string, theme: (typeof themes)[number], width: number): Promise<string[]> {
  const what = `${name}${theme} ${width}`;
  const findings = width === between && !isLong ? [] : await axeFindings(on, theme === 'dark' ? 'color-contrast' : undefined);
  const overflow = await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) findings.push(`${overflow} px wider than the window`);
  if (theme === 'light') findings.push(...(await overflowingCells(on)));
  return findings.map((finding) => `${what}: ${finding}`);
}

/** Defines the tests of one spec file: every `parts`th screen, beginning with `part`. Part 0 also has the sign-in pages. */
export function checkScreens(part: number, parts: number): void {
  signInBeforeAll(
    async (session) => {
      ({ world, page } = session);
      places = await seedScreens(world, session.home);
    },
    { server: { agent: true }, browser: { reducedMotion: 'reduce' } },
  );

  for (const screen of screens.filter((_, n) => n % parts === part)) {
    test(`${screen.name} is without a finding`, async () => {
      const findings: string[] = [];
      await page.evaluate(() => localStorage.setItem('cloudfit.theme', 'light'));
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        // The window is resized from 1440 to 1024 without a reload; the other widths load the address.
        if (width !== between) await visit(page, world.url, places, screen);
        for (const theme of themes) {
          await showTheme(page, theme);
          findings.push(...(await findingsOf(page, '', theme, width)));
        }
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(findings).toEqual([]);
    });
  }

  if (part === 0)
    test('the sign-in pages are without a finding', async ({ browser }) => {
      const findings: string[] = [];
      await tourSignIn(browser, world.url, async (visitor, name, theme, width) => {
        findings.push(...(await findingsOf(visitor, `${name} `, theme, width)));
      });
      expect(findings).toEqual([]);
    });
}
