/** Tests an article from the desk that writes it to the customer whom it helps, and its use in a work unit. */
import { expect, test, type Browser, type Page } from '@playwright/test';
import { addPerson, setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

const title = 'Send mail while the server is down';

let world: World;
let desk: Page;
let customer: Page;
let home = '';

showOutputOnFailure(() => world);

const newPage = async (browser: Browser) =>
  (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
const toast = (on: Page, text: string | RegExp) => on.locator('.toasts').getByText(text);
const panel = (on: Page, name: string | RegExp) => on.getByRole('dialog', { name });

test.beforeAll(async ({ browser }) => {
  world = await startWorld();
  const cora = addPerson(world, 'Cora');
  world.admin(['grant', '--person', cora.userName, '--set', 'Resolution Center', '--tenant', 'My organisation']);
  desk = await newPage(browser);
  await setFirstPassword(desk, world);
  await signIn(desk, world);
  await expect(desk).toHaveURL(/\/[0-9a-f-]{36}$/);
  home = desk.url();
  customer = await newPage(browser);
  await signIn(customer, world, cora);
});

test.afterAll(async () => {
  await desk.context().close();
  await customer.context().close();
  await world.remove();
});

test('the desk writes an article, publishes it, and reads it at its own address', async () => {
  await desk.goto(`${home}/knowledge?id=new`);
  const form = panel(desk, /^Create Knowledge Article/);
  await form.getByLabel('Title').fill(title);
  await form.getByLabel('Text').fill('# What to do\n\n- Open **webmail**\n- Sign in with your badge');
  await form.getByRole('button', { name: 'Preview' }).click();
  await expect(form.getByRole('heading', { name: 'What to do' })).toBeVisible();
  await form.getByLabel('State').selectOption('Published');
  await form.getByLabel('Audience').selectOption('Customers');
  await form.getByRole('button', { name: 'Create' }).click();
  await desk.getByRole('link', { name: title }).click();
  await expect(desk).toHaveURL(/\/knowledge\/[0-9a-f-]{36}$/);
  await expect(desk.getByRole('heading', { name: title })).toBeVisible();
  await expect(desk.getByText('webmail')).toBeVisible();
  await expect(desk.getByText('Version 1, published by')).toBeVisible();
});

test('a new version says what it changed, and the palette finds the article by mistyped words', async () => {
  await desk.getByRole('button', { name: 'Edit' }).click();
  const form = panel(desk, /^Edit Knowledge Article/);
  await form.getByLabel('Text').fill('# What to do\n\n- Open **webmail**\n- Sign in with your phone');
  await form.getByRole('button', { name: 'Save' }).click();
  await desk.getByRole('button', { name: 'What version 2 changed' }).click();
  await expect(desk.locator('.article-difference .removed')).toContainText('your badge');
  await expect(desk.locator('.article-difference .added')).toContainText('your phone');
  await desk.goto(home);
  await expect(desk.getByText('Open work units by severity')).toBeVisible();
  await desk.keyboard.press('Control+k');
  await desk.getByRole('combobox', { name: 'Command palette' }).fill('webmial');
  await desk.getByRole('option', { name: title }).click();
  await expect(desk).toHaveURL(/\/knowledge\/[0-9a-f-]{36}$/);
});

test('a customer is helped without sending the request, which counts', async () => {
  await customer.getByRole('button', { name: 'Create Request' }).click();
  const form = panel(customer, 'Create Request');
  await form.getByLabel('Title').fill('I cannot send my mail');
  await form.getByRole('button', { name: title }).click();
  const article = panel(customer, title);
  await expect(article.getByText('Sign in with your phone')).toBeVisible();
  await article.getByRole('button', { name: 'Yes, this helps' }).click();
  await expect(toast(customer, 'Good. Your request was not sent.')).toBeVisible();
  await expect(form).toBeHidden();
  await expect(customer.getByText('Tell us what you need')).toBeVisible();
  await desk.reload();
  await expect(desk.getByText(/solved 1 request/)).toBeVisible();
});

test('the desk marks the article as used in a unit by one press, and the feed says so', async () => {
  await desk.goto(`${home}/workunitsv2?workUnitId=new&type=1`);
  const form = panel(desk, 'Create Work Unit');
  await form.getByLabel('Title').fill('Mail server is down');
  await expect(form.getByRole('button', { name: title })).toBeVisible();
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  const unit = panel(desk, /Mail server is down/);
  await unit.getByRole('button', { name: `Used the article “${title}”` }).click();
  await expect(toast(desk, 'The article is linked with the work unit.')).toBeVisible();
  await expect(unit.getByRole('region', { name: 'Used articles' }).getByRole('button', { name: title, exact: true })).toBeVisible();
  await expect(unit.getByText(`Used the article “${title}”.`)).toBeVisible();
});
