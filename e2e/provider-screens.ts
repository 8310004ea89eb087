/** The screens of sources, and of what single tenants have otherwise than a rule of several. */
import type { Screen } from './screen.ts';

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
  { name: 'rule-exceptions', path: '{home}/ruleexceptions', shows: 'Create one to give a tenant its own values' },
  {
    name: 'rule-exception-new',
    path: '{home}/ruleexceptions',
    shows: 'Create Rule Exception',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
];
