/** Tests the work unit list: a mass edit and its undo, changes by others, an export of a thousand rows, the menu on a phone. */
import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import { administratorToken, signInBeforeAll, type World } from './world.ts';

let world: World;
let page: Page;
let tenantId = '';
let list = '';

test.describe.configure({ mode: 'serial' });

let token = '';

async function api(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${world.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return (await answer.json()) as Record<string, unknown>;
}

async function add(title: string, more: Record<string, unknown> = {}): Promise<number> {
  const created = await api('PUT', '/v1/workunits', { title, severityId: 'Sev3', workUnitTypeId: 1, tenantId, ...more });
  return Number(created['workUnitId']);
}

const rows = () => page.locator('tbody tr[data-row]');
const titles = () => rows().locator('.title-cell a').allTextContents();
const stateOf = async (id: number) => (await api('GET', `/v1/workunits(${id})`))['stateId'];

signInBeforeAll((session) => {
  ({ world, page } = session);
  tenantId = new URL(page.url()).pathname.slice(1);
  list = `${world.url}/${tenantId}/workunitsv2`;
  token = administratorToken(world);
});

test('a mass edit with one refused row, the others saved, and one undo that spares what changed since', async () => {
  const acknowledgedIds = [await add('Pump 1'), await add('Pump 2')];
  for (const id of acknowledgedIds) await api('POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged' });
  const fresh = await add('Pump 3');
  await page.goto(`${list}?f=&search=Pump`);
  await expect(rows()).toHaveCount(3);
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mass Edit' }).click();
  await page.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'State' });
  await page.getByRole('combobox', { name: 'New value of State' }).selectOption('Resolved');
  await page.reload();
  await page.getByRole('combobox', { name: 'Field' }).selectOption({ label: 'State' });
  await page.getByRole('combobox', { name: 'New value of State' }).selectOption('Resolved');
  await page.getByRole('button', { name: 'Save 3 work units' }).click();
  await test.step('[ERR-061] says that it failed', () => expect(page.getByText('Failed to update Work Units.')).toBeVisible());
  const refused = page.getByRole('region', { name: 'Selected work units' }).locator('li.refused');
  await test.step('[ERR-057] says why at the row', () =>
    expect(refused).toHaveText(/Pump 3A New work unit can only become Acknowledged or Canceled, not Resolved\./));
  expect(await stateOf(acknowledgedIds[0] ?? 0)).toBe('Acknowledged');
  await page.getByRole('button', { name: 'Leave out 1 and save 2' }).click();
  await test.step('[MASS-001] saves the others', async () => {
    await expect(page.getByText('2 work units updated.')).toBeVisible();
    expect([await stateOf(acknowledgedIds[0] ?? 0), await stateOf(acknowledgedIds[1] ?? 0), await stateOf(fresh)]).toEqual([
      'Resolved',
      'Resolved',
      'New',
    ]);
  });
  await api('POST', `/v1/workunits/${acknowledgedIds[1]}`, { stateId: 'Closed' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Mass edit undone for 1 work unit.')).toBeVisible();
  await expect(page.getByText(/Changed by somebody else since, and left as they are: #\d+\./)).toBeVisible();
  expect([await stateOf(acknowledgedIds[0] ?? 0), await stateOf(acknowledgedIds[1] ?? 0)]).toEqual(['Acknowledged', 'Closed']);
});

test('what others change is marked in place and moves nothing under the pointer', async () => {
  await page.goto(`${list}?f=&search=Pump&sort=severityId,title`);
  await expect(rows()).toHaveCount(3);
  await expect.poll(titles).toEqual(['Pump 1', 'Pump 2', 'Pump 3']);
  const [first] = (await api('GET', "/v1/workunits?$filter=title%20eq%20'Pump%202'"))['value'] as { workUnitId: number }[];
  await rows().nth(1).hover();
  await page.mouse.move(600, 240);
  await api('POST', `/v1/workunits/${first?.workUnitId}`, { severityId: 'Sev0' });
  await expect(rows().nth(1).getByText('Sev0')).toBeVisible();
  expect(await titles()).toEqual(['Pump 1', 'Pump 2', 'Pump 3']);
  await expect(rows().nth(1)).toHaveClass(/marked/);
  await page.mouse.move(600, 20);
  await expect.poll(titles).toEqual(['Pump 2', 'Pump 1', 'Pump 3']);
});

test('[GRID-003] Export All saves the first thousand rows and says that there are more', async () => {
  for (let start = 0; start < 1_005; start += 15)
    await Promise.all(Array.from({ length: 15 }, (_, at) => add(`Valve ${String(start + at).padStart(4, '0')}, "east"`)));
  await page.goto(`${list}?f=&search=Valve&sort=title`);
  await expect(rows()).toHaveCount(10);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export All' }).click();
  const file = await download;
  await test.step('[WU-019] names the file', () => expect(file.suggestedFilename()).toBe('workunits.csv'));
  const text = await readFile(await file.path(), 'utf8');
  const lines = text.trim().split('\r\n');
  await test.step('[LIM-004] has a thousand rows and their header', () => expect(lines).toHaveLength(1_001));
  expect(text.startsWith('\uFEFF')).toBe(true);
  expect(lines[0]).toMatch(/^"ID","Severity","Title","State","Assigned To"/);
  expect(lines[1]).toContain('"Valve 0000, ""east"""');
  expect(lines[1]).toContain('"My organisation"');
  await expect(page.getByText('The file has the first 1,000 of 1,005 rows.', { exact: false })).toBeVisible();
});

test('a phone deletes a row from the menu at its end, which a thumb can hit', async () => {
  await api('PUT', '/v1/locations', { name: 'Plant 9', tenantId });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.url}/${tenantId}/locations`);
  const menu = page.getByRole('button', { name: 'Actions for Plant 9' });
  await menu.waitFor();
  const { x = 0, width = 0, height = 0 } = (await menu.boundingBox()) ?? {};
  expect([width, height]).toEqual([44, 44]);
  expect(x + width).toBeLessThanOrEqual(390);
  await expect(page.getByRole('button', { name: 'Edit Plant 9' })).toBeHidden();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Successfully deleted Plant 9')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Plant 9' })).toBeHidden();
});
