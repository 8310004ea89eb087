/** The screens of groups of tenants, of selections and policies. */
import type { Screen } from './screen.ts';

export const policyScreens: readonly Screen[] = [
  { name: 'tenant-groups', path: '/tenantgroups', shows: 'Tenant Groups' },
  { name: 'tenant-group-create', path: '/tenantgroups?id=new', shows: 'Add a tenant' },
  { name: 'policies', path: '{home}/policies', shows: 'Every host' },
  { name: 'policies-none', path: '{home}/policies?search=nothing-has-this-name', shows: 'No policies match' },
  { name: 'policy', path: '{home}/policies?id={policy}', shows: 'What saving changes' },
  { name: 'policy-on-devices', path: '{home}/policies?id={policy}&tab=devices', shows: 'As set on' },
  {
    name: 'policy-opens-units',
    path: '{home}/policies?id={policy}',
    shows: 'Open a work unit when',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add check' }).click();
      const choice = page.getByRole('dialog', { name: /^Add check/ }).getByRole('combobox');
      await choice.fill('HTTP');
      await page
        .getByRole('option', { name: /HTTP check/ })
        .first()
        .click();
    },
  },
  {
    name: 'policy-from-template',
    path: '{home}/policies',
    shows: 'What it makes',
    act: async (page) => {
      await page.getByRole('button', { name: 'From a template' }).click();
      await page.getByRole('menuitem', { name: 'Database host' }).click();
    },
  },
  {
    name: 'policy-precedence',
    path: '{home}/policies',
    shows: 'by Every host instead of Historians answer soon',
    act: async (page) => {
      await page.getByRole('button', { name: 'Precedence', exact: true }).click();
      await page.getByRole('button', { name: 'Move Historians answer soon down' }).click();
    },
  },
  {
    name: 'policy-exception',
    path: '{home}/policies?id={policy}&tab=devices',
    shows: 'What it does not have',
    act: (page) => page.getByRole('button', { name: 'Add an exception' }).click(),
  },
  {
    name: 'policy-roll-out',
    path: '{home}/policies?id={policy}',
    shows: 'Begin with ring 1',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Heartbeat' }).fill('90');
      await page.getByRole('button', { name: 'Roll out in rings' }).click();
    },
  },
  {
    name: 'invite-in-all-but-some',
    path: '{home}/people?invite=new',
    shows: 'Except in',
    act: async (page) => {
      // What was typed is kept from one visit to the next.
      if (await page.getByRole('group', { name: 'Set 2' }).isVisible()) return;
      await page.getByRole('button', { name: 'Add another set' }).click();
      await page.getByRole('group', { name: 'Set 2' }).getByRole('combobox', { name: 'Tenant' }).fill('All tenants');
      await page.getByRole('option', { name: 'All tenants' }).click();
    },
  },
  {
    name: 'device-retire',
    path: '{home}/devices/{historian}',
    shows: 'It is disabled, and its agent removes',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Retire and uninstall' }).click();
    },
  },
  { name: 'policy-create', path: '{home}/policies?id=new', shows: 'Add an operation' },
  { name: 'device-selections', path: '{home}/deviceselections', shows: 'All hosts' },
  { name: 'device-selection', path: '{home}/deviceselections?id={selection}', shows: 'devices now' },
  { name: 'device-selection-create', path: '{home}/deviceselections?id=new', shows: 'Devices that meet it join within seconds' },
  { name: 'device-page-policies', path: '{home}/devices/{historian}?part=policies', shows: 'as set' },
];
