/** Tests flows by keyboard alone, such as create, find, change and mass edit, and the portal at 200 % zoom. */
import { expect, test, type Page } from '@playwright/test';
import { signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let home = '';

signInBeforeAll((session) => {
  ({ world, page, home } = session);
});

const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const toast = (text: string | RegExp) => expect(page.locator('.toasts').getByText(text)).toBeVisible();
const rows = () => page.locator('tbody tr[data-row]');

/** Presses Tab until the control has the focus, so that a control outside the tab order fails the test. */
async function tabTo(control: ReturnType<Page['locator']>, key = 'Tab'): Promise<void> {
  await expect(control).toBeVisible();
  for (let n = 0; n < 120; n++) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error('No Tab leads there.');
}

async function create(title: string): Promise<void> {
  await expect(page.getByRole('button', { name: 'Create', exact: true })).toBeVisible();
  await press('c');
  await expect(page.getByRole('menuitem', { name: 'Incident' })).toBeFocused();
  await press('Enter');
  const panel = page.getByRole('dialog', { name: /Create/ });
  await expect(panel.getByRole('textbox', { name: 'Title', exact: true })).toBeFocused();
  await page.keyboard.type(title);
  await tabTo(panel.getByRole('combobox', { name: 'Severity', exact: true }));
  await page.keyboard.type('Sev2');
  await press('Control+Enter');
  await toast(/created/i);
  await expect(panel).toHaveCount(0);
}

/**
 * The calls of the API from now on. Without the stream, the names of people, which are read once in five minutes, and the places that a
 * search has found, which are read with each list that is searched.
 */
function callsFromNow(): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    const isCounted = /\/(?:v1|api)\//.test(url) && !/\/v1\/(?:changes|people\/names|workunits\/searchplaces)/.test(url);
    if (isCounted) sent.push(`${request.method()} ${url}`);
  });
  return sent;
}

test('creates two incidents', async () => {
  await press('g', 'w');
  await expect(page).toHaveURL(/workunitsv2/);
  await create('Boiler 1 is cold');
  await create('Boiler 2 is cold');
  await expect(rows()).toHaveCount(2);
});

