/**
 * A provider's week with forty customers: a rule for all with two exceptions, a policy that a new machine gets, a
 * wrong change taken back, and the configuration in a second installation, which then pages somebody.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { SMTPServer } from 'smtp-server';
import { builtInAction } from '../contract/src/enums.ts';
import { shippedSets } from '../server/src/auth/shipped.ts';
import { apiOf, type Api } from './panel-world.ts';
import { tokenApi } from './screen-world.ts';
import { setFirstPassword, showOutputOnFailure, signIn, startWorld, type World } from './world.ts';

test.describe.configure({ mode: 'serial' });

let world: World;
let second: World;
let page: Page;
let api: Api;
let mails: SMTPServer;
let folder = '';
const received: string[] = [];
const customers = 40;
const devicesEach = 3;
const customer = (n: number): string => `Customer ${String(n).padStart(2, '0')}`;
/** The address of the page of a customer. */
const at = (tenant: string, path: string): string => `${world.url}/${tenant}/${path}`;

showOutputOnFailure(() => world);

/** Tenants, subscriptions and devices as one document. */
function fleet(): object {
  const tenants = Array.from({ length: customers }, (_, n) => ({ tenantId: crypto.randomUUID(), name: customer(n + 1) }));
  const subscriptions = tenants.map(({ tenantId }) => ({ tenantId, subscriptionId: crypto.randomUUID(), name: 'Default' }));
  const devices = subscriptions.flatMap(({ tenantId, subscriptionId }) =>
    Array.from({ length: devicesEach }, (_, n) => ({
      tenantId,
      subscriptionId,
      name: `host-${n + 1}`,
      ...(n === 0 ? { tags: 'build' } : {}),
    })),
  );
  return { cloudfit: 'configuration', version: 1, rows: { tenants, subscriptions, devices } };
}

async function idOf(set: string, name: string, key: string, tenantId?: string): Promise<string> {
  const filter = `name eq '${name}'${tenantId ? ` and tenantId eq ${tenantId}` : ''}`;
  const { value } = await api('GET', `/v1/${set}?$filter=${encodeURIComponent(filter)}`, undefined);
  return String((value as Record<string, unknown>[])[0]?.[key]);
}

/** In the first customer: somebody is on call, and a rule opens work units that page them. */
async function pageOnCall(tenantId: string): Promise<void> {
  const { personId } = await api('PUT', '/v1/people', { name: 'Nora', userName: 'nora@example.com' });
  await api('PUT', '/v1/grants', { personId, tenantId, permissionSetId: shippedSets.administrator.id });
  const layer = {
    name: 'Always',
    people: [personId],
    start: '2026-01-05T09:00',
    unit: 'Weeks',
    every: 1,
    restrictions: [],
    holidays: 'Same',
  };
  const schedule = await api('PUT', '/v1/onCallSchedules', { name: 'Nights', tenantId, timeZone: 'Europe/Berlin', layers: [layer] });
  const { protocolId } = await api('PUT', '/v1/protocols', { name: 'Page the night', tenantId });
  await api('PUT', '/v1/protocolActions', {
    protocolId,
    actionDefinitionId: builtInAction.notify,
    workUnitEventTypeId: 1,
    runAutomatically: true,
    summary: 'Page who is on call',
    parameters: JSON.stringify({ Whom: 'Schedule', ScheduleId: schedule['onCallScheduleId'] }),
  });
  await api('PUT', '/v1/rules', {
    name: 'Boiler is hot',
    ruleTypeId: 1,
    tenantId,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Temperature', Operator: 3, RightOperand: '90' }],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev1', ProtocolId: protocolId } }],
  });
}

let firstCustomer = '';

test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), 'cloudfit-week-'));
  mails = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        received.push(`${session.envelope.rcptTo.map(({ address }) => address).join()} ${source}`);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => mails.listen(0, '127.0.0.1', resolve));
  const { port } = mails.server.address() as AddressInfo;
  [world, second] = await Promise.all([
    startWorld(),
    startWorld({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'desk@example.com' } }),
  ]);
  page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  page.setDefaultTimeout(20_000);
  await setFirstPassword(page, world);
  await signIn(page, world);
  await expect(page).toHaveURL(/\/[0-9a-f-]{36}$/);
  api = tokenApi(world, '--all-tenants');
  const file = join(folder, 'fleet.json');
  writeFileSync(file, JSON.stringify(fleet()));
  expect(world.admin(['import', file])).toMatchObject({ added: customers * (devicesEach + 2) });
  firstCustomer = await idOf('tenants', customer(1), 'tenantId');
  await pageOnCall(firstCustomer);
});

