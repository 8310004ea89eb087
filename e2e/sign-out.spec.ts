/** Tests token renewal and sign-out with the embedded provider: Log out ends the session in all tabs and at the provider. */
import { expect, test, type BrowserContext, type Page } from '@playwright/test';
import { administrator, setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

interface StoredSession {
  access_token: string;
  refresh_token?: string;
  expires_at: number;
}

let world: World;
let context: BrowserContext;
let page: Page;

showOutputOnFailure(() => world);

const storageKey = () => `oidc.user:${world.url}/idp:cloudfit-portal`;
const stored = async (on = page): Promise<StoredSession | undefined> => {
  const text = await on.evaluate((key) => localStorage.getItem(key), storageKey());
  return text === null ? undefined : (JSON.parse(text) as StoredSession);
};

const api = (token: string | undefined) =>
  fetch(`${world.url}/v1/permissions`, { headers: { authorization: `Bearer ${token ?? ''}` } }).then(({ status }) => status);

async function logOut(): Promise<void> {
  await page.getByTitle('Profile').click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
}

/** Expects the login screen, and that the provider requests the password again. */
async function expectSignedOut(): Promise<void> {
  await expect(page).toHaveURL((url) => url.pathname === '/user/login');
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible();
  expect(await stored()).toBeUndefined();
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByLabel('User name')).toBeVisible();
}

async function fillIn(): Promise<void> {
  await page.getByLabel('User name').fill(administrator.userName);
  await page.getByLabel('Password').fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByTitle('Profile')).toBeVisible();
}

test.beforeAll(async ({ browser }) => {
  world = await startWorld();
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  await setFirstPassword(page, world);
  await signIn(page, world);
});

test.afterAll(async () => {
  await context?.close();
  await world?.remove();
});

test('[AUTH-002] renews the sign-in silently while the page stays', async () => {
  const before = await stored();
  await page.evaluate((key) => {
    const user = JSON.parse(localStorage.getItem(key) ?? '{}') as StoredSession;
    localStorage.setItem(key, JSON.stringify({ ...user, expires_at: 1 }));
  }, storageKey());
  await page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true }).click();
  await expect.poll(async () => (await stored())?.access_token).not.toBe(before?.access_token);
  expect((await stored())?.expires_at).toBeGreaterThan(Date.now() / 1000 + 500);
  expect(await api((await stored())?.access_token)).toBe(200);
});

test('[AUTH-004] signs out in the other tab as well', async () => {
  const other = await context.newPage();
  await other.goto(world.url);
  await expect(other.getByTitle('Profile')).toBeVisible();
  const token = (await stored())?.access_token;
  await logOut();
  await expect(other).toHaveURL((url) => url.pathname === '/user/login');
  await expect.poll(() => api(token)).toBe(401);
  await other.close();
  await expectSignedOut();
  await fillIn();
});

test('[AUTH-003] revokes the access token, though it is one that the provider does not keep', async () => {
  const token = (await stored())?.access_token;
  const revocation = page.waitForResponse((response) => response.url().endsWith('/idp/token/revocation'));
  await logOut();
  const answer = await revocation;
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, expect.stringContaining('application/json')]);
  await expectSignedOut();
  expect(await api(token)).toBe(401);
  await fillIn();
});

test('[AUTH-003] revokes the refresh token too, where there is one', async ({ browser }) => {
  // `offline_access` is the scope of refresh tokens. It requires consent, which the embedded provider assumes.
  const offline = await startWorld({ env: { OIDC_SCOPE: 'openid profile email offline_access', OIDC_EXTRA_PARAMS: 'prompt=consent' } });
  const away = await browser.newContext();
  try {
    const on = await away.newPage();
    await setFirstPassword(on, offline);
    await signIn(on, offline);
    const key = `oidc.user:${offline.url}/idp:cloudfit-portal`;
    const { refresh_token: token } = await on.evaluate((name) => JSON.parse(localStorage.getItem(name) ?? '{}') as StoredSession, key);
    expect(token).toBeTruthy();
    const answers: string[] = [];
    on.on('response', (response) => {
      if (response.url().endsWith('/idp/token/revocation'))
        answers.push(`${response.status()} ${response.headers()['content-type'] ?? ''}`);
    });
    await on.getByTitle('Profile').click();
    await on.getByRole('menuitem', { name: 'Log out' }).click();
    await expect(on).toHaveURL((url) => url.pathname === '/user/login');
    // A response that is not JSON would count as a failure and stop the sign-out.
    expect(answers.map((answer) => answer.startsWith('200 application/json'))).toEqual([true, true]);
    await on.getByRole('button', { name: 'Login' }).click();
    await expect(on.getByLabel('User name')).toBeVisible();
    const renewal = await fetch(`${offline.url}/idp/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'cloudfit-portal', refresh_token: token ?? '' }),
    });
    expect([renewal.status, await renewal.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })]);
  } finally {
    await away.close();
    await offline.remove();
  }
});
