/**
 * Checks every screen at three widths, in a wide light and a narrow dark layout by axe: no findings, and nothing wider than the
 * window or its cell. `npm run screenshots` stores images of the same screens.
 */
import { expect, test, type Page } from '@playwright/test';
import { isLong } from '../contract/src/testing/runs.ts';
import { axeFindings, isVisited, looksAt } from './axe.ts';
import { checkRightToLeft } from './right-to-left.ts';
import type { Screen } from './screen.ts';
import { seedScreens } from './screen-world.ts';
import { screens, themes, widths } from './screens.ts';
import { tourSignIn } from './sign-in-tour.ts';
import { showTheme, shown, visit } from './visit.ts';
import { signInBeforeAll, type World } from './world.ts';

// Otherwise one worker would go on alone for minutes. Each worker checks a part of the screens, on a server that it starts.
test.describe.configure({ mode: 'parallel' });

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

/** The menu is the same on every screen, so axe looks at it at home alone, or always in `npm run test:long`. */
const withoutMenu = (screen?: Screen): string[] =>
  isLong || screen === undefined || /^\{home\}($|\?)/.test(screen.path) ? [] : ['.drawer'];

/** Returns the findings of axe and the overflows. */
async function findingsOf(on: Page, name: string, theme: (typeof themes)[number], width: number, screen?: Screen): Promise<string[]> {
  const findings = looksAt(theme, width) ? await axeFindings(on, withoutMenu(screen)) : [];
  const overflow = await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) findings.push(`${overflow} px wider than the window`);
  findings.push(...(await overflowingCells(on)));
  return findings.map((finding) => `${name}${theme} ${width}: ${finding}`);
}

/**
 * Shows a screen at the narrow width, to which the window has been resized: as it is then, or loaded again, as always in
 * `npm run test:long`. What somebody has opened may close as the window becomes narrow, and what was refused is asked again.
 */
async function showNarrow(screen: Screen): Promise<void> {
  // React renders the narrow layout in the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const isAsItWas = screen.act === undefined && screen.refuses === undefined && (await shown(page, screen).isVisible());
  if (isLong || !isAsItWas) await visit(page, world.url, places, screen);
}

signInBeforeAll(
  async (session) => {
    ({ world, page } = session);
    places = await seedScreens(world, session.home);
  },
  { server: { agent: true }, browser: { reducedMotion: 'reduce' } },
);

for (const screen of screens) {
  test(`${screen.name} is without a finding`, async () => {
    const findings: string[] = [];
    await page.evaluate(() => localStorage.setItem('cloudfit.theme', 'light'));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      if (width === widths[0]) await visit(page, world.url, places, screen);
      if (width === widths.at(-1)) await showNarrow(screen);
      for (const theme of themes.filter((item) => isVisited(item, width))) {
        await showTheme(page, theme);
        findings.push(...(await findingsOf(page, '', theme, width, screen)));
      }
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(findings).toEqual([]);
  });
}

checkRightToLeft(() => ({ world, page, places }));

test('the sign-in pages are without a finding', async ({ browser }) => {
  const findings: string[] = [];
  const check = async (visitor: Page, name: string, theme: (typeof themes)[number], width: number): Promise<void> => {
    findings.push(...(await findingsOf(visitor, `${name} `, theme, width)));
  };
  await tourSignIn(browser, world.url, check, looksAt);
  expect(findings).toEqual([]);
});
