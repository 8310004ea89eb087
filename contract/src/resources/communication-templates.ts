import { defineResource, f, one, optional } from '../resource.ts';
import { updateTextMax } from './communication-updates.ts';

/** Texts from which authors begin an update, of one tenant or of all. */
export const communicationTemplates = defineResource({
  name: 'communicationTemplates',
  label: 'Update Template',
  plural: 'Update Templates',
  about: 'A text from which an update of a communication begins. What stands in braces is filled in.',
  key: 'communicationTemplateId',
  title: 'name',
  area: 'WorkUnitCommunications',
  scope: { kind: 'tenant-or-global', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  portable: { by: ['tenantId', 'name'] },
  fields: {
    communicationTemplateId: f.key('Template ID'),
    name: f.text('Name', { required: true, search: true }),
    detail: f.text('Text', {
      required: true,
      max: updateTextMax,
      search: true,
      help: 'Filled in for each update: {Title}, {Reference}, {Services}, {CurrentImpact}, {Started}, {NextUpdate}.',
    }),
    tenantId: optional(f.ref('Tenant', 'tenants', { write: 'create' })),
    created: f.timestamp('Created', { write: 'never' }),
    createdBy: f.person('Created by', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
