/** Tests the work unit panel against a real server: width, approvals, protocol actions, an incident made a change request. */
import { expect, test, type Page } from '@playwright/test';
import { apiOf, seedPanel } from './panel-world.ts';
import { administratorToken, signIn, signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let home = '';
let units: Awaited<ReturnType<typeof seedPanel>>;

signInBeforeAll(async (session) => {
  ({ world, page, home } = session);
  const token = administratorToken(world);
  units = await seedPanel(apiOf(world.url, token), home.slice(1));
});

const panel = () => page.locator('.side-panel');
const toast = (text: string) => expect(page.locator('.toasts').getByText(text)).toBeVisible();
const open = (id: number, tab = '') => page.goto(`${world.url}${home}/workunitsv2?workUnitId=${id}${tab && `&tab=${tab}`}`);

test('[WU-051] [WU-052] is half as wide as the window, and as wide as a small one', async () => {
  await open(units.incident);
  await expect(panel().getByLabel('Site', { exact: true })).toHaveValue('East');
  const width = async () => (await panel().boundingBox())?.width;
  await expect.poll(width).toBe(720);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(width).toBe(390);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('the box for a note is in view at once, on a wide screen and on a phone, and stays there', async () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await open(units.incident);
    await expect(panel().getByRole('button', { name: /^Run Tell the site manager/ })).toBeVisible();
    await expect(panel().getByRole('textbox', { name: 'Note', exact: true })).toBeInViewport({ ratio: 1 });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('is a page at its own address, with the fields beside what goes on', async () => {
  await page.goto(`${world.url}${home}/workunitsv2?workUnitId=${units.incident}&view=page`);
  await expect(panel().getByLabel('Site', { exact: true })).toHaveValue('East');
  await expect(page).toHaveTitle(/^(?:\(\d+\) )?Edit Work Unit #\d+: Gateway east-07 is silent/);
  const [fields, note] = [
    await panel().getByLabel('Site', { exact: true }).boundingBox(),
    await panel().getByRole('textbox', { name: 'Note', exact: true }).boundingBox(),
  ];
  expect(fields?.x).toBeGreaterThan((note?.x ?? 0) + (note?.width ?? 0));
  await panel().getByRole('button', { name: 'Show beside the list' }).click();
  await expect.poll(async () => (await panel().boundingBox())?.width).toBe(720);
});

test('a note has Markdown and an image, which stay words and an image', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await open(units.incident);
  const box = panel().getByRole('textbox', { name: 'Note', exact: true });
  await box.fill('**Seen** <b>there</b>:');
  await panel()
    .locator('input[type=file]')
    .setInputFiles({ name: 'shot.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') });
  await expect(box).toHaveValue(/^\*\*Seen\*\* <b>there<\/b>:\n!\[shot\.png\]\(file:/);
  await box.press('Control+Enter');
  const feed = panel().getByRole('region', { name: 'Notes and history' });
  await expect(feed.locator('strong')).toHaveText('Seen');
  await expect(feed.getByText('<b>there</b>:')).toBeVisible();
  const image = feed.getByRole('button', { name: 'Show shot.png' }).locator('img');
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
});

test('an action runs for real and says how it ended; another is rejected with a note', async () => {
  await open(units.incident, 'pending');
  const site = panel().getByRole('listitem').filter({ hasText: 'Tell the site manager' });
  await site.getByRole('button', { name: /^Run/ }).click();
  await page.getByRole('dialog', { name: 'Run this action?' }).getByRole('button', { name: 'Run' }).click();
  await toast('Tell the site manager was started.');
  await test.step('[WU-001] runs it', () => expect(site.getByText('Kept, not sent: no mail server is set.')).toBeVisible());
  await expect(site.getByRole('button', { name: /^Run|^Reject|^Replay/ })).toHaveCount(0);
  const carrier = panel().getByRole('listitem').filter({ hasText: 'Tell the carrier' });
  await carrier.getByRole('button', { name: /^Reject/ }).click();
  const question = page.getByRole('dialog', { name: 'Reject this action?' });
  await question.getByLabel('Note (optional)').fill('They called us.');
  await question.getByRole('button', { name: 'Reject' }).click();
  await expect(carrier.getByText('Rejected')).toBeVisible();
  await panel().getByRole('tab', { name: 'Work Units' }).click();
  await expect(panel().getByText('Email was rejected: They called us.')).toBeVisible();
});

test('an approver on a phone opens the link, reads the plan, and approves with two taps', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const phone = await context.newPage();
  await signIn(phone, world);
  let taps = 0;
  const tap = async (name: string) => {
    await phone.getByRole('button', { name, exact: true }).tap();
    taps += 1;
  };
  await phone.goto(`${world.url}${home}/workunitsv2?workUnitId=${units.onPhone}`);
  const card = phone.getByRole('region', { name: 'Plan and decision' });
  for (const part of [
    card.getByText('Waiting for you'),
    card.getByText(/^1\. Drain the node\./),
    card.getByText(/^Sat, Dec 5/),
    card.getByText(/^At the same time/),
    card.getByText('Administrator', { exact: true }),
    card.getByText('Approver 2', { exact: true }),
    card.getByRole('button', { name: 'Approve slot 1' }),
    card.getByRole('button', { name: 'Reject slot 1' }),
    card.getByText('After Approve:'),
    card.getByText('After Reject:'),
  ])
    await expect(part).toBeInViewport({ ratio: 1 });
  // Nothing covers the buttons: the middle of each is the button itself.
  const foot = await phone.locator('.side-panel > .foot').boundingBox();
  const reject = await card.getByRole('button', { name: 'Reject slot 1' }).boundingBox();
  expect((reject?.y ?? 0) + (reject?.height ?? 0)).toBeLessThan(foot?.y ?? 0);
  await tap('Approve slot 1');
  await expect(phone.getByRole('dialog', { name: 'Approve this change?' }).getByText(/^1\. Drain the node\./)).toBeInViewport();
  await tap('Approve');
  await expect(phone.locator('.toasts').getByText('Change Request successfully approved.')).toBeVisible();
  await expect(card.getByText('Waiting for second@example.com')).toBeVisible();
  expect(taps).toBe(2);
  await context.close();
});

test('the approver approves by keyboard alone', async () => {
  await open(units.change);
  await panel().getByRole('button', { name: 'Approve slot 1' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Approve this change?' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await test.step('[CHG-036] says that it is approved', () => toast('Change Request successfully approved.'));
  await test.step('[CHG-019] shows who approved', () =>
    expect(panel().getByRole('listitem', { name: 'Approver 1' }).getByText('Approved')).toBeVisible());
  await expect(panel().getByRole('button', { name: /slot \d/ })).toHaveCount(0);
});

test('a decline takes a note and cancels', async () => {
  await open(units.declined);
  await panel().getByRole('button', { name: 'Reject slot 1' }).click();
  const question = page.getByRole('dialog', { name: 'Reject this change?' });
  await question.getByLabel('Decision Note').fill('Not before the audit.');
  await question.getByRole('button', { name: 'Reject' }).click();
  await test.step('[CHG-037] says that it is declined', () => toast('Change Request successfully declined.'));
  await test.step('[CHG-021] [CHG-023] shows the note in the slot', () =>
    expect(panel().getByRole('listitem', { name: 'Approver 1' }).getByText('Not before the audit.')).toBeVisible());
  await test.step('[CHG-024] cancels', () => expect(panel().getByLabel('State', { exact: true })).toHaveValue('Canceled'));
});

test('a unit is merged into another one, found by its title, and taken apart there', async () => {
  await open(units.linked);
  await panel().getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Merge into…' }).click();
  await page.getByRole('combobox', { name: 'Work unit that stays' }).fill('east-07');
  await page.getByRole('option', { name: /Gateway east-07 is silent/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click();
  await toast('1 work unit merged into');
  await panel()
    .getByRole('link', { name: /Gateway east-07 is silent$/ })
    .first()
    .click();
  await expect(panel().getByText('Includes the duplicate')).toBeVisible();
  await panel()
    .getByRole('button', { name: /^Take apart #\d+$/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take apart' }).click();
  await toast('was taken apart.');
  await expect(panel().getByText('Includes the duplicate')).toHaveCount(0);
});

test('an incident becomes a change request, whose plan the next save asks for', async () => {
  await open(units.incident);
  await panel().getByRole('button', { name: 'More', exact: true }).click();
  await test.step('[WU-057] is offered in the footer', () =>
    page.getByRole('menuitem', { name: 'Change Type to Change Request.' }).click());
  await test.step('[CHG-040] says that it changed', () => toast('Successfully migrated Incident to Change Request.'));
  await panel().getByRole('textbox', { name: 'Title' }).fill('Gateway east-07 gets new firmware');
  await panel().getByRole('button', { name: 'Save' }).click();
  await test.step('[CHG-038] needs what a change request needs', async () => {
    await expect(panel().getByText(/fields need attention$/)).toBeVisible();
    await expect(panel().getByRole('textbox', { name: 'Resolution' })).toBeFocused();
  });
  await expect(panel().getByRole('textbox', { name: 'Title' })).toHaveValue('Gateway east-07 gets new firmware');
});
