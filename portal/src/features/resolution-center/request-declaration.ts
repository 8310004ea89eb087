/** The fields of a request, declared like those of a resource (RC-021..029). */
import { limits } from '@cloudfit/contract/limits.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { defineResource, f, optional } from '@cloudfit/contract/resource.ts';

const t = resolutionCenterEn.request;

export const requestDeclaration = defineResource({
  name: 'request',
  label: t.title,
  plural: t.title,
  key: 'title',
  title: 'title',
  area: 'WorkUnits',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['create'],
  orderBy: 'title asc',
  fields: {
    tenantId: f.ref(t.tenant, 'tenants', { required: true }),
    title: f.text(t.title, { required: true, min: 3, max: 500, input: 'text', message: t.titleRequired }),
    workUnitCategoryId: optional(f.guid(t.service)),
    workUnitSubcategoryId: optional(f.guid(t.need)),
    description: f.text(t.description, { required: true, max: limits.noteLength, message: t.descriptionRequired }),
    stakeHolderPhoneNumber: f.text(t.phone, { required: true, max: 60, message: t.phoneRequired, help: t.phoneExample }),
  },
});
