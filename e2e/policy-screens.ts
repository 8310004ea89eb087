/** The screens of groups of tenants, of selections and policies. */
import type { Screen } from './screen.ts';

export const policyScreens: readonly Screen[] = [
  { name: 'tenant-groups', path: '/tenantgroups', shows: 'Tenant Groups' },
  { name: 'tenant-group-create', path: '/tenantgroups?id=new', shows: 'Add a tenant' },
  { name: 'policies', path: '{home}/policies', shows: 'Every host' },
  { name: 'policies-none', path: '{home}/policies?search=nothing-has-this-name', shows: 'No policies match' },
  { name: 'policy', path: '{home}/policies?id={policy}', shows: 'What saving changes' },
  { name: 'policy-create', path: '{home}/policies?id=new', shows: 'Add an operation' },
  { name: 'device-selections', path: '{home}/deviceselections', shows: 'All hosts' },
  { name: 'device-selection', path: '{home}/deviceselections?id={selection}', shows: 'devices now' },
  { name: 'device-selection-create', path: '{home}/deviceselections?id=new', shows: 'Devices that meet it join within seconds' },
  { name: 'device-page-policies', path: '{home}/devices/{historian}?part=policies', shows: 'as set' },
];
