/** Runs axe on a page: WCAG 2.2 AA and best practices. */
import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { isLong } from '../contract/src/testing/runs.ts';

/**
 * Whether axe looks at a layout: at the wide one in the light theme, and at the narrow one in the dark theme. `npm run test:long` has it
 * look at each width in both themes.
 */
export const looksAt = (theme: 'light' | 'dark', width: number): boolean => isLong || width === { light: 1440, dark: 390 }[theme];

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Runs all rules, or `rule` alone. Returns each finding as the rule and the elements that break it. */
export async function axeFindings(page: Page, rule?: string): Promise<string[]> {
  // Injecting axe takes longer than most runs, so each document gets it once.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const injected = await page.evaluateHandle<typeof axe>('axe');
  return injected.evaluate(
    async (inPage, runOnly) => {
      // Axe would report too low a contrast for elements that are still fading in. Animations driven by scrolling never finish.
      const finite = document
        .getAnimations()
        .filter(({ effect, timeline }) => timeline === document.timeline && effect?.getComputedTiming().iterations !== Infinity);
      await Promise.allSettled(finite.map(({ finished }) => finished));
      const { violations } = await inPage.run(document, { runOnly, resultTypes: ['violations'] });
      return violations.map(
        ({ id, nodes }) =>
          `${id} at ${nodes
            .slice(0, 3)
            .map(({ target }) => target.join(' '))
            .join(', ')}`,
      );
    },
    rule === undefined ? { type: 'tag' as const, values: tags } : { type: 'rule' as const, values: [rule] },
  );
}
