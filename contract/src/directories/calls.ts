/** Calls of directories beyond those of every entity: the token of SCIM, the secret for the provider, a try, and the groups. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const newDirectoryToken = defineAction({
  name: 'newDirectoryToken',
  method: 'PUT',
  path: '/v1/directories/{id}/token',
  access: { area: 'People', verb: 'edit' },
  about:
    'Gives a directory a new token for SCIM, which the answer alone contains. The one before is dead at once on every server. Needs the permission in all tenants.',
  input: z.object({ id: guidSchema, days: z.int().min(1).max(1_095).default(365) }),
  output: z.object({ directoryId: z.string(), generatedToken: z.string(), expiresOn: z.string() }),
  noStore: true,
});

export const endDirectoryToken = defineAction({
  name: 'endDirectoryToken',
  method: 'DELETE',
  path: '/v1/directories/{id}/token',
  access: { area: 'People', verb: 'edit' },
  about: 'Ends the token of a directory: it provisions nobody any more. Needs the permission in all tenants.',
  input: z.object({ id: guidSchema }),
  output: z.object({ ended: z.boolean() }),
});

export const setDirectorySecret = defineAction({
  name: 'setDirectorySecret',
  method: 'PUT',
  path: '/v1/directories/{id}/secret',
  access: { area: 'People', verb: 'edit' },
  about:
    'Stores the client secret of a provider, or the password of the account that searches in LDAP. It is encrypted, and never read again by people. Needs the permission in all tenants.',
  input: z.object({ id: guidSchema, secret: z.string().min(1, 'Please enter the secret.').max(2_000) }),
  output: z.object({ directoryId: z.string() }),
});

export const directoryTrial = z.object({
  works: z.boolean(),
  /** What was found, or what is wrong and what to do. */
  message: z.string(),
});

export const tryDirectory = defineAction({
  name: 'tryDirectory',
  method: 'POST',
  path: '/v1/directories/{id}/try',
  access: { area: 'People', verb: 'edit' },
  about:
    'Reads the discovery document and the keys of a provider, or searches in LDAP as the account of the directory, and says what is wrong. Needs the permission in all tenants.',
  input: z.object({ id: guidSchema, userName: z.string().max(320).optional() }),
  output: directoryTrial,
});

export const groupsOfDirectory = defineAction({
  name: 'groupsOfDirectory',
  method: 'GET',
  path: '/v1/directories/{id}/groups',
  access: { area: 'People', verb: 'view' },
  about: 'The groups of a directory that its people have, or that SCIM has sent, with the number of people and the grants to each.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    people: z.number(),
    value: z.array(
      z.object({
        /** Its name in the directory. */
        group: z.string(),
        /** Its name in grants. */
        claim: z.string(),
        people: z.number(),
        grants: z.array(
          z.object({
            grantId: z.string(),
            permissionSet: z.string(),
            tenantId: z.string().nullable(),
            tenantName: z.string().nullable(),
          }),
        ),
      }),
    ),
  }),
});
