/** The form with which people request an account or a password reset (ACC), and the summary of a request. */
import { startOf } from './one-line.ts';
import { z } from 'zod/mini';
import { asLines, asOneLine } from './text-checks.ts';

export const requestTypes = ['newAccount', 'passwordReset'] as const;
export const suffixes = ['Jr.', 'Sr.', 'II', 'III', 'IV'] as const;
export const designations = ['military', 'civilianEmployee', 'contractor'] as const;
export const organizations = ['SSC', 'SLD 45 & 30', 'SAF/SQ', 'STARCOM', 'SpOC'] as const;
export const accountLocations = ['IL4', 'Commercial'] as const;

const email = /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/;
const phone = /^\+?[\d\s().-]{7,30}( ?(x|ext\.?) ?\d{1,8})?$/i;
const invalidEmail = 'Please enter a valid email address.';
const invalidPhone = 'Please enter a valid phone number (e.g. 555-010-1234 or +1 555 010 1234 x56).';

const text = (max: number) => z.string().check(...asOneLine('This'), z.maxLength(max, `At most ${max} characters.`));
const required = (message: string, max = 200, checks: typeof asLines | typeof asOneLine = asOneLine) =>
  z.string({ error: message }).check(
    ...checks('This'),
    z.maxLength(max, `At most ${max} characters.`),
    z.refine((value) => value !== '', message),
  );
const choice = <const T extends string>(values: readonly T[], message: string) =>
  z.enum(values as readonly [T, ...T[]], { error: message });
const emailText = required('Email address is required.', 320).check(
  z.refine((value) => value.trim() === '' || email.test(value.trim()), invalidEmail),
);
const phoneText = required('Phone number is required.', 60).check(
  z.refine((value) => value.trim() === '' || phone.test(value.trim()), invalidPhone),
);
const acknowledged = z.literal(true, { error: 'Acknowledgement is required.' });

/** The schema of the form; its messages are the texts that the form shows. */
export const accessRequestForm = z
  .object({
    requestType: choice(requestTypes, 'Request type is required.'),
    stakeholderFirstName: required('First name is required.'),
    stakeholderMiddleInitial: z.nullish(z.string().check(z.regex(/^\p{L}?$/u, 'Please enter a single character.'))),
    stakeholderLastName: required('Last name is required.'),
    stakeholderSuffix: z.nullish(choice(suffixes, `Suffix is one of ${suffixes.join(', ')}.`)),
    stakeholderEmail: emailText,
    stakeholderPhoneNumber: phoneText,
    targetAccountName: z.nullish(text(320)),
    accountLocation: z._default(choice(accountLocations, 'Environment is required.'), 'IL4'),
    stakeholderCitizenship: required('Citizenship is required.'),
    stakeholderDesignation: choice(designations, 'Designation is required.'),
    stakeholderRank: z.nullish(text(200)),
    stakeholderCompanyName: z.nullish(text(200)),
    stakeholderOrganization: choice(organizations, 'Organization is required.'),
    acknowledgement1: acknowledged,
    acknowledgement2: acknowledged,
  })
  .check(
    z.superRefine((form, context) => {
      const say = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
      const account = form.targetAccountName?.trim() ?? '';
      if (form.requestType === 'passwordReset' && account === '') say('targetAccountName', 'Account name is required.');
      if (account !== '' && !email.test(account)) say('targetAccountName', invalidEmail);
      if (form.stakeholderDesignation === 'military' && !form.stakeholderRank?.trim()) say('stakeholderRank', 'Grade is required.');
      if (form.stakeholderDesignation === 'contractor' && !form.stakeholderCompanyName?.trim())
        say('stakeholderCompanyName', 'Company name is required.');
    }),
  );

export type AccessRequestForm = z.infer<typeof accessRequestForm>;

/** The fields of a work unit that a client may send in place of the form. */
export const accessRequestSummary = z.object({
  title: required('Title is required.', 500),
  description: required('Description is required.', 4_000, asLines),
  stakeHolderFullName: required('Name is required.'),
  stakeHolderEmailAddress: emailText,
  stakeHolderPhoneNumber: phoneText,
});

/** Milliseconds from a request to its due date. */
export const requestDueMs = 2 * 86_400_000;

/** Returns the body that the portal sends for a form: a text summary, contact data and a due date in two days. */
export function summaryOf(form: AccessRequestForm, now: Date) {
  const isReset = form.requestType === 'passwordReset';
  const name = [form.stakeholderFirstName, form.stakeholderMiddleInitial, form.stakeholderLastName, form.stakeholderSuffix]
    .map((part) => part?.trim())
    .filter(Boolean)
    .join(' ');
  const lines: readonly [string, string | null | undefined][] = [
    ['Request', isReset ? 'Password reset' : 'New account'],
    ['Name', name],
    ['Email', form.stakeholderEmail],
    ['Phone', form.stakeholderPhoneNumber],
    ['Account name', form.targetAccountName],
    ['Environment', form.accountLocation],
    ['Citizenship', form.stakeholderCitizenship],
    ['Designation', form.stakeholderDesignation],
    ['Grade', form.stakeholderRank],
    ['Company', form.stakeholderCompanyName],
    ['Organization', form.stakeholderOrganization],
  ];
  return {
    title: startOf(`${isReset ? 'Password reset' : 'New account'} for ${name}`, 500),
    description: startOf(
      lines
        .filter(([, value]) => value?.trim())
        .map(([label, value]) => `${label}: ${value?.trim()}`)
        .join('\n'),
      4_000,
    ),
    stakeHolderFullName: startOf(name, 200),
    stakeHolderEmailAddress: form.stakeholderEmail.trim(),
    stakeHolderPhoneNumber: form.stakeholderPhoneNumber.trim(),
    plannedStartTime: now.toISOString(),
    plannedFinishTime: new Date(now.getTime() + requestDueMs).toISOString(),
    severityId: 'Sev3' as const,
  };
}
