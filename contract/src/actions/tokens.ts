/** Calls of tokens beyond create and update: list, revoke, and take over. */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const listTokens = defineList({
  name: 'listTokens',
  path: '/v1/tokens',
  access: { area: 'Tokens', verb: 'view' },
  about: 'The tokens that the caller may see, of all tenants or of one.',
  of: 'tokens',
  input: z.object({ tenantId: z.optional(guidSchema) }),
});

export const revokeToken = defineAction({
  name: 'revokeToken',
  method: 'PUT',
  path: '/v1/tokens/{id}/revoke',
  access: { area: 'Tokens', verb: 'edit' },
  about: 'Revokes a token immediately on every server. A repeated call changes nothing.',
  input: z.object({ id: guidSchema }),
  output: rowOf('tokens'),
});

export const takeOverToken = defineAction({
  name: 'takeOverToken',
  method: 'PUT',
  path: '/v1/tokens/{id}/takeOver',
  access: { area: 'Tokens', verb: 'edit' },
  about: 'Makes the caller the owner of a token, for example when its owner leaves. The caller must have all permissions of the token.',
  input: z.object({ id: guidSchema }),
  output: rowOf('tokens'),
});
