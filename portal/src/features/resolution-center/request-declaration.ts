/** The fields of a request (RC-021..029). */
import { limits } from '@cloudfit/contract/limits.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { f, optional, type Resource } from '@cloudfit/contract/resource.ts';

const t = resolutionCenterEn.request;

export const requestFields = (tenantId: string) => ({
  tenantId: f.ref(t.tenant, 'tenants', { required: true, initial: tenantId }),
  title: f.text(t.title, { required: true, min: 3, max: 500, input: 'text', message: t.titleRequired }),
  workUnitCategoryId: optional(f.guid(t.service)),
  workUnitSubcategoryId: optional(f.guid(t.need)),
  description: f.text(t.description, { required: true, max: limits.noteLength, message: t.descriptionRequired }),
  stakeHolderPhoneNumber: f.text(t.phone, { required: true, max: 60, message: t.phoneRequired, help: t.phoneExample }),
});

export type RequestDeclaration = Resource<ReturnType<typeof requestFields>>;
