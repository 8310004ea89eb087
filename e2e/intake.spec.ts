/** Tests the intake by keyboard: four drafts, a reload, one becomes a work unit, another call is spam. */
import { expect, test, type Page } from '@playwright/test';
import { administratorToken, signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
/** The path of the tenant's home page. */
let home = '';

signInBeforeAll(
  async (session) => {
    ({ world, page, home } = session);
    const token = administratorToken(world);
    const response = await fetch(`${world.url}/v1/protocols`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Call back within the hour', tenantId: home.slice(1), timerInverval: '00:10:00' }),
    });
    expect(response.status).toBe(201);
  },
  { browser: { reducedMotion: 'reduce' } },
);

const intake = () => page.getByRole('dialog', { name: /^Intake/ });
const toast = (text: string) => page.locator('.toasts').getByText(text);

/** Presses Tab or Shift+Tab until the control with this name has the focus. */
async function tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const at = document.activeElement as HTMLInputElement | null;
      return at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? '';
    });
  for (let step = 0; step < 30; step += 1) {
    if (name.test(await focused())) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The keyboard does not reach ${String(name)}.`);
}

async function startCall(): Promise<void> {
  await page.keyboard.press('c');
  await page.getByRole('menuitem', { name: 'Intake' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(intake().getByLabel('Stakeholder phone')).toBeFocused();
}

test('four calls are kept as drafts by keyboard, and no fifth', async () => {
  await page.goto(`${world.url}${home}/workunitsv2`);
  await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
  for (const [index, title] of ['Mail is slow', 'VPN drops', 'Badge is lost', 'Printer is offline'].entries()) {
    if (index === 0) await startCall();
    else {
      await tabTo(/^New Intake$/);
      await page.keyboard.press('Enter');
      await expect(intake().getByLabel('Stakeholder phone')).toBeFocused();
    }
    await page.keyboard.type(`555-010-100${index}`);
    await tabTo(/^Title/);
    await page.keyboard.type(title);
    await tabTo(/^Save as Draft$/);
    await page.keyboard.press('Enter');
    await test.step('[SHELL-016] [INTK-005] keeps the draft', () =>
      expect(page.getByRole('dialog', { name: `Intake: draft ${index + 1}` })).toBeVisible());
  }
  await tabTo(/^New Intake$/);
  await page.keyboard.press('Enter');
  await expect(intake().getByLabel('Stakeholder phone')).toBeFocused();
  await page.keyboard.type('555-010-1004');
  await tabTo(/^Save as Draft$/);
  await page.keyboard.press('Enter');
  await test.step('[ERR-044] says why it keeps no fifth', () =>
    expect(toast('You already have 4 drafts saved. Please delete or submit a draft before adding a new one.')).toBeVisible());
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'No' })).toBeFocused();
  await tabTo(/^Yes$/);
  await page.keyboard.press('Enter');
  await expect(intake()).toBeHidden();
});

test('after a reload a draft becomes a work unit, and VIEW shows it', async () => {
  await page.reload();
  await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
  await startCall();
  await tabTo(/^Drafts/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  const drafts = page.getByRole('dialog', { name: 'Drafts' });
  await test.step('[INTK-002] lists the drafts', () => expect(drafts.getByRole('listitem')).toHaveCount(4));
  await test.step('[INTK-007] says when each was saved', () => expect(drafts.getByRole('listitem').first()).toContainText(/Saved/));
  await tabTo(/^VPN drops/);
  await page.keyboard.press('Enter');
  await test.step('[INTK-006] has what was typed before the reload', async () => {
    await expect(page.getByRole('dialog', { name: 'Intake: draft 2' })).toBeVisible();
    await expect(intake().getByLabel('Stakeholder phone')).toHaveValue('555-010-1001');
  });

  await tabTo(/^Stakeholder name/);
  await page.keyboard.type('Ada Byron');
  await tabTo(/^Stakeholder email/);
  await page.keyboard.type('ada@example.com');
  for (const [label, text] of [
    [/^Tenant/, 'My org'],
    [/^Protocol/, 'Call back'],
  ] as const) {
    await tabTo(label);
    await page.keyboard.type(text);
    await expect(intake().getByRole('option').filter({ hasText: text, visible: true })).toHaveCount(1);
    await page.keyboard.press('Enter');
  }
  await tabTo(/^Description/);
  await page.keyboard.type('Every ten minutes.');
  await tabTo(/^Scope/);
  await page.keyboard.type('Many');
  await page.keyboard.press('Control+Enter');
  const question = page.getByRole('dialog', { name: 'Submit intake' });
  await test.step('[INTK-003] asks first', () =>
    expect(question).toContainText('Create the work unit “VPN drops” for My organisation, with severity Sev2?'));
  await page.keyboard.press('Enter');

  await test.step('[INTK-008] says that it is created', () => expect(toast('New Work Unit')).toBeVisible());
  await expect(page.getByRole('dialog', { name: /^Edit Work Unit #\d+: VPN drops/ })).toBeVisible();
  const now = new URL(page.url());
  const address = `${home}/workunitsv2?workUnitId=${now.searchParams.get('workUnitId')}`;
  await test.step('[INTK-004] leads to the unit', () => expect(`${now.pathname}${now.search}`).toContain(address));
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: /^Edit Work Unit/ })).toBeHidden();
  const view = page.getByRole('link', { name: 'VIEW' });
  await test.step('[INTK-009] links to the unit', () => expect(view).toHaveAttribute('href', address));
  await view.press('Enter');
  await expect(page.getByRole('dialog', { name: /^Edit Work Unit #\d+: VPN drops/ })).toBeVisible();
  await expect(page).toHaveURL((url) => url.href.startsWith(world.url + address));
});

test('[INTK-027] a spam call is recorded by its number', async () => {
  await page.goto(`${world.url}${home}/workunitsv2?intake=new`);
  await intake().getByLabel('Spam Call').check();
  await intake().getByLabel('Stakeholder phone').fill('555-010-9999');
  await intake().getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('dialog', { name: 'Submit intake' }).getByRole('button', { name: 'Submit' }).click();
  const unit = page.getByRole('dialog', { name: /^Edit Work Unit #\d+: Spam Call/ });
  await test.step('[INTK-032] with this title', () => expect(unit.getByLabel('Title')).toHaveValue('Spam Call'));
  await test.step('[INTK-030] resolved', () => expect(unit.getByLabel('State', { exact: true })).toHaveValue('Resolved'));
  await test.step('[INTK-033] of the lowest severity', () => expect(unit.getByLabel('Severity')).toHaveValue('Sev4'));
  await test.step('[INTK-031] from spam', () => expect(unit.getByLabel('Source')).toHaveValue('Spam'));
});
