/** The screens of sources, and of what single tenants have otherwise than a rule of several. */
import type { Page } from '@playwright/test';
import type { Screen } from './screen.ts';

async function openLinks(page: Page) {
  await page.getByRole('button', { name: 'Actions for Wall of the night shift' }).click();
  await page.getByRole('menuitem', { name: 'Links without sign-in' }).click();
}

async function makeLink(page: Page): Promise<string> {
  await openLinks(page);
  await page.getByLabel('Where it is shown').fill('Screen in the lobby');
  await page.getByRole('button', { name: 'Make link' }).click();
  return page.getByRole('status').locator('code').innerText();
}

/** Pastes a table of the list, and has it tried. */
const readLines = (list: string, lines: readonly string[]) => async (page: Page) => {
  const tables = page.getByRole('region', { name: 'Spreadsheets' });
  await tables.getByLabel('What is in it').selectOption(list);
  await tables.getByLabel(/^Or paste/).fill(lines.join('\n'));
  await tables.getByRole('button', { name: 'Read', exact: true }).click();
  await tables.getByRole('columnheader', { name: 'Heading in the file' }).scrollIntoViewIfNeeded();
};
/** Makes an exception of the rule for a new tag, and opens it on the rule. */
async function exceptByTag(page: Page) {
  const form = page.getByRole('dialog', { name: 'Create Rule Exception' });
  await form.getByLabel(/^For/).selectOption('Tag');
  await form.getByLabel('Tag', { exact: true }).fill(`night-${Date.now()}`);
  await form.getByLabel('Lifetime').fill('00:20:00');
  await form.getByLabel(/^Reason/).fill('Batch jobs run at night');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  const address = new URL(page.url());
  await page.goto(new URL(address.pathname.replace(/ruleexceptions$/, `rules?id=${address.searchParams.get('f.ruleId')}`), address).href);
  await page.locator('summary', { hasText: /exception/ }).click();
}

