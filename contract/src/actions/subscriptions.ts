import { z } from 'zod';
import { defineList } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** The subscriptions that the caller may see, of all tenants or of one (API-188). */
export const listSubscriptions = defineList({
  name: 'listSubscriptions',
  path: '/v1/subscriptions',
  access: { area: 'Subscriptions', verb: 'view' },
  of: 'subscriptions',
  input: z.object({ tenantId: z.optional(guidSchema) }),
});
