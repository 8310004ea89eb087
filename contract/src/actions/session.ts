/** Who is signed in, what they may do, and the tenant and subscription that they work in. */
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

/** The permissions held in one tenant, or in any when none is named; 403 when there are none at all (AUTH-012). */
export const permissionsOfCaller = defineAction({
  name: 'permissions',
  method: 'GET',
  path: '/v1/permissions',
  access: 'signed-in',
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: z.array(z.string()),
});

/** A preference of the person: remembered, never part of a decision. */
export const chooseContext = defineAction({
  name: 'chooseContext',
  method: 'POST',
  path: '/v1/tenantSubscriptionContext/{tenant}',
  access: 'signed-in',
  input: z.object({ tenant: guidSchema, subscriptionId: z.nullish(guidSchema) }),
  output: z.object({ tenantId: z.string(), subscriptionId: z.string().nullable() }),
});

/** The access token that asks is refused from now on, whatever its provider thinks of it (AUTH-003). */
export const signOut = defineAction({ name: 'signOut', method: 'POST', path: '/v1/signOut', access: 'signed-in', input: z.object({}) });

export const currentUserPhoto = defineAction({
  name: 'currentUserPhoto',
  method: 'GET',
  path: '/api/auth/currentUserPhoto',
  access: 'signed-in',
  input: z.object({}),
});
