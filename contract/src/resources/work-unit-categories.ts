import { defineResource, f, many, one } from '../resource.ts';

/** What a work unit of one type is about: the Service that a customer chooses in the resolution center (CAT-007..011). */
export const workUnitCategories = defineResource({
  name: 'workUnitCategories',
  label: 'Work Unit Category',
  plural: 'Work Unit Categories',
  key: 'workUnitCategoryId',
  title: 'name',
  area: 'WorkUnits.Categories',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'workUnitTypeId', 'name'] },
  fields: {
    workUnitCategoryId: f.key('Work unit category ID'),
    name: f.text('Name', { required: true, search: true }),
    workUnitTypeId: f.refNumber('Work Unit Type', 'workUnitTypes', { required: true, message: 'Please choose a work unit type.' }),
    isEnabled: f.boolean('Enabled', { initial: true }),
    isVisibleInResolutionCenter: f.boolean('Visible in Resolution Center'),
    tenantId: f.ref('Tenant', 'tenants', { required: true, write: 'create' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitType: one('workUnitTypes', 'workUnitTypeId'),
    subcategories: many('workUnitSubcategories', 'workUnitCategoryId'),
  },
});
