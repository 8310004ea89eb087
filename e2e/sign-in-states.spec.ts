/** Tests the messages during a sign-in and after a failed one. */
import { expect, test, type Page, type Route } from '@playwright/test';
import { administrator, setFirstPassword, showOutputOnFailure, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;

showOutputOnFailure(() => world);

test.beforeAll(async ({ browser }) => {
  world = await startWorld();
  page = await browser.newPage();
  await setFirstPassword(page, world);
});

test.afterAll(async () => {
  await page?.context().close();
  await world?.remove();
});

/** Runs `act`, and holds its request to the address until `look` has checked the page. */
async function whileWaitingFor(address: string, act: () => Promise<unknown>, look: () => Promise<unknown>): Promise<void> {
  let release = (): void => undefined;
  const looked = new Promise<void>((done) => (release = done));
  const hold = async (route: Route) => {
    await looked;
    await route.continue();
  };
  await page.route(address, hold);
  const acting = act();
  try {
    await look();
  } finally {
    release();
    await acting;
    await page.unroute(address, hold);
  }
}

const says = (text: string) => () => expect(page.getByRole('status').filter({ hasText: text })).toHaveText(text);
const login = () => page.getByRole('button', { name: 'Login' });

async function fillIn(): Promise<void> {
  await page.getByLabel('User name').fill(administrator.userName);
  await page.getByLabel('Password').fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('[AUTH-008] says Loading... until it knows who signs people in', async () => {
  await whileWaitingFor('**/oidcclientconfig', () => page.goto(`${world.url}/user/login`), says('Loading...'));
  await expect(login()).toBeVisible();
});

test('[AUTH-017] only logs that the configuration of the sign-in could not be fetched', async () => {
  const logged: string[] = [];
  page.on('console', (message) => message.type() === 'error' && logged.push(message.text()));
  const uncaught: Error[] = [];
  page.on('pageerror', (error) => uncaught.push(error));
  await page.route('**/oidcclientconfig', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto(`${world.url}/user/login`);
  await expect(login()).toBeVisible();
  expect(logged.some((text) => text.startsWith('The sign-in configuration could not be read.'))).toBe(true);
  expect(uncaught).toEqual([]);
  await page.unroute('**/oidcclientconfig');
});

test('[AUTH-005] says Redirecting to login page... on the way to the provider', async () => {
  await page.goto(`${world.url}/user/login`);
  await whileWaitingFor('**/.well-known/openid-configuration', () => login().click(), says('Redirecting to login page...'));
  await expect(page.getByLabel('User name')).toBeVisible();
});

test('[AUTH-016] shows the login screen when the sign-in does not complete', async () => {
  await page.route('**/idp/token', (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
  await fillIn();
  await expect(page).toHaveURL((url) => url.pathname === '/user/login');
  await expect(page.getByRole('alert')).toHaveText('The sign-in did not complete. Please try again.');
  await expect(login()).toBeVisible();
  await page.unroute('**/idp/token');
});

test('[AUTH-006] says Signing in on the way back', async () => {
  // The browser has a session at the provider, so it needs no password.
  await whileWaitingFor('**/idp/token', () => login().click(), says('Signing in'));
  await expect(page.getByTitle('Profile')).toBeVisible();
});

test('[AUTH-007] says Signing out until the provider has answered', async () => {
  const press = async () => {
    await page.getByTitle('Profile').click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
  };
  await whileWaitingFor('**/idp/token/revocation', press, says('Signing out'));
  await expect(login()).toBeVisible();
});

test('[AUTH-015] has a login screen under the address of a tenant too', async () => {
  await page.goto(`${world.url}/01a1fd74-d638-76cb-aaf9-89b89b465ade/user/login`);
  await login().click();
  await fillIn();
  await expect(page.getByTitle('Profile')).toBeVisible();
  await page.getByTitle('Profile').click();
  await page.getByRole('menuitem', { name: 'Password and passkeys' }).click();
  await expect(page.getByRole('heading', { name: 'Your sign-in' })).toBeVisible();
});

test('[AUTH-010] a session that ends while a work unit is created loses neither the text nor the way back', async () => {
  await page.goto(`${world.url}/workunitsv2`);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Incident' }).click();
  const title = page.getByRole('dialog', { name: /Create/ }).getByRole('textbox', { name: 'Title', exact: true });
  await expect(title).toBeFocused();
  await page.keyboard.type('Printer on fire');
  // The session ends as it does when an administrator ends it: the token is refused and cannot be renewed.
  await page.context().clearCookies();
  await page.evaluate(async () => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('oidc.user:'));
    const { access_token: token } = JSON.parse(localStorage.getItem(key ?? '') ?? '{}') as { access_token: string };
    await fetch('/v1/signOut', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  });
  await page
    .getByRole('dialog', { name: /Create/ })
    .getByRole('button', { name: 'Create', exact: true })
    .click();
  await expect(page.getByRole('alert')).toHaveText('Your session has ended. Sign in again: what you typed is kept in this tab.');
  await login().click();
  await fillIn();
  await expect(page.getByText(/1 unsaved change was restored, typed/)).toBeVisible();
  await expect(title).toHaveValue('Printer on fire');
});
