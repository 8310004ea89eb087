/** The form of an access request: which fields each kind of request shows. The contract's schema validates it. */
import {
  accessRequestForm,
  accountLocations,
  designations,
  organizations,
  requestTypes,
  suffixes,
} from '@cloudfit/contract/access-request.ts';
import { accessRequestTexts as t } from '@cloudfit/contract/messages/access-request.en.ts';
import { defineResource, f, optional, type Field, type FieldName } from '@cloudfit/contract/resource.ts';
import type { FormLayout } from '../../forms/form-types.ts';
import type { FormValues } from '../../rows/row.ts';
import { CheckInput } from './check-input.tsx';
import { PersonalInput } from './personal-input.tsx';

// The form accepts any typed text; the schema reports what is wrong with it.
const text = (label: string, max = 200, help?: string) => optional(f.text(label, { max, ...(help ? { help } : {}) }));
const named = <T extends string>(field: Field<T>, names: Readonly<Record<T, string>>): Field<T> => ({
  ...field,
  choices: Object.entries<string>(names).map(([value, label]) => ({ value, label })),
});

export const accessRequestFields = defineResource({
  name: 'accessRequest',
  label: t.title,
  plural: t.title,
  key: 'stakeholderEmail',
  title: 'stakeholderEmail',
  area: 'WorkUnits',
  scope: { kind: 'installation' },
  verbs: ['create'],
  orderBy: 'stakeholderEmail asc',
  fields: {
    requestType: optional(named(f.choice(t.requestType, requestTypes), t.requestTypes)),
    accountLocation: optional(f.choice(t.environment, accountLocations, { initial: 'IL4' })),
    targetAccountName: text(t.accountName, 320, t.accountNameHelp),
    stakeholderFirstName: text(t.firstName),
    stakeholderMiddleInitial: text(t.middleInitial, 20),
    stakeholderLastName: text(t.lastName),
    stakeholderSuffix: optional(f.choice(t.suffix, suffixes)),
    stakeholderEmail: text(t.email, 320),
    stakeholderPhoneNumber: text(t.phone, 60),
    stakeholderCitizenship: text(t.citizenship),
    stakeholderOrganization: optional(f.choice(t.organization, organizations)),
    stakeholderDesignation: optional(named(f.choice(t.designation, designations), t.designations)),
    stakeholderRank: text(t.grade),
    stakeholderCompanyName: text(t.companyName),
    acknowledgement1: f.boolean(t.acknowledgement1),
    acknowledgement2: f.boolean(t.acknowledgement2),
  },
});

type RequestField = FieldName<typeof accessRequestFields>;
export type RequestValues = FormValues<typeof accessRequestFields>;

const perhaps = ['targetAccountName', 'stakeholderRank', 'stakeholderCompanyName'] as const;

/** Returns the fields that the chosen request type and designation do not use (ACC-011). */
function hiddenFields(values: RequestValues): readonly RequestField[] {
  const shown: Record<(typeof perhaps)[number], boolean> = {
    targetAccountName: values.requestType === 'passwordReset',
    stakeholderRank: values.stakeholderDesignation === 'military',
    stakeholderCompanyName: values.stakeholderDesignation === 'contractor',
  };
  return perhaps.filter((name) => !shown[name]);
}

/** Returns the values to send: hidden fields are null. */
export function answered(values: RequestValues): RequestValues {
  return { ...values, ...Object.fromEntries(hiddenFields(values).map((name) => [name, null])) };
}

function faults(values: RequestValues): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const issue of accessRequestForm.safeParse(answered(values)).error?.issues ?? []) problems[String(issue.path[0])] ??= issue.message;
  return problems;
}

const optionalNames: readonly string[] = ['stakeholderMiddleInitial', 'stakeholderSuffix'] satisfies RequestField[];
const marked = Object.fromEntries(
  Object.entries(accessRequestFields.fields)
    .filter(([name]) => !optionalNames.includes(name))
    .map(([name, field]) => [name, `${field.label} is required.`]),
);
const personal: readonly RequestField[] = [
  'stakeholderFirstName',
  'stakeholderMiddleInitial',
  'stakeholderLastName',
  'stakeholderEmail',
  'stakeholderPhoneNumber',
];

export const accessRequestLayout: FormLayout<typeof accessRequestFields> = {
  sections: [
    { title: t.sections.request, fields: ['requestType', 'accountLocation', 'targetAccountName'] },
    {
      title: t.sections.person,
      fields: [
        'stakeholderFirstName',
        'stakeholderMiddleInitial',
        'stakeholderLastName',
        'stakeholderSuffix',
        'stakeholderEmail',
        'stakeholderPhoneNumber',
        'stakeholderCitizenship',
      ],
    },
    {
      title: t.sections.work,
      fields: ['stakeholderOrganization', 'stakeholderDesignation', 'stakeholderRank', 'stakeholderCompanyName'],
    },
    { title: t.sections.acknowledgements, fields: ['acknowledgement1', 'acknowledgement2'] },
  ],
  hides: hiddenFields,
  wide: ['targetAccountName', 'acknowledgement1', 'acknowledgement2'],
  inputs: {
    ...Object.fromEntries([...personal, 'targetAccountName', 'stakeholderCompanyName'].map((name) => [name, PersonalInput])),
    acknowledgement1: CheckInput,
    acknowledgement2: CheckInput,
  },
  requiredTexts: marked,
  check: faults,
};
