/** The screens of communications, and of what customers choose to be told. */
import type { Screen } from './screen.ts';

export const communicationScreens: readonly Screen[] = [
  { name: 'communications', path: '{home}/workunitcommunications', shows: 'Mail is down' },
  {
    name: 'communications-filter',
    path: '{home}/workunitcommunications',
    shows: 'Resolved until',
    act: (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  },
  { name: 'communication', path: '{home}/workunitcommunications?publicWuCommId={communication}', shows: 'Impacted Services' },
  {
    name: 'communication-steps',
    path: '{home}/workunitcommunications?publicWuCommId={communication}&tab=steps',
    shows: 'The queue was stopped.',
  },
  {
    name: 'communication-work-units',
    path: '{home}/workunitcommunications?publicWuCommId={communication}&tab=workUnits',
    shows: 'Link a work unit',
  },
  {
    name: 'communication-updates',
    path: '{home}/workunitcommunications?publicWuCommId={communication}&tab=updates',
    shows: 'Published updates',
  },
  {
    name: 'communication-mail-preview',
    path: '{home}/workunitcommunications?publicWuCommId={communication}&tab=updates',
    shows: 'Published updates',
    act: async (page) => {
      await page.getByLabel('What customers should know').fill('All mail has been delivered.');
      await page.getByRole('button', { name: 'Preview mail to contacts…' }).click();
      await page.getByText('Goes to 2 contacts').waitFor();
    },
  },
  { name: 'communication-contacts', path: '{home}/communicationcontacts', shows: 'Ada Lind' },
  { name: 'communication-templates', path: '{home}/communicationtemplates', shows: 'First update' },
  { name: 'communication-create', path: '{home}/workunitcommunications?publicWuCommId=new', shows: 'Create Communication' },
  {
    name: 'external-report',
    path: '{home}/workunitcommunications?report=ExternalReport&reportOf={communication}',
    shows: 'Dear My organisation team,',
  },
  { name: 'internal-report', path: '{home}/workunitcommunications?report=InternalReport&reportOf={communication}', shows: 'Timeline' },
  {
    name: 'own-subscription',
    path: '{home}/resolutioncenter',
    shows: 'News by Mail',
    act: (page) => page.getByRole('button', { name: 'News by Mail' }).click(),
  },
];
