/** Calls of tokens beyond list, create and update. */
import { z } from 'zod';
import { defineAction, defineList } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** All that the caller may see, or those of one tenant (TOK-003). */
export const listTokens = defineList({
  name: 'listTokens',
  path: '/v1/tokens',
  access: { area: 'Tokens', verb: 'view' },
  of: 'tokens',
  input: z.object({ tenantId: z.optional(guidSchema) }),
});

/** Ends a token at once on every server; a second time changes nothing. */
export const revokeToken = defineAction({
  name: 'revokeToken',
  method: 'PUT',
  path: '/v1/tokens/{id}/revoke',
  access: { area: 'Tokens', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: z.record(z.string(), z.unknown()),
});
