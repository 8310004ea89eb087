/** The lookups of the shell and of forms (spec 000 §7, 001 §7); odd spellings are the spec's. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const none = z.object({});
const option = z.object({ id: z.union([z.number(), z.string()]), name: z.string() });

export const oidcClientConfig = defineAction({
  name: 'oidcClientConfig',
  method: 'GET',
  path: '/api/generalLookup/oidcclientconfig',
  access: 'anonymous',
  input: none,
  output: z.object({
    authority: z.string(),
    clientId: z.string(),
    lifetime: z.number(),
    scope: z.string(),
    extraQueryParams: z.record(z.string(), z.string()),
  }),
});

export const version = defineAction({
  name: 'version',
  method: 'GET',
  path: '/api/generalLookup/version',
  access: 'anonymous',
  input: none,
  output: z.object({ version: z.string() }),
});

export const environment = defineAction({
  name: 'environment',
  method: 'GET',
  path: '/api/generalLookup/environment',
  access: 'signed-in',
  input: none,
  output: z.object({ environmentColor: z.string(), environmentName: z.string(), licenseExpiration: z.string() }),
});

export const environmentColor = defineAction({
  name: 'environmentColor',
  method: 'GET',
  path: '/api/generalLookup/environmentcolor',
  access: 'signed-in',
  input: none,
  output: z.object({ environmentColor: z.string() }),
});

export const tenantLookup = defineAction({
  name: 'tenantLookup',
  method: 'GET',
  path: '/api/generallookup/tenants',
  access: 'signed-in',
  input: none,
  output: z.array(z.object({ tenantId: z.string(), name: z.string() })),
});

export const subscriptionLookup = defineAction({
  name: 'subscriptionLookup',
  method: 'GET',
  path: '/api/generallookup/subscriptions',
  access: 'signed-in',
  input: none,
  output: z.array(z.object({ subscriptionId: z.string(), name: z.string(), tenantId: z.string() })),
});

export const locationLookup = defineAction({
  name: 'locationLookup',
  method: 'GET',
  path: '/api/generallookup/locations',
  access: { area: 'Locations', verb: 'view' },
  input: none,
  output: z.array(z.object({ locationId: z.string(), name: z.string(), tenantId: z.string().nullable() })),
});

export const workUnitTypeLookup = defineAction({
  name: 'workUnitTypeLookup',
  method: 'GET',
  path: '/api/generallookup/workunittypes',
  access: 'signed-in',
  input: none,
  output: z.array(z.object({ workUnitTypeId: z.number(), name: z.string() })),
});

export const ruleTypeLookup = defineAction({
  name: 'ruleTypeLookup',
  method: 'GET',
  path: '/api/generalLookup/ruletypes',
  access: 'signed-in',
  input: none,
  output: z.array(option),
});
export const operatorLookup = defineAction({
  name: 'operatorLookup',
  method: 'GET',
  path: '/api/generalLookup/operators',
  access: 'signed-in',
  input: none,
  output: z.array(z.object({ id: z.number(), name: z.string(), right: z.enum(['value', 'number', 'pattern', 'none']) })),
});
export const occurrenceLookup = defineAction({
  name: 'occurrenceLookup',
  method: 'GET',
  path: '/api/generalLookup/occuranceoptions',
  access: 'signed-in',
  input: none,
  output: z.array(z.object({ id: z.string(), name: z.string(), needs: z.array(z.enum(['Times', 'Seconds'])) })),
});
export const timeZoneLookup = defineAction({
  name: 'timeZoneLookup',
  method: 'GET',
  path: '/api/generalLookup/timezones',
  access: 'signed-in',
  input: none,
  output: z.array(option),
});

export const rulePlaceholderLookup = defineAction({
  name: 'rulePlaceholderLookup',
  method: 'GET',
  path: '/api/generalLookup/ruleplaceholders',
  access: 'signed-in',
  input: none,
  output: z.array(z.object({ id: z.string(), name: z.string(), reach: z.enum(['always', 'device', 'workUnit']) })),
});

export const leftOperandLookup = defineAction({
  name: 'leftOperandLookup',
  method: 'GET',
  path: '/api/generalLookup/ruleleftoperands',
  access: 'signed-in',
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
  limit: 'people-lookup',
  input: z.object({ searchTerm: z.string().max(200).default('') }),
  output: z.array(z.object({ personId: z.string(), displayName: z.string(), mail: z.string() })),
});

/** People, and the sign-in groups that grants name; a group has no mail address. */
export const peopleAndGroupsLookup = defineAction({
  name: 'peopleAndGroupsLookup',
  method: 'GET',
  path: '/api/peopleandgroups',
  access: { area: 'People', verb: 'view' },
  limit: 'people-lookup',
  input: z.object({ searchTerm: z.string().max(200).default('') }),
  output: z.array(z.object({ personId: z.string().nullable(), displayName: z.string(), mail: z.string() })),
});

export const featureEnabled = defineAction({
  name: 'featureEnabled',
  method: 'GET',
  path: '/v1/features/{name}/enabled',
  access: 'anonymous',
  input: z.object({ name: z.string().max(100) }),
  output: z.boolean(),
});

/** The settings of one tenant that the shell needs (API-132). */
export const tenantSettings = defineAction({
  name: 'tenantSettings',
  method: 'GET',
  path: '/api/{tenantId}/settings',
  access: 'signed-in',
  input: z.object({ tenantId: guidSchema }),
  output: z.object({
    /** Address of the Windows agent; null where there is none. */
    agentDownloadUrl: z.string().nullable(),
    /** The agent's executables by platform, such as linux-x64; `url` is null for one that is not built on this server. */
    agents: z.array(z.object({ platform: z.string(), url: z.string().nullable() })),
  }),
});
