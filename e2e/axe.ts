/** Runs axe on a page: WCAG 2.2 AA and best practices. */
import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { isLong } from '../contract/src/testing/runs.ts';

/** Whether the tests visit a width in a theme: each width in one, because themes differ in colours alone, or in both in `npm run test:long`. */
export const isVisited = (theme: 'light' | 'dark', width: number): boolean => isLong || (theme === 'dark') === (width === 390);

/** Whether axe looks at a visited layout: at the wide and at the narrow layout, or at all in `npm run test:long`. */
export const looksAt = (theme: 'light' | 'dark', width: number): boolean => isLong || (isVisited(theme, width) && width !== 1024);

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Runs the rules, without the elements that `except` selects. Returns each finding as the rule and the elements that break it. */
export async function axeFindings(page: Page, except: readonly string[] = []): Promise<string[]> {
  // Injecting axe takes longer than most runs, so each document gets it once.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const injected = await page.evaluateHandle<typeof axe>('axe');
  return injected.evaluate(
    async (inPage, { except, tags }) => {
      // Axe would report too low a contrast for elements that are still fading in. Animations driven by scrolling never finish.
      const finite = document
        .getAnimations()
        .filter(({ effect, timeline }) => timeline === document.timeline && effect?.getComputedTiming().iterations !== Infinity);
      await Promise.allSettled(finite.map(({ finished }) => finished));
      const { violations } = await inPage.run({ exclude: except }, { runOnly: tags, resultTypes: ['violations'] });
      return violations.map(
        ({ id, nodes }) =>
          `${id} at ${nodes
            .slice(0, 3)
            .map(({ target }) => target.join(' '))
            .join(', ')}`,
      );
    },
    { except: except.map((selector) => [selector]), tags },
  );
}
