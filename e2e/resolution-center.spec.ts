/** Tests a request in two browsers: a customer asks for help and gives feedback, the desk communicates and resolves. */
import { expect, test, type Browser, type Page } from '@playwright/test';
import { axeFindings } from './axe.ts';
import { showTheme } from './visit.ts';
import { addPerson, administratorToken, setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

const title = 'Nobody can send mail';

let world: World;
let desk: Page;
let customer: Page;
let home = '';

showOutputOnFailure(() => world);

const newPage = async (browser: Browser) =>
  (
    await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
  ).newPage();
const toast = (on: Page, text: string | RegExp) => on.locator('.toasts').getByText(text);
const panel = (on: Page, name: string | RegExp) => on.getByRole('dialog', { name });
const row = (on: Page, text: string) => on.getByRole('row').filter({ hasText: text });

/** Runs axe on a wide light and a narrow dark screen. */
async function look(on: Page, name: string): Promise<void> {
  const findings: string[] = [];
  for (const [width, theme] of [
    [390, 'dark'],
    [1440, 'light'],
  ] as const) {
    await on.setViewportSize({ width, height: 900 });
    await showTheme(on, theme);
    findings.push(...(await axeFindings(on)).map((finding) => `${name} ${theme} ${width}: ${finding}`));
    const overflow = await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) findings.push(`${name} ${width}: ${overflow} px wider than the window`);
  }
  expect(findings).toEqual([]);
}

test.beforeAll(async ({ browser }) => {
  world = await startWorld();
  const cora = addPerson(world, 'Cora');
  world.admin(['grant', '--person', cora.userName, '--set', 'Resolution Center', '--tenant', 'My organisation']);
  desk = await newPage(browser);
  await setFirstPassword(desk, world);
  await signIn(desk, world);
  await expect(desk).toHaveURL(/\/[0-9a-f-]{36}$/);
  home = new URL(desk.url()).pathname;
  customer = await newPage(browser);
  await signIn(customer, world, cora);
});

test.afterAll(async () => {
  await desk.context().close();
  await customer.context().close();
  await world.remove();
});

test('a customer lands in the resolution center, makes a request and asks for a call', async () => {
  await expect(customer).toHaveURL(/\/resolutioncenter$/);
  await expect(customer.getByRole('banner').getByRole('heading', { name: 'Resolution Center' })).toBeVisible();
  await expect(customer.getByRole('navigation', { name: 'Main menu' })).toBeHidden();
  await expect(customer.getByText('Tell us what you need')).toBeVisible();
  await expect(toast(customer, 'You do not have access to one or more requested resources')).toBeHidden();

  await customer.getByRole('button', { name: 'Create Request' }).click();
  const form = panel(customer, 'Create Request');
  await form.getByRole('button', { name: 'Submit' }).click();
  await expect(form.getByText('Please enter a phone number.')).toBeVisible();
  await look(customer, 'request-wrong');
  await form.getByLabel('Title').fill(title);
  await form.getByLabel('Description').fill('Since eight this morning, in all of Oslo.');
  await form.getByLabel('Phone').fill('202-555-0143');
  await form.getByRole('button', { name: 'Submit' }).click();
  await expect(toast(customer, 'Successfully created work unit.')).toBeVisible();
  const detail = panel(customer, new RegExp(`^Request #\\d+: ${title}$`));
  await detail.getByRole('button', { name: `Call me about ${title}` }).click();
  // This installation has no mail server.
  await expect(
    toast(customer, /^Your call back request has been received, but .* A call may take longer than 15 minutes\.$/),
  ).toBeVisible();
  await expect(detail.getByText('asks to be called back at 202-555-0143.')).toBeVisible();
  await detail.getByLabel('Your message').fill('The phones work.');
  await detail.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(toast(customer, 'Your message was sent.')).toBeVisible();
  await expect(detail.getByRole('listitem').filter({ hasText: 'The phones work.' })).toContainText('You');
  await expect(detail.getByRole('region', { name: 'Progress' })).toContainText('You asked for a call. We promised it in 1');
  await look(customer, 'request-replied');
});

