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
  { name: 'directories', path: '{home}/directories', shows: 'Create one to let people of an organisation sign in there' },
  {
    name: 'directory-new',
    path: '{home}/directories',
    shows: 'Whom it signs in',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  { name: 'rule-exceptions', path: '{home}/ruleexceptions', shows: 'Create one to give a tenant its own values' },
  {
    name: 'rule-exception-new',
    path: '{home}/ruleexceptions',
    shows: 'Create Rule Exception',
    act: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  {
    name: 'configuration-moving',
    path: '{home}/configuration',
    shows: 'Without counterpart',
    act: async (page) => {
      await page.getByLabel('File').setInputFiles('server/src/features/configuration/moving/samples/opsgenie.json');
      await page.getByRole('heading', { name: 'Missing here' }).scrollIntoViewIfNeeded();
    },
  },
];
