/** The lookups of the shell and of forms (spec 000 §7, 001 §7); odd spellings are the spec's. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';
import { placeholderAvailabilities } from '../rules/placeholders.ts';

const none = z.object({});
const option = z.object({ id: z.union([z.number(), z.string()]), name: z.string() });

export const oidcClientConfig = defineAction({
  name: 'oidcClientConfig',
  method: 'GET',
  path: '/api/generalLookup/oidcclientconfig',
  access: 'anonymous',
  about: 'Where and how the portal signs people in.',
  input: none,
  output: z.object({
    authority: z.string(),
    clientId: z.string(),
    lifetime: z.number(),
    scope: z.string(),
    extraQueryParams: z.record(z.string(), z.string()),
    /** The client by which programs sign people in with a device code; absent where the provider has none. */
    deviceClientId: z.string().optional(),
  }),
});

export const version = defineAction({
  name: 'version',
  method: 'GET',
  path: '/api/generalLookup/version',
  access: 'anonymous',
  about: 'The version of this server.',
  input: none,
  output: z.object({ version: z.string() }),
});

export const environment = defineAction({
  name: 'environment',
  method: 'GET',
  path: '/api/generalLookup/environment',
  access: 'signed-in',
  about: 'The name and color of this installation, such as Test, and when its licence ends.',
  input: none,
  output: z.object({ environmentColor: z.string(), environmentName: z.string(), licenseExpiration: z.string() }),
});

export const environmentColor = defineAction({
  name: 'environmentColor',
  method: 'GET',
  path: '/api/generalLookup/environmentcolor',
  access: 'signed-in',
  about: 'The color in which the portal shows the name of this installation.',
  input: none,
  output: z.object({ environmentColor: z.string() }),
});

export const tenantLookup = defineAction({
  name: 'tenantLookup',
  method: 'GET',
  path: '/api/generallookup/tenants',
  access: 'signed-in',
  about: 'Ids and names of the tenants that the caller may see.',
  input: none,
  output: z.array(z.object({ tenantId: z.string(), name: z.string() })),
});

export const subscriptionLookup = defineAction({
  name: 'subscriptionLookup',
  method: 'GET',
  path: '/api/generallookup/subscriptions',
  access: 'signed-in',
  about: 'Ids and names of the subscriptions that the caller may see.',
  input: none,
  output: z.array(z.object({ subscriptionId: z.string(), name: z.string(), tenantId: z.string() })),
});

export const locationLookup = defineAction({
  name: 'locationLookup',
  method: 'GET',
  path: '/api/generallookup/locations',
  access: { area: 'Locations', verb: 'view' },
  about: 'Ids and names of the locations of a tenant.',
  input: none,
  output: z.array(z.object({ locationId: z.string(), name: z.string(), tenantId: z.string().nullable() })),
});

export const workUnitTypeLookup = defineAction({
  name: 'workUnitTypeLookup',
  method: 'GET',
  path: '/api/generallookup/workunittypes',
  access: 'signed-in',
  about: 'Ids and names of the types of work units.',
  input: none,
  output: z.array(z.object({ workUnitTypeId: z.number(), name: z.string() })),
});

export const ruleTypeLookup = defineAction({
  name: 'ruleTypeLookup',
  method: 'GET',
  path: '/api/generalLookup/ruletypes',
  access: 'signed-in',
  about: 'The types of rules.',
  input: none,
  output: z.array(option),
});
export const operatorLookup = defineAction({
  name: 'operatorLookup',
  method: 'GET',
  path: '/api/generalLookup/operators',
  access: 'signed-in',
  about: 'The operators that conditions of a rule may use.',
  input: none,
  output: z.array(z.object({ id: z.number(), name: z.string(), right: z.enum(['value', 'number', 'pattern', 'none']) })),
});
export const occurrenceLookup = defineAction({
  name: 'occurrenceLookup',
  method: 'GET',
  path: '/api/generalLookup/occuranceoptions',
  access: 'signed-in',
  about: 'How often conditions of a rule may have to hold.',
  input: none,
  output: z.array(z.object({ id: z.string(), name: z.string(), needs: z.array(z.enum(['Times', 'Seconds'])) })),
});
export const timeZoneLookup = defineAction({
  name: 'timeZoneLookup',
  method: 'GET',
  path: '/api/generalLookup/timezones',
  access: 'signed-in',
  about: 'The time zones that can be chosen.',
  input: none,
  output: z.array(option),
});

export const rulePlaceholderLookup = defineAction({
  name: 'rulePlaceholderLookup',
  method: 'GET',
  path: '/api/generalLookup/ruleplaceholders',
  access: 'signed-in',
  about: 'The placeholders that texts of the actions of a rule may have.',
  input: none,
  output: z.array(z.object({ id: z.string(), name: z.string(), reach: z.enum(placeholderAvailabilities) })),
});

export const leftOperandLookup = defineAction({
  name: 'leftOperandLookup',
  method: 'GET',
  path: '/api/generalLookup/ruleleftoperands',
  access: 'signed-in',
  about: 'What conditions of a rule of this type may be about.',
  input: z.object({ ruleType: z.coerce.number().int(), tenantId: z.optional(guidSchema) }),
  output: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      input: z.enum(['text', 'number', 'select', 'lookup']),
      needsFieldName: z.boolean(),
      operators: z.array(z.number()),
    }),
  ),
});

export const peopleLookup = defineAction({
  name: 'peopleLookup',
  method: 'GET',
  path: '/api/people',
  access: { area: 'People', verb: 'view' },
  about: 'People whose name or mail address has these letters. The number of calls is limited, so that nobody copies a directory.',
  limit: 'people-lookup',
  input: z.object({ searchTerm: z.string().max(200).default('') }),
  output: z.array(z.object({ personId: z.string(), displayName: z.string(), mail: z.string() })),
});

export const peopleAndGroupsLookup = defineAction({
  name: 'peopleAndGroupsLookup',
  method: 'GET',
  path: '/api/peopleandgroups',
  access: { area: 'People', verb: 'view' },
  about: 'People, and the sign-in groups that grants name; a group has no mail address.',
  limit: 'people-lookup',
  input: z.object({ searchTerm: z.string().max(200).default('') }),
  output: z.array(z.object({ personId: z.string().nullable(), displayName: z.string(), mail: z.string() })),
});

export const featureEnabled = defineAction({
  name: 'featureEnabled',
  method: 'GET',
  path: '/v1/features/{name}/enabled',
  access: 'anonymous',
  about: 'Whether a feature of the product is enabled here.',
  input: z.object({ name: z.string().max(100) }),
  output: z.boolean(),
});

export const tenantSettings = defineAction({
  name: 'tenantSettings',
  method: 'GET',
  path: '/api/{tenantId}/settings',
  access: 'signed-in',
  about: 'The settings of one tenant that the shell needs.',
  input: z.object({ tenantId: guidSchema }),
  output: z.object({
    /** Address of the Windows agent; null if this server does not have it. */
    agentDownloadUrl: z.string().nullable(),
    /** The agent's executables by platform, such as linux-x64; `url` is null if this server does not have the executable. */
    agents: z.array(z.object({ platform: z.string(), url: z.string().nullable() })),
  }),
});
