/** The screens of one rule. */
import type { Screen } from './screen.ts';

export const ruleScreens: readonly Screen[] = [
  {
    name: 'rule',
    path: '{home}/rules?id={blockRule}',
    shows: 'Recent matches',
    // It is counted after the rest of the screen is there.
    act: (page) =>
      page
        .getByRole('group', { name: 'Would match now' })
        .getByText(/^\d+ of \d+$/)
        .waitFor(),
  },
  { name: 'rule-conditions', path: '{home}/rules?id={blockRule}&tab=conditions', shows: 'Time limitations' },
  { name: 'rule-actions', path: '{home}/rules?id={blockRule}&tab=actions', shows: 'Severity' },
  {
    name: 'rule-backtest',
    path: '{home}/rules?id={blockRule}',
    shows: 'As written now',
    act: async (page) => {
      await page.getByRole('button', { name: 'Backtest' }).click();
      await page.getByRole('button', { name: 'Start' }).click();
    },
  },
  {
    name: 'rule-backtest-explained',
    path: '{home}/rules?id={blockRule}',
    shows: 'All values',
    act: async (page) => {
      await page.getByRole('button', { name: 'Backtest' }).click();
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.try-match > .match-line').last().click();
    },
  },
];
