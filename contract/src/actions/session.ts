/** The signed-in person, their permissions, and the tenant and subscription that they work in. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const currentUser = defineAction({
  name: 'currentUser',
  method: 'GET',
  path: '/v1/currentUser',
  access: 'signed-in',
  input: z.object({}),
  output: z.object({
    personId: z.string().nullable(),
    name: z.string(),
    userName: z.string(),
    tenantId: z.string().nullable(),
    subscriptionId: z.string().nullable(),
  }),
});

/**
 * The caller's permissions in one tenant, or in any tenant by default; 403 when there are none (AUTH-012). `everywhere` answers those
 * in all tenants, which what belongs to none requires; there may be none.
 */
export const permissionsOfCaller = defineAction({
  name: 'permissions',
  method: 'GET',
  path: '/v1/permissions',
  access: 'signed-in',
  input: z.object({ tenantId: z.optional(guidSchema), everywhere: z.optional(z.enum(['true', 'false'])) }),
  output: z.array(z.string()),
});

/** Stores the chosen tenant and subscription as a preference; no permission depends on it. */
export const chooseContext = defineAction({
  name: 'chooseContext',
  method: 'POST',
  path: '/v1/tenantSubscriptionContext/{tenant}',
  access: 'signed-in',
  input: z.object({ tenant: guidSchema, subscriptionId: z.nullish(guidSchema) }),
  output: z.object({ tenantId: z.string(), subscriptionId: z.string().nullable() }),
});

/** Refuses the access token of this call from now on, even while its provider accepts it (AUTH-003). Ends the push messages to the browser. */
export const signOut = defineAction({
  name: 'signOut',
  method: 'POST',
  path: '/v1/signOut',
  access: 'signed-in',
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
  input: z.object({}),
});
