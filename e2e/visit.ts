/** How the tests and `npm run screenshots` open a screen, and change its theme. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { Places } from './screen-world.ts';
import type { Screen } from './screen.ts';
import type { themes } from './screens.ts';

/** The text that shows that a screen is complete. */
export const shown = (page: Page, { shows }: Screen): Locator => page.getByText(shows).filter({ visible: true }).first();

/** Opens a screen and waits until it is complete. */
export async function visit(page: Page, url: string, places: Places, screen: Screen): Promise<void> {
  const { refuses } = screen;
  if (refuses)
    await page.route(
      ({ pathname }) => pathname.includes(refuses.path),
      (route) =>
        refuses.status
          ? route.fulfill({ status: refuses.status, json: { error: { code: 'X', message: 'Not now.', details: [] } } })
          : undefined,
    );
  await page.goto(url + screen.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? ''));
  await page.getByRole('heading').first().waitFor();
  await screen.act?.(page);
  await expect(shown(page, screen)).toBeVisible();
}

/** Simulates a change of the theme in another tab, which the page follows. */
export async function showTheme(page: Page, theme: (typeof themes)[number]): Promise<void> {
  await page.evaluate((newValue) => window.dispatchEvent(new StorageEvent('storage', { key: 'cloudfit.theme', newValue })), theme);
}
