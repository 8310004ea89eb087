/** Tests the rule editor by keyboard against a real server: create, save, list, change. */
import { expect, test, type Locator, type Page } from '@playwright/test';
import { signInBeforeAll, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let page: Page;
let home = '';

signInBeforeAll((session) => {
  ({ world, page, home } = session);
});

const editor = (name: string | RegExp) => page.getByRole('dialog', { name });
const line = (name: string) => page.getByRole('group', { name, exact: true });

test('a rule with two conditions is written by keyboard and stands in the list', async () => {
  await page.goto(`${world.url}${home}/rules`);
  await page.getByRole('link', { name: 'CPU over 90 % three times in a row' }).waitFor();
  await page.keyboard.press('c');
  const form = editor('Create Rule');
  await test.step('[RULE-001] begins with the name', async () => {
    await expect(form.getByLabel(/^Name/)).toBeFocused();
    await page.keyboard.type('Disk is filling up');
    await form.getByLabel(/^Rule type/).selectOption('Ingestion');
  });
  await test.step('[RULE-010] goes on to the tab of the conditions', async () => {
    await form.getByRole('button', { name: 'Next: Conditions' }).press('Enter');
    await expect(form.getByRole('tab', { name: 'Conditions' })).toHaveAttribute('aria-selected', 'true');
    await expect(page).toHaveURL(/[?&]tab=conditions/);
  });

  await test.step('[RULE-001] has the conditions as they were typed', () => typeConditions(form));
  await test.step('[RULE-001] has the conditions in another order', async () => {
    await page.keyboard.press('Alt+ArrowUp');
    await expect(line('Condition 2 of 3').getByLabel('Value')).toBeFocused();
    await expect(line('Condition 2 of 3').getByLabel('Value')).toHaveValue('db-');
  });
  await test.step('[RULE-001] stands in the list', async () => {
    await page.keyboard.press('Control+Enter');
    await page.getByText('Rule created.').waitFor();
    await expect(editor('Create Rule')).toHaveCount(0);
    await page.getByRole('link', { name: 'Disk is filling up' }).waitFor();
  });
});

async function typeConditions(form: Locator): Promise<void> {
  // A new rule starts with the tenant's condition and an empty one.
  await expect(line('Condition 1 of 2').getByLabel('Value')).toHaveValue('My organisation');
  await expect(line('Condition 2 of 2').getByLabel('What to compare')).toBeFocused();
  await page.keyboard.type('Metric');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Disk');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('85');
  await page.keyboard.press('Alt+Enter');
  await expect(line('Condition 3 of 3').getByLabel('What to compare')).toBeFocused();
  await page.keyboard.type('Device Name');
  await page.keyboard.press('Enter');
  await line('Condition 3 of 3').getByLabel('Operator').selectOption('starts with');
  await line('Condition 3 of 3').getByLabel('Value').fill('db-');
  const words = form.getByRole('region', { name: 'Rule in words' });
  await expect(words).toContainText('When Disk is over 85, where Tenant is My organisation and Device Name starts with db-.');
}

test('[RULE-004] it is changed through the edit action of its row', async () => {
  await page.getByRole('button', { name: 'Edit Disk is filling up' }).click();
  const form = editor('Edit Rule: Disk is filling up');
  await form.getByRole('tab', { name: 'Conditions' }).click();
  const name = line('Condition 2 of 3');
  const hidesValue = async (operator: string) => {
    await name.getByLabel('Operator').selectOption('starts with');
    await expect(name.getByLabel('Value')).toBeVisible();
    await name.getByLabel('Operator').selectOption(operator);
    await expect(name.getByLabel('Value')).toHaveCount(0);
  };
  await test.step('[RULE-042] hides the value of one operator', () => hidesValue('is empty'));
  await test.step('[RULE-043] hides the value of the other', () => hidesValue('is not empty'));
  await line('Condition 3 of 3').getByLabel('Counts when it holds').selectOption('times in a row');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Rule saved.').waitFor();
  await expect(page.getByRole('row', { name: /Disk is filling up/ })).toContainText('Disk over 85, 3 times in a row');
});