export const providerScreens: readonly Screen[] = [
  { name: 'sources', path: '{home}/sources', shows: 'Create one to let Alertmanager, Grafana or another program report here.' },
  {
    name: 'source-new',
    path: '{home}/sources',
    shows: 'Names and values',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  {
    name: 'mailboxes',
    path: '{home}/mailboxes',
    shows: 'Create one to let mails to an address such as support@example.com open work units.',
  },
  {
    name: 'mailbox-new',
    path: '{home}/mailboxes',
    shows: 'What its mails open',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  {
    name: 'mailbox-oauth',
    path: '{home}/mailboxes',
    shows: 'Token address',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByLabel('Host', { exact: true }).fill('outlook.office365.com');
      await page.getByLabel('Sign-in', { exact: true }).selectOption({ label: 'OAuth 2.0' });
      await page.getByLabel('Folder', { exact: true }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'directories', path: '{home}/directories', shows: 'Create one to let people of an organisation sign in there' },
  {
    name: 'directory-new',
    path: '{home}/directories',
    shows: 'Whom it signs in',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  { name: 'customers', path: '{home}/dashboards/customers', shows: 'silent of' },
  { name: 'customers-kiosk', path: '{home}/kiosk/customers', shows: 'silent of' },
  {
    name: 'dashboard-variables',
    path: '{home}/dashboards/{dashboard}?edit=1',
    shows: 'What people choose at the top',
    act: (page) => page.getByRole('button', { name: 'Variables' }).click(),
  },
  {
    name: 'dashboard-tile-scope',
    path: '{home}/dashboards/{dashboard}?edit=1',
    shows: 'A part for each customer',
    act: (page) => page.getByRole('button', { name: /^Settings of Fleet/ }).click(),
  },
  {
    name: 'dashboard-links',
    path: '{home}/dashboards/{dashboard}',
    shows: 'The link is ready.',
    act: async (page) => void (await makeLink(page)),
  },
  {
    name: 'wall',
    path: '{home}/dashboards/{dashboard}',
    shows: 'Link valid until',
    act: async (page) => {
      await page.goto(await makeLink(page));
      await page.reload();
    },
  },
  { name: 'customer-templates', path: '/customers/templates', shows: 'Small site' },
  {
    name: 'customer-template-from',
    path: '/customers/templates',
    shows: 'Make template',
    act: (page) => page.getByRole('button', { name: 'From a customer', exact: true }).click(),
  },
  { name: 'customer-new', path: '/tenants?customer=new', shows: 'What will be made' },
  {
    name: 'customer-new-preview',
    path: '/tenants?customer=new',
    shows: 'Pumping stations',
    act: async (page) => {
      await page.getByLabel('Template', { exact: true }).selectOption('Small site');
      await page.getByRole('button', { name: 'Add person' }).click();
    },
  },
  { name: 'tenant-offboarding', path: '/tenants?id={tenant}&tab=offboarding', shows: 'Everything deleted' },
  { name: 'offboardings', path: '/customers/ended', shows: 'No customer has ended yet.' },
  {
    name: 'event-subscriptions',
    path: '{home}/outbox?of=events',
    shows: 'Create one to send changes to another system as CloudEvents',
  },
  {
    name: 'event-subscription-new',
    path: '{home}/outbox?of=events',
    shows: 'Which events',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  {
    name: 'event-subscription-batch',
    path: '{home}/outbox?of=events',
    shows: 'Wait for a batch in s',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByLabel('Mode of CloudEvents', { exact: true }).selectOption('Batch');
      await page.getByLabel('Wait for a batch in s').scrollIntoViewIfNeeded();
    },
  },
  { name: 'rule-exceptions', path: '{home}/ruleexceptions', shows: 'Create one to give a tenant, a tag or a device' },
  {
    name: 'event-subscription-slack',
    path: '{home}/outbox?of=events',
    shows: 'Secret of its signatures',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByLabel('Receiver', { exact: true }).selectOption('Slack');
    },
  },
  {
    name: 'rule-exception-new',
    path: '{home}/ruleexceptions',
    shows: 'Create Rule Exception',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  { name: 'rule-exceptions-of-rule', path: '{home}/ruleexceptions?id=new&f.ruleId={blockRule}', shows: 'Tag night-', act: exceptByTag },
  { name: 'device-page-rules', path: '{home}/devices/{device}?part=rules', shows: 'Of several that fit' },
  { name: 'tenant-rules', path: '/tenants?id={tenant}&tab=rules', shows: 'No rule of several tenants is for this tenant.' },
  {
    name: 'configuration-moving',
    path: '{home}/configuration',
    shows: 'Without counterpart',
    act: async (page) => {
      await page.getByLabel('File').setInputFiles('server/src/features/configuration/moving/samples/opsgenie.json');
      await page.getByRole('heading', { name: 'Missing here' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'import-devices',
    path: '{home}/configuration',
    shows: 'What would change',
    act: readLines('devices', [
      'Rechner;Beschreibung;Schlagworte;Standort;Betriebssystem;Aktiv;Bemerkung zur Wartung',
      'mill-web-1;"Front, second rack";site:Riga, prod;;Ubuntu 24.04;ja;bis 2027',
      'mill-db-1;Orders;site:Riga, prod;Nowhere;Windows Server 2022;nein;',
      'mill-db-2;Orders, replica;site:Riga;;Amiga;vielleicht;',
      'mill-web-1;again;;;;;',
      'mill-nas;"=HYPERLINK(""http://x"")";;;Linux;ja;',
    ]),
  },
  {
    name: 'import-tickets',
    path: '{home}/configuration',
    shows: 'can be read in two ways',
    act: readLines('tickets', [
      'Ticket Number,Subject,Status,Priority,Date Created,From,From Email,Assigned To,Comments',
      '480123,VPN is down again,Closed,Emergency,02/01/2026 8:00 AM,Cy Clay,cy@example.com,Ann Arbor,"2026-02-01 09:00 Ann: called the provider"',
      '480124,A key is missing,Open,Normal,02/05/2026 9:00 AM,Cy Clay,cy@example.com,,',
    ]),
  },
];
