/** Calls by which people of the resolution center subscribe to the communications of their tenant. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { severities } from '../../enums.ts';
import { languages } from '../../messages/language.ts';
import { permission, viewMine } from '../../permissions.ts';
import { contactKinds } from '../../resources/communication-contacts.ts';
import { guidSchema } from '../../resource.ts';

const access = { anyOf: [viewMine, permission('WorkUnits', 'view')] } as const;

const choice = {
  active: z.boolean({ error: 'Please say whether you want mails.' }),
  language: z.enum(languages, { error: `A language is one of ${languages.join(', ')}.` }),
  kinds: z.enum(contactKinds, { error: `What you are told of is one of ${contactKinds.join(', ')}.` }),
  minimumSeverity: z.enum(severities, { error: `A severity is one of ${severities.join(', ')}.` }),
};

export const ownSubscriptions = defineAction({
  name: 'ownSubscriptions',
  method: 'GET',
  path: '/v1/rc/subscriptions',
  access,
  about: 'Whether the caller gets the communications of their tenants by mail, and which. `email` is null without a confirmed address.',
  input: z.object({}),
  output: z.object({
    email: z.string().nullable(),
    value: z.array(z.object({ tenantId: z.string(), tenantName: z.string(), ...choice })),
  }),
});

export const changeOwnSubscription = defineAction({
  name: 'changeOwnSubscription',
  method: 'PUT',
  path: '/v1/rc/subscriptions/{tenantId}',
  access,
  about: 'Sends the communications of a tenant to the confirmed address of the caller, or ends that.',
  input: z.object({ tenantId: guidSchema, ...choice }),
  output: z.object({ tenantId: z.string(), ...choice }),
});
