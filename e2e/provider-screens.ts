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
  {
    name: 'event-subscriptions',
    path: '{home}/outbox?of=events',
    shows: 'Create one to send changes of work units, matches or communications',
  },
  {
    name: 'event-subscription-new',
    path: '{home}/outbox?of=events',
    shows: 'Which events',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  { name: 'rule-exceptions', path: '{home}/ruleexceptions', shows: 'Create one to give a tenant its own values' },
  {
    name: 'rule-exception-new',
    path: '{home}/ruleexceptions',
    shows: 'Create Rule Exception',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
];
