/** Calls about the signed-in person: permissions, the tenant and subscription that they work in, sign-out and photo. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { formats, languages, weekStarts } from '../messages/language.ts';
import { photoLimits } from '../photos.ts';
import { guidSchema } from '../resource.ts';
import { isTimeZone } from '../rules/time-window.ts';

/** What a person chose about language and region; null: as the browser, or as the language usually has it. */
const locale = z.object({
  language: z.enum(languages, { error: `A language is one of ${languages.join(', ')}.` }).nullable(),
  timeZone: z.string().max(100).refine(isTimeZone, 'This time zone is not known.').nullable(),
  /** 0 is Sunday. */
  weekStart: z.literal(weekStarts, { error: `A week starts on one of the days ${weekStarts.join(', ')}.` }).nullable(),
  format: z.enum(formats, { error: `A format is one of ${formats.join(', ')}.` }).nullable(),
});

export const currentUser = defineAction({
  name: 'currentUser',
  method: 'GET',
  path: '/v1/currentUser',
  access: 'signed-in',
  about: 'Who the caller is.',
  input: z.object({}),
  output: z.object({
    personId: z.string().nullable(),
    name: z.string(),
    userName: z.string(),
    tenantId: z.string().nullable(),
    subscriptionId: z.string().nullable(),
    /** SHA-256 of the photo; null without a photo. */
    photo: z.string().nullable(),
    /** Language and region; null for callers that are no people. */
    locale: locale.nullable(),
  }),
});

export const changeOwnLocale = defineAction({
  name: 'changeOwnLocale',
  method: 'PUT',
  path: '/v1/currentUser/locale',
  access: 'signed-in',
  about: 'Changes the language and region of the caller in the portal.',
  input: locale,
  output: locale,
});

export const permissionsOfCaller = defineAction({
  name: 'permissions',
  method: 'GET',
  path: '/v1/permissions',
  access: 'signed-in',
  about:
    "The caller's permissions in one tenant, or in any tenant by default; 403 when there are none. `everywhere` answers those in all tenants, which global rows require; there may be none.",
  input: z.object({ tenantId: z.optional(guidSchema), everywhere: z.optional(z.enum(['true', 'false'])) }),
  output: z.array(z.string()),
});

export const chooseContext = defineAction({
  name: 'chooseContext',
  method: 'POST',
  path: '/v1/tenantSubscriptionContext/{tenant}',
  access: 'signed-in',
  about: 'Stores the chosen tenant and subscription as a preference; no permission depends on it.',
  input: z.object({ tenant: guidSchema, subscriptionId: z.nullish(guidSchema) }),
  output: z.object({ tenantId: z.string(), subscriptionId: z.string().nullable() }),
});

export const signOut = defineAction({
  name: 'signOut',
  method: 'POST',
  path: '/v1/signOut',
  access: 'signed-in',
  about: 'Refuses the access token of this call from now on, even while its provider accepts it. Ends the push messages to the browser.',
  input: z.object({
    /** The browser's push endpoint, which gets no more messages. Needed with providers that do not identify sign-ins. */
    pushEndpoint: z.optional(z.string().max(2_000)),
  }),
});

export const currentUserPhoto = defineAction({
  name: 'currentUserPhoto',
  method: 'GET',
  path: '/api/auth/currentUserPhoto',
  access: 'signed-in',
  about: 'The photo of the caller; 204 without one.',
  input: z.object({}),
  content: 'image/*',
});

export const changeOwnPhoto = defineAction({
  name: 'changeOwnPhoto',
  method: 'PUT',
  path: '/v1/currentUser/photo',
  access: 'signed-in',
  about: 'Makes a JPEG, PNG or WebP image, in Base64, the photo of the caller. It counts before the one of the identity provider.',
  input: z.object({
    content: z
      .base64({ error: 'The content of the photo must be Base64.' })
      .max(Math.ceil(photoLimits.bytes / 3) * 4, `The photo is larger than ${photoLimits.bytes / 1_048_576} MiB.`),
  }),
  output: z.object({ photo: z.string() }),
});

export const removeOwnPhoto = defineAction({
  name: 'removeOwnPhoto',
  method: 'DELETE',
  path: '/v1/currentUser/photo',
  access: 'signed-in',
  about: 'Removes the photo of the caller. The one of the identity provider is not used from then on.',
  input: z.object({}),
});
