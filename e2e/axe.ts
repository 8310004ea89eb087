/** What axe finds on a page: WCAG 2.2 AA and best practice. */
import type { Page } from '@playwright/test';
import axe from 'axe-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Each finding as its rule with the places where it is broken; of one rule only where named. */
export async function axeFindings(page: Page, rule?: string): Promise<string[]> {
  // Reading the source takes longer than most runs: once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async (runOnly) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, { runOnly, resultTypes: ['violations'] });
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
