/** Calls about people: names, photos, sign-ins by the embedded provider, second factors, invitations, grants and access. */
import { z } from 'zod';
import { defineAction, rowOf, type AnsweredRow } from '../action.ts';
import { maxNames } from '../people-names.ts';
import { guidSchema } from '../resource.ts';

export const namesOfPeople = defineAction({
  name: 'namesOfPeople',
  method: 'POST',
  path: '/v1/people/names',
  reads: true,
  access: 'signed-in',
  about:
    'The display names and photos of people whom a page knows by their sign-in names. Answers only people with whom the caller shares a tenant; anybody else is shown by the sign-in name.',
  input: z.object({ userNames: z.array(z.string().min(1).max(320)).max(maxNames) }),
  output: z.object({
    value: z.array(
      z.object({
        userName: z.string(),
        name: z.string(),
        /** The address of the photo, which contains the photo's digest; null without a photo. */
        photo: z.string().nullable(),
      }),
    ),
  }),
});

export const photoOfPerson = defineAction({
  name: 'photoOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/photo',
  access: 'signed-in',
  about:
    'The photo of a person with whom the caller shares a tenant; 404 without one. `v`, the SHA-256 of the photo, lets browsers keep the answer.',
  input: z.object({ id: guidSchema, v: z.optional(z.string().max(64)) }),
  content: 'image/*',
});

export const removePhotoOfPerson = defineAction({
  name: 'removePhotoOfPerson',
  method: 'DELETE',
  path: '/v1/people/{id}/photo',
  access: { area: 'People', verb: 'edit' },
  about: 'Removes the photo of a person, who may set another one. The one of the identity provider is not used from then on.',
  input: z.object({ id: guidSchema }),
});

export const listSessionsOfPerson = defineAction({
  name: 'listSessionsOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/sessions',
  access: { area: 'People', verb: 'edit' },
  about: 'Active sign-ins by the embedded provider, newest first.',
  input: z.object({ id: guidSchema }),
  output: z.array(z.object({ sessionId: z.string(), signedInOn: z.string(), withPasskey: z.boolean(), withCode: z.boolean() })),
});

export const removeSecondFactor = defineAction({
  name: 'removeSecondFactor',
  method: 'PUT',
  path: '/v1/people/{id}/secondFactor/remove',
  access: { area: 'People', verb: 'edit' },
  about: 'Removes all passkeys, one-time codes and recovery codes of a person, who is notified by mail.',
  input: z.object({ id: guidSchema }),
  output: z.object({ passkeys: z.number(), codes: z.boolean() }),
});

export const endSessionsOfPerson = defineAction({
  name: 'endSessionsOfPerson',
  method: 'PUT',
  path: '/v1/people/{id}/sessions/end',
  access: { area: 'People', verb: 'edit' },
  about: 'Ends one sign-in of a person, or all of them, with all of their tokens. Returns the number of ended ones.',
  input: z.object({ id: guidSchema, sessionId: z.optional(z.string().max(100)) }),
  output: z.object({ ended: z.number() }),
});

const grantOfPerson = z.object({
  grantId: z.string(),
  /** The group of the identity provider that has the grant; null when the person has it. */
  claim: z.string().nullable(),
  tenantId: z.string().nullable(),
  tenantName: z.string().nullable(),
  /** False while the tenant of the grant is disabled, so that the grant has no effect. */
  isOpen: z.boolean(),
  permissionSetId: z.string(),
  permissionSet: z.string(),
  created: z.string(),
  /** Why the caller may not end the grant; null when they may. */
  problem: z.string().nullable(),
});

export const accessOfPerson = defineAction({
  name: 'accessOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/access',
  access: { area: 'People', verb: 'view' },
  about: 'The grants of a person in tenants whose people the caller may view: their own, and those of the groups of their last sign-in.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    grants: z.array(grantOfPerson),
    /**
     * The groups of the person's last sign-in. A caller without the permission in all tenants sees only groups with a grant
     * in `grants`.
     */
    groups: z.array(z.string()),
  }),
});

export const seeAsPerson = defineAction({
  name: 'seeAsPerson',
  method: 'POST',
  path: '/v1/people/{id}/seeAs',
  access: { area: 'People', verb: 'edit' },
  about:
    'Lets an administrator see what a person sees, for half an hour and without changing anything. For people who may edit People in all tenants; audited.',
  input: z.object({ id: guidSchema }),
  output: z.object({ seeAsId: z.string(), personId: z.string(), name: z.string(), expires: z.string() }),
});

export const grantChoices = defineAction({
  name: 'grantChoices',
  method: 'GET',
  path: '/v1/permissionSets/choices',
  access: { area: 'People', verb: 'view' },
  about: 'The permission sets for a grant in a tenant (without a tenant: in all), and why the caller may not give one.',
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: z.array(
    z.object({
      permissionSetId: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      /** Why the set cannot be given; null when it can. */
      problem: z.string().nullable(),
    }),
  ),
});

export const changeGrant = defineAction({
  name: 'changeGrant',
  method: 'PUT',
  path: '/v1/grants/{id}/permissionSet',
  access: { area: 'People', verb: 'create' },
  about: "Gives another permission set in place of a grant's, in one step. Answers the new grant.",
  input: z.object({ id: guidSchema, permissionSetId: guidSchema }),
  output: rowOf('grants'),
});

