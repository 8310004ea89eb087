/** Tests the embedded provider's pages: passkeys by a virtual authenticator, the password, other sign-ins, accessibility. */
import { expect, test, type CDPSession, type Page } from '@playwright/test';
import { axeFindings, looksAt } from './axe.ts';
import { administrator, secondBrowser, setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let authenticator: { cdp: CDPSession; id: string };

showOutputOnFailure(() => world);

/** A platform authenticator that always verifies its user. */
async function plugIn(on: Page): Promise<typeof authenticator> {
  const cdp = await on.context().newCDPSession(on);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

const accountUrl = () => `${world.url}/idp/account`;
const section = (name: string) => page.getByRole('region', { name });

async function toSignInPage(on: Page): Promise<void> {
  await on.goto(`${world.url}/user/login`);
  await on.getByRole('button', { name: 'Login' }).click();
  await expect(on.getByLabel('User name')).toBeVisible();
}

async function signOut(on: Page): Promise<void> {
  await on.goto(world.url);
  await on.getByTitle('Profile').click();
  await on.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(on).toHaveURL(/\/user\/login/);
}

test.beforeAll(async ({ browser }) => {
  world = await startWorld();
  page = await (await browser.newContext({ viewport: { width: 1024, height: 900 } })).newPage();
  await setFirstPassword(page, world);
  authenticator = await plugIn(page);
});

test.afterAll(async () => {
  await page.context().close();
  await world.remove();
});

test('asks for the sign-in before it shows the account, and comes back', async () => {
  await page.goto(accountUrl());
  await expect(page).toHaveURL(/\/idp\/interaction\//);
  await page.getByLabel('User name').fill(administrator.userName);
  await page.getByLabel('Password').fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL((url) => url.pathname === '/idp/account');
  await expect(section('Where you are signed in').getByRole('listitem')).toHaveCount(1);
});

test('adds a passkey for the right password only', async () => {
  const passkeys = section('Passkeys');
  await passkeys.getByLabel('Name of the new passkey').fill('Work laptop');
  await passkeys.locator('form[data-passkey]').getByLabel('Your password').fill('not the password');
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(passkeys.getByRole('alert')).toHaveText('The present password is wrong.');
  await passkeys.locator('form[data-passkey]').getByLabel('Your password').fill(administrator.password);
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByRole('status')).toContainText('The passkey was added.');
  await expect(passkeys.getByRole('listitem')).toContainText(['Work laptop']);
  const { credentials } = await authenticator.cdp.send('WebAuthn.getCredentials', { authenticatorId: authenticator.id });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
});

test('does not make a second passkey on the same device', async () => {
  const passkeys = section('Passkeys');
  await passkeys.getByLabel('Name of the new passkey').fill('The same laptop');
  await passkeys.locator('form[data-passkey]').getByLabel('Your password').fill(administrator.password);
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(passkeys.getByRole('alert')).toHaveText('This device has a passkey of yours already.');
});

test('[AUTH-001] signs in by the passkey alone, without a name', async () => {
  // The browser has a session at the provider, so it needs no password.
  await page.goto(`${world.url}/user/login`);
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByTitle('Profile')).toBeVisible();
  await signOut(page);
  await toSignInPage(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByTitle('Profile')).toContainText('Administrator');
  await page.goto(accountUrl());
  await expect(section('Where you are signed in')).toContainText('with a passkey');
  await expect(section('Passkeys').getByRole('listitem')).toContainText('last used');
});

test('takes an answer once: what was sent before signs nobody in again', async ({ browser }) => {
  const copy = await browser.newContext();
  const thief = await copy.newPage();
  await signOut(page);
  await toSignInPage(page);
  let sent = '';
  await page.route('**/idp/interaction/*', async (route) => {
    sent ||= route.request().postData() ?? '';
    await route.continue();
  });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByTitle('Profile')).toContainText('Administrator');
  await page.unroute('**/idp/interaction/*');
  expect(sent).toContain('passkey=');

  await toSignInPage(thief);
  const answer = await thief.request.post(thief.url(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    data: sent,
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(422);
  expect(await answer.text()).toContain('This passkey is not known here.');
  await copy.close();
});

test('changes the password and thereby ends every other sign-in', async ({ browser }) => {
  const other = await secondBrowser(browser, world);
  await expect(other.page.getByTitle('Profile')).toBeVisible();
  await page.goto(accountUrl());
  await expect(section('Where you are signed in').getByRole('listitem')).toHaveCount(2);
  const password = section('Password');
  await password.getByLabel('Present password').fill('not the password');
  await password.getByLabel('New password', { exact: true }).fill('violet tractor lantern');
  await password.getByLabel('New password again').fill('violet tractor lantern');
  await password.getByRole('button', { name: 'Change password' }).click();
  await expect(password.getByRole('alert')).toHaveText('The present password is wrong.');
  await password.getByLabel('Present password').fill(administrator.password);
  await password.getByLabel('New password', { exact: true }).fill('violet tractor lantern');
  await password.getByLabel('New password again').fill('violet tractor lantern');
  await password.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('status')).toContainText('Your password was changed.');
  await expect(section('Where you are signed in').getByRole('listitem')).toHaveCount(1);

  // The other browser has an unexpired token and a session at the provider; the server refuses both.
  await other.page.reload();
  await expect(other.page).toHaveURL(/\/user\/login/);
  await other.page.getByRole('button', { name: 'Login' }).click();
  await expect(other.page.getByLabel('User name')).toBeVisible();
  await other.context.close();
  await page.goto(world.url);
  await expect(page.getByTitle('Profile')).toContainText('Administrator');
});

test('signs out everywhere else on request', async ({ browser }) => {
  const other = await secondBrowserWith(browser, 'violet tractor lantern');
  await page.goto(accountUrl());
  await section('Where you are signed in').getByRole('button', { name: 'Sign out everywhere else' }).click();
  await expect(page.getByRole('status')).toContainText('You are signed out everywhere else.');
  await other.page.reload();
  await expect(other.page).toHaveURL(/\/user\/login/);
  await other.context.close();
});

async function secondBrowserWith(browser: Parameters<typeof secondBrowser>[0], password: string) {
  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, world, { userName: administrator.userName, password });
  return { context, page: other };
}

