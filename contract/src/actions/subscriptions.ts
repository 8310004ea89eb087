import { z } from 'zod';
import { defineList } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const listSubscriptions = defineList({
  name: 'listSubscriptions',
  path: '/v1/subscriptions',
  access: { area: 'Subscriptions', verb: 'view' },
  about: 'The subscriptions that the caller may see, of all tenants or of one.',
  of: 'subscriptions',
  input: z.object({ tenantId: z.optional(guidSchema) }),
});
