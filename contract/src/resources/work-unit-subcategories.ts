import { defineResource, f, one } from '../resource.ts';

/** A finer choice within a category: the Need that a customer chooses (CAT-008, CAT-012). It belongs to its category's tenant. */
export const workUnitSubcategories = defineResource({
  name: 'workUnitSubcategories',
  label: 'Work Unit Subcategory',
  plural: 'Work Unit Subcategories',
  key: 'workUnitSubcategoryId',
  title: 'name',
  area: 'WorkUnits.Subcategories',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update'],
  orderBy: 'name asc',
  portable: { by: ['workUnitCategoryId', 'name'] },
  fields: {
    workUnitSubcategoryId: f.key('Work unit subcategory ID'),
    workUnitCategoryId: f.ref('Category', 'workUnitCategories', { required: true, write: 'create' }),
    name: f.text('Name', { required: true, search: true }),
    isEnabled: f.boolean('Enabled', { initial: true }),
    tenantId: f.ref('Tenant', 'tenants', { write: 'never' }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: {
    tenant: one('tenants', 'tenantId'),
    workUnitCategory: one('workUnitCategories', 'workUnitCategoryId'),
  },
});
