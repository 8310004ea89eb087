/** Secrets of a tenant. By these calls, whoever may view the tenant reads names; only who may edit the tenant reads values. */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { secretHosts, secretHostsWrong, secretName } from '../resources/tenant-secrets.ts';
const edit = { area: 'Tenants', verb: 'edit' } as const;
const value = z
  .string({ error: 'A secret needs a value.' })
  .min(1, 'A secret needs a value.')
  .max(limits.secretLength, `A secret has at most ${limits.secretLength} characters.`);
const one = z.object({ id: guidSchema, secretId: guidSchema });
/** Where a secret may be used; null or empty: everywhere. */
const policy = {
  allowedHosts: z
    .union([z.string().max(2_000, 'The hosts of a secret are at most 2000 characters.').regex(secretHosts, secretHostsWrong), z.null()])
    .optional(),
  allowedActions: z.array(guidSchema).max(100, 'A secret names at most 100 actions.').nullable().optional(),
};

export const listTenantSecrets = defineList({
  name: 'listTenantSecrets',
  path: '/v1/tenants/{id}/secrets',
  access: { area: 'Tenants', verb: 'view' },
  about: 'Lists ids and names, never a value.',
  of: 'tenantSecrets',
  input: z.object({ id: guidSchema }),
});

export const createTenantSecret = defineAction({
  name: 'createTenantSecret',
  method: 'PUT',
  path: '/v1/tenants/{id}/secrets',
  access: edit,
  about: 'Stores a secret of a tenant. Its value is sealed and answered by no list.',
  input: z.object({
    id: guidSchema,
    name: z
      .string({ error: 'A secret needs a name.' })
      .max(100, 'The name of a secret is at most 100 characters.')
      .regex(secretName, 'A secret needs a name of letters, digits, dots, dashes and underscores.'),
    value,
    ...policy,
  }),
  output: rowOf('tenantSecrets'),
});

export const changeTenantSecret = defineAction({
  name: 'changeTenantSecret',
  method: 'POST',
  path: '/v1/tenants/{id}/secrets/{secretId}',
  access: edit,
  about: 'Stores a new value as the next version; earlier versions stay. Without a value it changes only the policy.',
  input: one.extend({ value: value.optional(), ...policy }),
  output: rowOf('tenantSecrets'),
});

export const deleteTenantSecret = defineAction({
  name: 'deleteTenantSecret',
  method: 'DELETE',
  path: '/v1/tenants/{id}/secrets/{secretId}',
  access: edit,
  about: 'Deletes a secret with all of its versions. What names it does not work any more.',
  input: one,
});

export const readTenantSecret = defineAction({
  name: 'readTenantSecret',
  method: 'GET',
  path: '/v1/tenants/{id}/secrets/{secretId}/versions/{version}',
  access: edit,
  about: 'Answers the value of the latest version, or of a numbered one. The audit records each reading.',
  noStore: true,
  input: one.extend({
    version: z.union([
      z.string().regex(/^latest$/i, 'The version is latest or a number.'),
      z.coerce.number().int().min(1).max(2_147_483_647),
    ]),
  }),
  output: z.object({ value: z.string(), version: z.number(), created: z.string() }),
});

/** A row that uses a secret; `name` is null for a caller who may not view rows of this kind. */
const secretPlace = z.object({
  kind: z.enum(['action', 'protocolAction', 'deviceOperation']),
  id: z.string(),
  name: z.string().nullable(),
});

export const listSecretUses = defineAction({
  name: 'listSecretUses',
  method: 'GET',
  path: '/v1/tenants/{id}/secretUses',
  access: edit,
  about: 'What uses the secrets of a tenant: the places that name each, and when a value was last read or sent, by whom and for what.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    value: z.array(
      z.object({
        secretId: z.string(),
        usedBy: z.array(secretPlace),
        lastUse: z
          .object({
            at: z.string(),
            /** `read`: a person or an agent got the value; `use`: the server sent it. */
            verb: z.string(),
            by: z.string(),
            /** The action, host or operation for which the value was read or used. */
            purpose: z.string().nullable(),
          })
          .nullable(),
      }),
    ),
  }),
});