test('finds one, walks to it, changes and saves it, and is back at its row', async () => {
  await press('/');
  await page.keyboard.type('Boiler 1');
  await expect(rows()).toHaveCount(1);
  await tabTo(rows().first());
  await press('Enter');
  // The locator has the title, because the panel of the incident that was created last may still be open.
  const panel = page.getByRole('dialog', { name: /^Edit Work Unit #\d+: Boiler 1 is cold/ });
  await tabTo(panel.getByRole('combobox', { name: 'Severity', exact: true }));
  await page.keyboard.type('Sev1');
  await press('Control+Enter');
  await toast('Work unit saved.');
  if ((await panel.count()) > 0) await press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(rows().first()).toBeFocused();
  await expect(rows().first()).toContainText('Sev1');
});

test('acknowledges from the row', async () => {
  await tabTo(rows().getByRole('button', { name: /ack/ }));
  await press('Enter');
  await toast(/acknowledged/i);
  const panel = page.getByRole('dialog', { name: /^Edit Work Unit/ });
  await expect(panel.getByRole('combobox', { name: 'State', exact: true })).toHaveValue('Acknowledged');
  await press('Escape');
  await expect(panel).toHaveCount(0);
});

test('assigns, changes the severity and resolves a new unit with a text by four keys, and reads nothing twice', async () => {
  await page.goto(`${world.url}${home}/workunitsv2?f=&search=Boiler&sort=publicWorkUnitId`);
  await expect(rows()).toHaveCount(2);
  const row = rows().filter({ hasText: 'Boiler 2' });
  await tabTo(rows().first());
  await press('j');
  await expect(row).toBeFocused();
  const sent = callsFromNow();
  await press('m');
  await toast(/assigned to/);
  await press('s');
  await expect(page.getByRole('menu', { name: /^Severity/ })).toBeVisible();
  await press('0');
  await toast(/^Severity of work unit #\d+ is Sev0/);
  await expect(row).toBeFocused();
  // The list is read once after the change, and once more when the change comes back by the stream.
  await page.waitForTimeout(1_500);
  sent.length = 0;
  await press('r');
  await expect(page.getByRole('textbox', { name: 'Resolution' })).toBeFocused();
  await page.keyboard.type('The valve was shut.');
  await press('Control+Enter');
  await toast(/^Work unit #\d+ resolved/);
  await expect(row).toContainText('Resolved');
  await expect(row).toContainText('Sev0');
  await page.waitForTimeout(1_000);
  expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(3);
  await expect(row).toBeFocused();
  await press('Enter');
  const panel = page.getByRole('dialog', { name: /^Edit Work Unit #\d+: Boiler 2/ });
  await expect(panel).toContainText(/changed State New → Acknowledged/);
  await expect(panel).toContainText(/changed State Acknowledged → Resolved/);
  await press('Escape');
  await expect(panel).toHaveCount(0);
});

test('acknowledges the row with the focus by one key and at most three calls, and the next one has the focus', async () => {
  // The panel of the flow before may still give the focus back to its row.
  await page.goto(`${world.url}${home}/workunitsv2`);
  await create('Boiler 3 is cold');
  await create('Boiler 4 is cold');
  await page.goto(`${world.url}${home}/workunitsv2?sort=publicWorkUnitId&f.stateId=New`);
  await expect(rows()).toHaveCount(2);
  await tabTo(rows().first());
  const sent = callsFromNow();
  await press('a');
  await toast(/acknowledged/);
  await expect(rows()).toHaveCount(1);
  await expect(rows().filter({ hasText: 'Boiler 4' })).toBeFocused();
  await page.waitForTimeout(1_000);
  expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(3);
});

test('ticks two rows and edits both', async () => {
  await page.goto(`${world.url}${home}/workunitsv2?f=&search=Boiler`);
  await expect(rows()).toHaveCount(4);
  await tabTo(rows().first());
  await press('x', 'ArrowDown', 'x');
  await expect(page.getByRole('row', { selected: true })).toHaveCount(2);
  await tabTo(page.getByRole('button', { name: 'Actions', exact: true }), 'Shift+Tab');
  await press('Enter', 'Enter');
  const panel = page.getByRole('dialog', { name: /Mass Edit/ });
  await tabTo(panel.getByRole('combobox', { name: 'Field' }));
  await page.keyboard.type('Severity');
  await tabTo(panel.getByRole('combobox', { name: 'Severity' }));
  await page.keyboard.type('Sev4');
  await tabTo(panel.getByRole('button', { name: /^Save|^Update|^Apply/ }));
  await press('Enter');
  await expect(rows().filter({ hasText: 'Sev4' })).toHaveCount(2);
});

test('leaves an empty required field by one Tab', async () => {
  await page.goto(`${world.url}${home}/rules?id=new`);
  const panel = page.getByRole('dialog', { name: 'Create Rule' });
  await expect(panel.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await press('Tab');
  await expect(panel.getByText('Please enter a rule name')).toBeVisible();
  await expect(panel.getByRole('combobox', { name: 'Rule type' })).toBeFocused();
});

test('undoes and redoes a placeholder that was chosen from the list', async () => {
  await page.goto(`${world.url}${home}/actioncatalog?id=new`);
  const address = page.getByRole('combobox', { name: 'Endpoint URL' });
  await expect(address).toHaveAccessibleDescription(/Type \{ for the list of placeholders/);
  await tabTo(address);
  await page.keyboard.type('https://pager.example/{publ');
  await expect(page.getByRole('option', { name: '{PublicWorkUnitId}' })).toBeVisible();
  await press('Enter');
  await expect(address).toHaveValue('https://pager.example/{PublicWorkUnitId}');
  await press('Control+z');
  await expect(address).toHaveValue('https://pager.example/{publ');
  await press('Control+Shift+z');
  await expect(address).toHaveValue('https://pager.example/{PublicWorkUnitId}');
  await page.keyboard.type('/now');
  await expect(address).toHaveValue('https://pager.example/{PublicWorkUnitId}/now');
});

for (const [width, height] of [
  [720, 450],
  [512, 384],
] as const)
  test(`at 200 % of a window of ${width * 2} pixels nothing is cut off`, async ({ browser }) => {
    const zoomed = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: 2,
      storageState: await page.context().storageState(),
    });
    const small = await zoomed.newPage();
    const wide = () => small.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    for (const path of ['', '/workunitsv2?f=', '/devices', '/rules', '/workunitcommunications', '/workunitsettings']) {
      await small.goto(`${world.url}${home}${path}`);
      await expect(small.locator('.shell main :is(table, h2, .state)').first()).toBeVisible();
      expect([path, await wide()]).toEqual([path, 0]);
    }
    await small.goto(`${world.url}${home}/workunitsv2?f=&search=Boiler`);
    await small.locator('tbody tr[data-row] .title-cell a').first().click();
    const panel = small.getByRole('dialog', { name: /^Edit Work Unit/ });
    // Both the field and the save button fit into the zoomed window.
    const title = panel.getByRole('textbox', { name: 'Title', exact: true });
    await title.scrollIntoViewIfNeeded();
    await title.fill('Boiler is warm');
    await expect(panel.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 });
    await expect(title).toBeInViewport({ ratio: 1 });
    expect(await wide()).toBe(0);
    await zoomed.close();
  });