test('can be used by keyboard alone, without a finding of axe, at three widths in both themes', async () => {
  const signedOut = await page.context().browser()?.newContext();
  if (!signedOut) throw new Error('There is no browser.');
  const anonymous = await signedOut.newPage();
  await toSignInPage(anonymous);
  await expect(anonymous.getByLabel('User name')).toBeFocused();
  const link = String(world.admin(['person', 'link', administrator.userName])['link']);
  const setPassword = await signedOut.newPage();
  await setPassword.goto(link);
  await page.goto(accountUrl());
  for (const on of [anonymous, setPassword, page])
    for (const width of [1440, 1024, 390])
      for (const colorScheme of ['light', 'dark'] as const) {
        await on.setViewportSize({ width, height: 900 });
        await on.emulateMedia({ colorScheme });
        if (looksAt(colorScheme, width)) expect(await axeFindings(on)).toEqual([]);
        expect(await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
      }
  await anonymous.keyboard.type(administrator.userName);
  await anonymous.keyboard.press('Tab');
  await anonymous.keyboard.type('a wrong password');
  await anonymous.keyboard.press('Enter');
  await expect(anonymous.getByRole('alert').filter({ visible: true })).toHaveText('The user name or the password is wrong.');
  await expect(anonymous.getByLabel('Password')).toBeFocused();
  await anonymous.keyboard.type('violet tractor lantern');
  await anonymous.keyboard.press('Enter');
  await expect(anonymous.getByTitle('Profile')).toContainText('Administrator');
  await signedOut.close();
});

test('forgets a passkey that was removed', async () => {
  await page.goto(accountUrl());
  const passkey = section('Passkeys').getByRole('listitem').filter({ hasText: 'Work laptop' });
  await passkey.getByText('Remove', { exact: true }).click();
  await passkey.getByLabel('Your password').fill('violet tractor lantern');
  await passkey.getByRole('button', { name: 'Remove this passkey' }).click();
  await expect(page.getByRole('status')).toContainText('The passkey was removed.');
  await expect(section('Passkeys').getByRole('listitem')).toHaveCount(0);
  await signOut(page);
  await toSignInPage(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('alert').filter({ visible: true })).toHaveText('This passkey is not known here. Sign in with your password.');
});
