/** The form of a request (RC-021..029). */
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { FormLayout } from '../../forms/form-types.ts';
import { DescriptionInput, NeedInput, PhoneInput, ServiceInput, TenantInput } from './request-inputs.tsx';
import { TitleInput } from './title-input.tsx';
import type { RequestDeclaration } from './request-declaration.ts';

const t = resolutionCenterEn.request;

const fields: readonly FieldName<RequestDeclaration>[] = [
  'title',
  'workUnitCategoryId',
  'workUnitSubcategoryId',
  'description',
  'stakeHolderPhoneNumber',
];

/** The form asks for the tenant unless the address names it or the person has only one. */
export function requestLayout(asksTenant: boolean): FormLayout<RequestDeclaration> {
  return {
    sections: [{ fields: ['tenantId', ...fields] }],
    // The other inputs need its value also when nobody is asked.
    hides: () => (asksTenant ? [] : ['tenantId']),
    wide: ['tenantId', 'title', 'stakeHolderPhoneNumber'],
    inputs: {
      tenantId: TenantInput,
      title: TitleInput,
      workUnitCategoryId: ServiceInput,
      workUnitSubcategoryId: NeedInput,
      description: DescriptionInput,
      stakeHolderPhoneNumber: PhoneInput,
    },
    requiredTexts: { tenantId: t.tenantRequired },
  };
}