test.afterAll(async () => {
  await page?.context().close();
  await Promise.all([world?.remove(), second?.remove()]);
  await new Promise<void>((resolve) => mails.close(() => resolve()));
  rmSync(folder, { recursive: true, force: true });
});

const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
const toast = (text: string | RegExp) => expect(page.locator('.toasts').getByText(text).first()).toBeVisible();

async function clear(name: RegExp): Promise<void> {
  const box = page.getByRole('combobox', { name }).filter({ visible: true }).first();
  await page.locator('.combo').filter({ has: box }).getByRole('button', { name: 'Clear' }).click();
}

async function choose(name: string | RegExp, typed: string): Promise<void> {
  const box = page.getByRole('combobox', { name }).filter({ visible: true }).first();
  // The name that the form begins with may come while the text is filled in, and then stands before it.
  await expect(async () => {
    await box.fill(typed);
    expect(await box.inputValue()).toBe(typed);
  }).toPass();
  await page.getByRole('option', { name: typed }).first().click();
}

test('a rule is written once for all customers', async () => {
  await page.goto(at(firstCustomer, 'rules'));
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const form = dialog('Create Rule');
  await form.getByLabel(/^Name/).fill('Disk is filling up');
  await form.getByLabel(/^Rule type/).selectOption('Ingestion');
  await clear(/^Tenant/);
  await form.getByRole('button', { name: 'Next: Conditions' }).click();
  // The condition on the tenant has gone with the tenant.
  await expect(page.getByRole('group', { name: 'Condition 1 of 1', exact: true }).getByLabel('What to compare')).toBeFocused();
  await page.keyboard.type('Metric');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Disk');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('85');
  await page.keyboard.press('Control+Enter');
  await toast('Rule created.');
  const [rule] = (await api('GET', `/v1/rules?$filter=name eq 'Disk is filling up'`, undefined))['value'] as Record<string, unknown>[];
  expect(rule).toMatchObject({ tenantId: null, tenantGroupId: null, conditions: [{ RightOperand: '85' }] });
});

test('one customer is left out for a time, machines with a tag have their own value, and each customer sees what it has', async () => {
  const ruleId = await idOf('rules', 'Disk is filling up', 'ruleId');
  const form = dialog('Create Rule Exception');
  await page.goto(`${world.url}/ruleexceptions?id=new&f.ruleId=${ruleId}`);
  await choose(/^Tenant/, customer(7));
  await form.getByLabel('Does not hold here').check();
  await form.getByLabel(/^Until/).fill('2036-01-31T12:00');
  await form.getByLabel(/^Reason/).fill('They move to new disks');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  await page.goto(`${world.url}/ruleexceptions?id=new&f.ruleId=${ruleId}`);
  await form.getByLabel(/^For/).selectOption('Tag');
  // The form begins with the chosen customer.
  await clear(/^Tenant/);
  await form.getByLabel('Tag', { exact: true }).fill('build');
  await form.getByLabel('Lifetime').fill('00:20:00');
  await form.getByLabel(/^Reason/).fill('Builds fill disks');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  for (const [n, state] of [
    [7, 'Switched off'],
    [8, 'As for all'],
  ] as const) {
    const id = await idOf('tenants', customer(n), 'tenantId');
    await page.goto(`${world.url}/tenants?id=${id}&tab=rules`);
    const row = page.getByRole('row').filter({ hasText: 'Disk is filling up' });
    await expect(row).toContainText(state);
    await expect(row).toContainText('Tag build');
    if (n !== 7) continue;
    for (const text of ['They move to new disks', 'admin@localhost']) await expect(row).toContainText(text);
    await expect(row.getByLabel(/Until$/)).toHaveValue(/^2036-01-31T12:00/);
  }
});

