/** The form of an intake, and the conversion to a work unit. */
import { severityOfScope, workUnitType } from '@cloudfit/contract/enums.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { FormLayout } from '../../forms/form-types.ts';
import type { FormValues } from '../../rows/row.ts';
import { PhoneInput } from './phone-input.tsx';
import { TenantInput } from './tenant-input.tsx';
import { TitleInput } from './title-input.tsx';
import { maxTitle, type IntakeDeclaration, type IntakeMode } from './intake-declaration.ts';

/** Minimum length of a title in characters (INTK-017). */
const minTitle = 3;

/** The values of the form. Whether it is a spam call, and the category, are set by buttons, not by fields. */
export type IntakeValues = FormValues<IntakeDeclaration> & { isSpamCall?: unknown; callerCategory?: CallerCategory };

/** The usual category of the caller, which belongs to a tenant. */
interface CallerCategory {
  tenantId: string;
  id: string;
  name: string;
}

/** The category, if it is of the chosen tenant. */
export const categoryOf = ({ callerCategory, tenantId }: IntakeValues): CallerCategory | undefined =>
  callerCategory?.tenantId === tenantId ? callerCategory : undefined;

/** Values of a new call (INTK-029). */
export const blankIntake = {
  isSpamCall: false,
  stakeHolderPhoneNumber: '',
  stakeHolderFullName: '',
  stakeHolderEmailAddress: '',
  tenantId: null,
  title: '',
  description: '',
  protocolId: null,
  source: 'Phone',
  scope: null,
} satisfies IntakeValues;

const textOf = (values: IntakeValues, name: keyof IntakeValues): string => String(values[name] ?? '').trim();

const blankNames = Object.keys(blankIntake) as (keyof typeof blankIntake)[];

/** Whether the intake is still empty. */
export function isBlank(values: IntakeValues): boolean {
  return blankNames.every((name) => textOf(values, name) === textOf(blankIntake, name));
}

/** Returns the first line of a description, which becomes the title (INTK-035). */
export function firstLineOf(description: string): string {
  return (description.trim().split('\n')[0] ?? '').trim().slice(0, maxTitle).trim();
}

export function intakeLayout({ isSpam, hidesTitle }: IntakeMode): FormLayout<IntakeDeclaration> {
  const call: readonly FieldName<IntakeDeclaration>[] = [
    'tenantId',
    'protocolId',
    ...(hidesTitle ? [] : (['title'] as const)),
    'description',
    'source',
    'scope',
  ];
  return {
    sections: [
      { title: t.caller, fields: ['stakeHolderPhoneNumber', 'stakeHolderFullName', 'stakeHolderEmailAddress'] },
      { title: t.call, fields: isSpam ? ['tenantId', 'description'] : call },
    ],
    wide: ['title'],
    inputs: { stakeHolderPhoneNumber: PhoneInput, tenantId: TenantInput, title: TitleInput },
    requiredTexts: isSpam ? {} : { source: `${t.source} is required.`, scope: `${t.scope} is required.` },
    check: (values) => {
      if (isSpam) return {};
      const title = hidesTitle ? firstLineOf(textOf(values, 'description')) : textOf(values, 'title');
      if (title.length >= minTitle) return {};
      return hidesTitle ? { description: t.firstLineShort } : { title: t.titleShort };
    },
  };
}

const caller = ['stakeHolderPhoneNumber', 'stakeHolderFullName', 'stakeHolderEmailAddress', 'description'] as const;

/** Returns the work unit to create. `homeTenant` is its tenant if no tenant was chosen, as in a spam call. */
export function workUnitOf(
  values: IntakeValues,
  { isSpam, hidesTitle }: IntakeMode,
  homeTenant: string | null,
): FormValues<typeof workUnits> {
  const callerTexts = Object.fromEntries(caller.map((name) => [name, textOf(values, name)]).filter(([, text]) => text !== ''));
  const shared = { ...callerTexts, workUnitId: -1, workUnitTypeId: workUnitType.incident, tenantId: values.tenantId ?? homeTenant };
  const category = categoryOf(values);
  // A spam call has fixed values (INTK-030..033).
  if (isSpam) return { ...shared, isSpamCall: true, title: t.spam, stateId: 'Resolved', source: 'Spam', severityId: 'Sev4' };
  return {
    ...shared,
    isSpamCall: false,
    title: hidesTitle ? firstLineOf(textOf(values, 'description')) : textOf(values, 'title'),
    stateId: 'New',
    severityId: severityOfScope(textOf(values, 'scope')),
    source: values.source,
    protocolId: values.protocolId,
    ...(category ? { workUnitCategoryId: category.id } : {}),
  };
}
