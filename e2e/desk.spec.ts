/** A day at the desk with two people in two browsers: a change that is approved and one that is declined, a mass edit that is refused in part, an export of a thousand rows. */
import { readFile } from 'node:fs/promises';
import { expect, test, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { addPerson, setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let home = '';
let tenantId = '';
let desk: { context: BrowserContext; page: Page };
let chief: { context: BrowserContext; page: Page; userName: string };
let call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

showOutputOnFailure(() => world);

const panel = (on: Page) => on.locator('.side-panel');
const unitAddress = (id: unknown) => `${world.url}${home}/workunitsv2?workUnitId=${String(id)}`;

async function open(browser: Browser, who?: { userName: string; password: string }): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
  const page = await context.newPage();
  await (who ? signIn(page, world, who) : setFirstPassword(page, world).then(() => signIn(page, world)));
  return { context, page };
}

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  world = await startWorld();
  desk = await open(browser);
  home = new URL(desk.page.url()).pathname;
  const who = addPerson(world, 'Chika');
  world.admin(['grant', '--person', who.userName, '--set', 'Operator', '--tenant', 'My organisation']);
  chief = { ...(await open(browser, who)), userName: who.userName };
  const { token } = world.admin(['token', 'add', '--name', 'Desk', '--tenant', 'My organisation', '--set', 'Administrator']);
  call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
    const answer = await fetch(`${world.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  tenantId = String(((await call('GET', '/v1/tenants'))['value'] as { tenantId: string }[])[0]?.tenantId);
});

test.afterAll(async () => {
  await Promise.all([desk?.context.close(), chief?.context.close()]);
  await world?.remove();
});

const plan = (approver1: string) => ({
  environment: 'Production',
  implementationPlan: 'Swap the pump.',
  rollbackPlan: 'Swap it back.',
  affectedResources: 'Pump 7',
  expectedCFSAlerts: 'Pump is silent',
  plannedStartTime: '2027-01-01T08:00:00Z',
  plannedFinishTime: '2027-01-01T09:00:00Z',
  resolution: 'None yet.',
  approver1,
});

/** The desk makes a change request of an incident and writes its plan. */
async function planned(title: string): Promise<unknown> {
  const incident = { title, severityId: 'Sev2', workUnitTypeId: 1, tenantId };
  const { workUnitId } = await call('PUT', '/v1/workunits', incident);
  const { page } = desk;
  await page.goto(unitAddress(workUnitId));
  await panel(page).getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Change Type to Change Request.' }).click();
  await expect(page.getByText('Successfully migrated Incident to Change Request.')).toBeVisible();
  for (const [label, text] of [
    ['Environment', 'Production'],
    ['Implementation Plan', 'Swap the pump.'],
    ['Rollback Plan', 'Swap it back.'],
    ['Affected Resources', 'Pump 7'],
    ['Expected CFS Alerts', 'Pump is silent'],
    ['Resolution', 'None yet.'],
  ] as const)
    await panel(page).getByLabel(label, { exact: true }).fill(text);
  await panel(page).getByLabel('Planned Start Time').fill('2027-01-01T08:00');
  await panel(page).getByLabel('Planned Finish Time').fill('2027-01-01T09:00');
  await panel(page).getByLabel('Approver 1', { exact: true }).fill('Chika');
  await page.getByRole('option', { name: /Chika/ }).first().click();
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Work unit saved.')).toBeVisible();
  return workUnitId;
}

test('an incident becomes a change request, which its approver approves', async () => {
  const id = await planned('Pump 7 rattles');
  await expect(panel(desk.page).getByRole('listitem', { name: 'Approver 1' })).toContainText('Awaiting');
  await expect(panel(desk.page).getByRole('button', { name: 'Approve as approver 1' })).toHaveCount(0);

  await chief.page.goto(unitAddress(id));
  await panel(chief.page).getByRole('button', { name: 'Approve as approver 1' }).click();
  await chief.page.getByRole('dialog', { name: 'Approve this change?' }).getByRole('button', { name: 'Approve' }).click();
  await expect(chief.page.getByText('Change Request successfully approved.')).toBeVisible();
  await expect(panel(desk.page).getByRole('listitem', { name: 'Approver 1' })).toContainText('Approved', { timeout: 5_000 });
  expect(await call('GET', `/v1/workunits/${String(id)}`)).toMatchObject({ approved1By: chief.userName, workUnitTypeId: 2 });
});

test('another one is declined with a note, and is canceled', async () => {
  const change = { title: 'Move the rack', severityId: 'Sev3', workUnitTypeId: 2, tenantId, ...plan(chief.userName) };
  const { workUnitId } = await call('PUT', '/v1/workunits', change);
  await chief.page.goto(unitAddress(workUnitId));
  await panel(chief.page).getByRole('button', { name: 'Decline as approver 1' }).click();
  const asked = chief.page.getByRole('dialog', { name: 'Decline this change?' });
  await asked.getByLabel('Decision Note').fill('Not in the year-end freeze.');
  await asked.getByRole('button', { name: 'Decline' }).click();
  await expect(chief.page.getByText('Change Request successfully declined.')).toBeVisible();
  await desk.page.goto(unitAddress(workUnitId));
  await expect(panel(desk.page).getByLabel('State', { exact: true })).toHaveValue('Canceled');
  await expect(panel(desk.page).getByRole('listitem', { name: 'Approver 1' })).toContainText('Not in the year-end freeze.');
});

test('a mass edit that is refused for one unit says why, saves the others, and is undone as one', async () => {
  const ids: number[] = [];
  for (const title of ['Door 1', 'Door 2', 'Door 3'])
    ids.push(Number((await call('PUT', '/v1/workunits', { title, severityId: 'Sev3', workUnitTypeId: 1, tenantId }))['workUnitId']));
  const { page } = desk;
  await page.goto(`${world.url}${home}/workunitsv2?search=Door`);
  for (const title of ['Door 1', 'Door 2', 'Door 3']) await page.getByRole('checkbox', { name: `Select ${title}` }).check();
  await page.getByRole('button', { name: 'Actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mass Edit' }).click();
  await panel(page).getByLabel('Field', { exact: true }).selectOption({ label: 'Severity' });
  await panel(page).getByLabel('New value of Severity').selectOption('Sev1');
  // Somebody else is quicker with one of them.
  await call('POST', `/v1/workunits/${ids[1]}`, { severityId: 'Sev0' });
  await panel(page)
    .getByRole('button', { name: /^Save 3/ })
    .click();
  await expect(panel(page).getByRole('alert')).toBeVisible();
  await panel(page).getByRole('button', { name: 'Leave out 1 and save 2' }).click();
  const severities = async () => Promise.all(ids.map(async (id) => (await call('GET', `/v1/workunits/${id}`))['severityId']));
  await expect.poll(severities).toEqual(['Sev1', 'Sev0', 'Sev1']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(severities).toEqual(['Sev3', 'Sev0', 'Sev3']);
});

test('a thousand rows are exported, and no formula among them', async () => {
  await call('PUT', '/v1/workunits', { title: '=1+2', severityId: 'Sev4', workUnitTypeId: 1, tenantId });
  const psql = world.admin(['demo', '--size', 'small', '--seed', '7']);
  expect(psql).toMatchObject({ size: 'small' });
  const { page } = desk;
  await page.goto(`${world.url}${home}/workunitsv2`);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /Export All/ }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  expect(text.split('\n').length).toBeGreaterThan(5);
  expect(text).toContain("'=1+2");
  expect(text).not.toMatch(/(^|,)"?=1/m);
});