test('a machine that is enrolled gets what the policy says', async () => {
  const { deviceSelectionId } = await api('PUT', '/v1/deviceSelections', {
    name: 'New hosts',
    filter: "startswith(name,'new-')",
    tenantId: null,
  });
  expect(deviceSelectionId).toBeTruthy();
  await page.goto(at(firstCustomer, 'policies?id=new'));
  const form = dialog('Create Policy');
  await form.getByLabel(/^Name/).fill('Every new host');
  await clear(/^Tenant/);
  await choose(/^Selection/, 'New hosts');
  await form.getByLabel(/^Tags/).fill('managed');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  const tenantId = await idOf('tenants', customer(9), 'tenantId');
  const rights = { scopes: ['agent'], permissionSetId: shippedSets.administrator.id, lifetimeYears: 1 };
  const { generatedToken } = await api('PUT', '/v1/tokens', { name: 'Machines', tenantId, ...rights });
  const callAsCustomer = apiOf(world.url, String(generatedToken));
  const { pendingDeviceId } = await callAsCustomer('POST', '/v1/agent/register', {
    machineKey: crypto.randomUUID(),
    machineName: 'new-db-1',
    operatingSystem: 'Debian 12',
    architecture: 'x64',
    agentVersion: '1.0.0',
  });
  const subscriptionId = await idOf('subscriptions', 'Default', 'subscriptionId', tenantId);
  await callAsCustomer('POST', `/v1/pendingdevices/batchpromote?subscriptionId=${subscriptionId}`, [pendingDeviceId]);
  const tags = async () =>
    ((await api('GET', "/v1/devices?$filter=name eq 'new-db-1'", undefined))['value'] as { tags: string | null }[])[0]?.tags;
  await expect.poll(tags, { timeout: 20_000 }).toBe('managed');
});

test('a wrong change is seen in the history of the rule and taken back', async () => {
  const ruleId = await idOf('rules', 'Disk is filling up', 'ruleId');
  const value = async () =>
    ((await api('GET', `/v1/rules(${ruleId})`, undefined))['conditions'] as { RightOperand: string }[])[0]?.RightOperand;
  await page.goto(at(firstCustomer, `rules?id=${ruleId}&tab=conditions`));
  await page
    .getByRole('group', { name: /^Condition 1 of/ })
    .getByRole('textbox', { name: 'Value' })
    .fill('8');
  await page.keyboard.press('Control+Enter');
  await toast('Rule saved.');
  expect(await value()).toBe('8');
  await page.goto(at(firstCustomer, 'rules?search=Disk'));
  await page.getByRole('button', { name: 'Actions for Disk is filling up' }).click();
  await page.getByRole('menuitem', { name: 'History of this' }).click();
  // The newest entry is the slip; the first one is the version to go back to.
  await expect(page.locator('tbody tr[data-row]')).toHaveCount(2);
  await page.locator('tbody tr[data-row]').last().click();
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await expect(page.getByRole('dialog').getByText('85').first()).toBeVisible();
  await page.getByLabel('Why (optional)').fill('8 was a slip');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await toast('1 row was restored.');
  expect(await value()).toBe('85');
});

test('the configuration goes to a second installation, whose packet pages who is on call', async () => {
  const code = join(folder, 'code');
  expect(Number(world.admin(['config', 'export', code])['files'])).toBeGreaterThan(customers * 2);
  const applied = second.admin(['config', 'apply', code, '--make', '--note', 'The second site']);
  expect(applied).toMatchObject({ left: [], missing: [] });
  const there = tokenApi(second, '--tenant', customer(1));
  const [subscription] = (await there('GET', '/v1/subscriptions', undefined))['value'] as Record<string, string>[];
  const home = { tenantId: subscription?.['tenantId'], subscriptionId: subscription?.['subscriptionId'] };
  const { deviceId } = await there('PUT', '/v1/devices', { name: 'boiler-1', ...home });
  await there('POST', '/v1/packets', { entityId: deviceId, message: { Metrics: { Temperature: 97 } } });
  await expect
    .poll(() => received.find((mail) => mail.startsWith('nora@example.com')) ?? '', { timeout: 30_000 })
    .toContain('Boiler is hot');
});
