/** The form of a request (RC-021..029). */
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { FormLayout } from '../../forms/form-types.ts';
import { DescriptionInput, NeedInput, PhoneInput, ServiceInput } from './request-inputs.tsx';
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

/** The form asks for the tenant only when neither the address nor the person determines it. */
export function requestLayout(asksTenant: boolean): FormLayout<RequestDeclaration> {
  return {
    sections: [{ fields: asksTenant ? ['tenantId', ...fields] : fields }],
    wide: ['tenantId', 'title', 'stakeHolderPhoneNumber'],
    inputs: {
      title: TitleInput,
      workUnitCategoryId: ServiceInput,
      workUnitSubcategoryId: NeedInput,
      description: DescriptionInput,
      stakeHolderPhoneNumber: PhoneInput,
    },
    requiredTexts: { tenantId: t.tenantRequired },
  };
}