export const invitationState = defineAction({
  name: 'invitationState',
  method: 'GET',
  path: '/v1/invitations/state',
  access: { area: 'People', verb: 'create' },
  about:
    'Why the caller can invite nobody, and what to do instead; null where they can. `byLink`: the caller gets the link and passes it on, because no mail server is set.',
  input: z.object({}),
  output: z.object({ problem: z.nullable(z.string()), byLink: z.boolean() }),
});

interface SentInvitation extends AnsweredRow<'invitations'> {
  link?: string | undefined;
}

// Its type has a name, because the types of the client cannot spell an intersection with a row.
const sentInvitation: z.ZodType<SentInvitation> = z.intersection(rowOf('invitations'), z.object({ link: z.optional(z.string()) }));

const invitedPlace = {
  permissionSetId: guidSchema,
  tenantId: z.nullish(guidSchema),
  except: z
    .optional(z.array(guidSchema).max(1_000, 'Name at most 1,000 tenants.'))
    .describe('Without a tenant: the set in each tenant that is there now, except in these.'),
};

export const invitePerson = defineAction({
  name: 'invitePerson',
  method: 'POST',
  path: '/v1/people/invite',
  access: { area: 'People', verb: 'create' },
  about:
    'Sends somebody a link by mail, good once and for a week, by which they accept the permission set in the tenant (without a tenant: in all), and those in `also`. People without an account get one and choose a password. The answer does not say whether they have one. Without a mail server, people who may invite in all tenants get it as `link` in the answer, once.',
  noStore: true,
  input: z.object({
    email: z.string().trim(),
    name: z.string().trim(),
    ...invitedPlace,
    /** Further sets, in these or other tenants, which the same link accepts. */
    also: z.array(z.strictObject(invitedPlace)).max(50, 'One invitation gives at most 50 further permission sets.').default([]),
  }),
  output: sentInvitation,
});

export const holdersOfSet = defineAction({
  name: 'holdersOfSet',
  method: 'GET',
  path: '/v1/permissionSets/{id}/holders',
  access: { area: 'People', verb: 'view' },
  about: 'Who loses or gets something when a permission set changes: numbers over the tenants whose people the caller may view.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    /** The number of enabled people who have the set by a personal grant or by a group of their last sign-in. */
    people: z.number(),
    /** The first of these people by name, among those whom the caller may see. */
    names: z.array(z.string()),
    groups: z.number(),
    tokens: z.number(),
  }),
});

const explainedGrant = z.object({
  permissionSet: z.string(),
  /** The group of the identity provider that has the grant; null when the person has it. */
  claim: z.string().nullable(),
  /** Null: all tenants. */
  tenantName: z.string().nullable(),
});

const explainedAccess = z.object({
  person: z.object({ name: z.string(), userName: z.string(), enabled: z.boolean(), groups: z.array(z.string()) }),
  /** What the question is about, in words: a permission, a call, or a row and a verb. */
  subject: z.string(),
  /** The tenant in which the permission is required; null: in all tenants; absent: in any. */
  tenantId: z.string().nullish(),
  tenantName: z.string().nullable(),
  isAllowed: z.boolean(),
  /** Why the action is refused whatever the permissions are, such as a disabled account; null when only permissions decide. */
  obstacle: z.string().nullable(),
  /** One of these permissions is required, each with the grants that give it. */
  permissions: z.array(z.object({ permission: z.string(), grants: z.array(explainedGrant) })),
  /** Up to five permission sets that would give what is missing, those with the fewest permissions first. */
  sets: z.array(z.string()),
  /** Up to five people who may give the missing permission. */
  askedPeople: z.array(z.object({ name: z.string(), userName: z.string() })),
});
export type ExplainedAccess = z.infer<typeof explainedAccess>;

export const explainAccess = defineAction({
  name: 'explainAccess',
  method: 'GET',
  path: '/v1/people/{id}/why',
  access: { area: 'People', verb: 'view' },
  about:
    "Why a person may or may not do something. Exactly one question: a `permission`, a `call` such as `PUT /v1/devices`, or a row, by `entity`, `key` and `verb`, which is tried in the person's name without effects. Answers what the caller may see of it.",
  input: z.object({
    id: guidSchema,
    permission: z.optional(z.string()),
    call: z.optional(z.string().max(500)),
    entity: z.optional(z.string()),
    key: z.optional(z.string().max(100)),
    verb: z.enum(['view', 'edit', 'delete'], { error: 'verb is view, edit or delete.' }).default('view'),
    tenantId: z.optional(guidSchema),
  }),
  output: explainedAccess,
});

export const explainOwnAccess = defineAction({
  name: 'explainOwnAccess',
  method: 'GET',
  path: '/v1/currentUser/why',
  access: 'signed-in',
  about: 'Why the caller may or may not do something that needs one permission: what is missing, and whom to ask.',
  input: z.object({ permission: z.string(), tenantId: z.optional(guidSchema) }),
  output: explainedAccess,
});
