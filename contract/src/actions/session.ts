/** The signed-in person, their permissions, and the tenant and subscription that they work in. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

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
  }),
});

export const permissionsOfCaller = defineAction({
  name: 'permissions',
  method: 'GET',
  path: '/v1/permissions',
  access: 'signed-in',
  about:
    "The caller's permissions in one tenant, or in any tenant by default; 403 when there are none. `everywhere` answers those in all tenants, which what belongs to none requires; there may be none.",
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
    /** Of the browser's subscription, for providers that do not name sign-ins. */
    pushEndpoint: z.optional(z.string().max(2_000)),
  }),
});

export const currentUserPhoto = defineAction({
  name: 'currentUserPhoto',
  method: 'GET',
  path: '/api/auth/currentUserPhoto',
  access: 'signed-in',
  about: 'The photo of the caller. Photos are not stored here, so it answers 204.',
  input: z.object({}),
});