test('the desk calls back: from the header to the queue, where the call is taken and closed', async () => {
  await desk.goto(`${world.url}${home}/workunitsv2`);
  await desk.getByRole('link', { name: '1 customer waits for a call' }).click();
  const queue = desk.getByRole('region', { name: 'Do now' });
  await expect(queue.getByText(/^Call within /)).toBeVisible();
  await look(desk, 'call-back-waits');
  await queue.getByRole('button', { name: /^I'll call about/ }).click();
  await expect(queue.getByRole('link', { name: '202-555-0143' })).toHaveAttribute('href', 'tel:2025550143');
  await look(desk, 'call-back-taken');
  await customer.reload();
  await expect(customer.getByText('Somebody has taken your call and will ring you.')).toBeVisible();
  await queue.getByLabel(/^What was said about/).fill('Mail is slow in Oslo too.');
  const reached = queue.getByRole('button', { name: /^Reached/ });
  await reached.click();
  await expect(reached).toBeHidden();
  await desk.goto(`${world.url}${home}/workunitsv2`);
  await row(desk, title).getByRole('link', { name: title }).click();
  await expect(desk.getByText('Mail is slow in Oslo too.').first()).toBeVisible();
});

test('the desk sees it and writes a communication about it', async () => {
  await desk.goto(`${world.url}${home}/workunitsv2`);
  await row(desk, title).getByRole('link', { name: title }).click();
  await expect(desk.getByText('asks to be called back at 202-555-0143.').first()).toBeVisible();

  await desk.goto(`${world.url}${home}/workunitcommunications`);
  await desk.getByRole('button', { name: 'Create', exact: true }).click();
  const form = panel(desk, 'Create Communication');
  await form.getByLabel('Title').fill('Mail is down');
  await form.getByLabel('Next Customer Update').fill('2099-01-01T10:00');
  await form.getByLabel('Details').fill('Nobody in Oslo can send mail.');
  await form.getByRole('button', { name: 'Create' }).click();
  const shown = panel(desk, /^WUCOMM #\d+: Mail is down$/);
  await shown.getByRole('tab', { name: 'Steps' }).click();
  for (const [step, completed] of [
    ['The queue was stopped.', true],
    ['Mail moves to the second site.', false],
  ] as const) {
    await shown.getByRole('textbox', { name: 'New step' }).fill(step);
    await shown.getByLabel('Customer facing').check();
    if (completed) await shown.getByLabel('Completed', { exact: true }).check();
    await shown.getByRole('button', { name: 'Add step' }).click();
    await test.step('[COMM-028] a completed step is a past one', () =>
      expect(shown.getByRole('table', { name: completed ? 'Past Steps' : 'Next Steps' }).getByText(step)).toBeVisible());
  }
  await shown.getByRole('tab', { name: 'Related Work Units' }).click();
  await shown.getByRole('combobox', { name: 'Link a work unit' }).fill('Nobody');
  await desk.getByRole('option', { name: title }).click();
  await test.step('[COMM-017] links the work unit', () =>
    expect(shown.getByRole('table', { name: 'Related Work Units' }).getByRole('link', { name: title })).toBeVisible());
  await shown.getByRole('tab', { name: 'Communication' }).click();
});

test('the reports read well, and copy as rich text', async () => {
  for (const [id, name, words] of [
    ['[COMM-011]', 'External Report', 'Dear My organisation team,'],
    ['[COMM-012]', 'Internal Report', title],
  ] as const) {
    await panel(desk, /^WUCOMM/)
      .getByRole('button', { name })
      .click();
    const report = panel(desk, name);
    await test.step(`${id} opens`, () => expect(report).toBeVisible());
    await test.step('[COMM-013] has its text', () => expect(report.getByText(words)).toBeVisible());
    await report.getByRole('button', { name: 'Copy' }).click();
    await expect(toast(desk, 'Content copied successfully!')).toBeVisible();
    // The toast may still be that of the first report while the second is being copied, so this polls the clipboard.
    const html = () =>
      desk
        .evaluate(async () => {
          const [item] = await navigator.clipboard.read();
          return (await (await item?.getType('text/html'))?.text()) ?? '';
        })
        .catch(() => '');
    await test.step('[COMM-013] copies its text', async () => {
      await expect.poll(html).toContain(words);
      expect(await html()).toContain('What happened');
    });
    await report.getByRole('button', { name: 'Close' }).click();
  }
});

test('the desk resolves it, and the customer says how it was', async () => {
  const shown = panel(desk, /^WUCOMM/);
  await shown.getByLabel('Status', { exact: true }).selectOption({ label: 'Resolved (Closed)' });
  await test.step('[COMM-033] takes the root cause', async () => {
    await shown.getByLabel('Root Cause').fill('A worn seal.');
    await shown.getByRole('button', { name: 'Save' }).click();
    await expect(row(desk, 'Mail is down')).toContainText('Resolved (Closed)');
  });

  const token = administratorToken(world);
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${world.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as { value: { workUnitId: number }[] };
  };
  const { value } = await send('GET', '/v1/workunits');
  const path = `/v1/workunits/${String(value[0]?.workUnitId)}`;
  await send('POST', path, { stateId: 'Acknowledged' });
  await send('POST', path, { stateId: 'Resolved', resolution: 'Mail runs on the second site.' });

  await customer.reload();
  const detail = panel(customer, /^Request #/);
  await test.step('[RC-019] tells the resolution', () => expect(detail.getByText('Mail runs on the second site.')).toBeVisible());
  await detail.getByRole('button', { name: 'Great' }).click();
  await test.step('[RC-008] says thanks', () => expect(customer.getByText('Thank you for your valuable feedback!')).toBeVisible());
  await look(customer, 'resolution-center-detail');
  await customer.keyboard.press('Escape');
  await expect(row(customer, title).getByRole('img', { name: 'Great' })).toBeVisible();
  await look(customer, 'resolution-center');
});
