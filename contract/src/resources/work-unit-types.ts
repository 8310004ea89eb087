import { defineResource, f } from '../resource.ts';

/** Incident, change request, request and so on. The shipped types have fixed ids (`workUnitType`). */
export const workUnitTypes = defineResource({
  name: 'workUnitTypes',
  label: 'Work Unit Type',
  plural: 'Work Unit Types',
  key: 'workUnitTypeId',
  title: 'name',
  area: 'WorkUnits.Types',
  scope: { kind: 'installation' },
  verbs: ['list'],
  orderBy: 'workUnitTypeId asc',
  fields: {
    workUnitTypeId: f.serial('Work unit type ID'),
    name: f.text('Name', { write: 'never', search: true }),
  },
});
