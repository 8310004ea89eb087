/** The pages without sign-in, for the accessibility tests and for `npm run screenshots`. */
import type { Browser, Page } from '@playwright/test';
import { themes, widths } from './screens.ts';

/** Visits the pages without sign-in (login screen, provider's page, status page) in both themes at all widths, or those that `isVisited`. */
export async function tourSignIn(
  browser: Browser,
  url: string,
  look: (page: Page, name: string, theme: (typeof themes)[number], width: number) => Promise<void>,
  isVisited: (theme: (typeof themes)[number], width: number) => boolean = () => true,
): Promise<void> {
  for (const theme of themes) {
    const visited = widths.filter((width) => isVisited(theme, width));
    const context = await browser.newContext({ colorScheme: theme });
    const visitor = await context.newPage();
    for (const width of visited) {
      await visitor.setViewportSize({ width, height: 844 });
      for (const name of ['login', 'provider']) {
        await visitor.goto(`${url}/user/login`);
        await visitor.getByRole('button', { name: 'Login' }).waitFor();
        if (name === 'provider') {
          await visitor.getByRole('button', { name: 'Login' }).click();
          await visitor.getByLabel('User name').waitFor();
        }
        await look(visitor, name, theme, width);
      }
      await visitor.goto(`${url}/status/screens`);
      await visitor.getByText('Mail moves to the second site.').waitFor();
      await look(visitor, 'status', theme, width);
    }
    await context.close();
    const german = await (await browser.newContext({ colorScheme: theme, locale: 'de-DE' })).newPage();
    for (const width of visited) {
      await german.setViewportSize({ width, height: 844 });
      // The account page leads to the sign-in.
      await german.goto(`${url}/idp/account`);
      await german.getByLabel('Benutzername').waitFor();
      await look(german, 'provider-german', theme, width);
      await german.goto(`${url}/status/screens`);
      await german.getByRole('heading', { name: 'Komponenten' }).waitFor();
      await look(german, 'status-german', theme, width);
    }
    await german.context().close();
  }
}
