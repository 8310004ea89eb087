/** Calls that make a customer from a template, and end one. */
import { z } from 'zod';
import { defineAction, rowOf } from '../action.ts';
import { importOutcome } from '../configuration.ts';
import { limits } from '../limits.ts';
import { guidSchema } from '../resource.ts';
import { archiveHours, longestNoticeDays } from './steps.ts';

const flag = (name: string) => z.union([z.boolean(), z.stringbool()], { error: `${name} is true or false.` }).default(false);

export const templateFromTenant = defineAction({
  name: 'templateFromTenant',
  method: 'POST',
  path: '/v1/customerTemplates/fromTenant',
  access: { area: 'Tenants', verb: 'create' },
  about:
    'Makes a template from an existing customer: its configuration, grants and tokens without their values. Rows that name machines, blocks or rows of other tenants are left out and listed with the reason.',
  input: z.object({
    tenantId: guidSchema,
    name: z.string().trim().min(1, 'Name is required.').max(200),
    description: z.string().trim().max(4_000).nullish(),
  }),
  output: z.object({
    template: rowOf('customerTemplates'),
    left: z.array(z.object({ at: z.string(), resource: z.string(), name: z.string(), reason: z.string() })),
  }),
});

export const makeCustomer = defineAction({
  name: 'makeCustomer',
  method: 'POST',
  path: '/v1/customers',
  access: { area: 'Tenants', verb: 'create' },
  about:
    'Makes a customer from a template: tenant, configuration, grants, tokens and invitations, all of it or nothing. `without` lists places that are not made, such as `rules[3]`. `dryRun` changes nothing and answers what would be made. The values of tokens are in this answer only.',
  noStore: true,
  input: z.object({
    name: z.string().trim().min(1, 'Name is required.').max(200, 'A name has at most 200 characters.'),
    /** Absent: a tenant with one subscription, `Default`. */
    customerTemplateId: z.nullish(guidSchema),
    dryRun: flag('dryRun'),
    without: z.optional(z.array(z.string().max(100)).max(limits.importRows)),
    /** People who are invited, each with a set of the template or one for all tenants. */
    people: z
      .array(
        z.strictObject({
          email: z.string().trim().min(1, 'Email is required.').max(320),
          name: z.string().trim().min(1, 'Name is required.').max(200),
          permissionSetId: guidSchema,
        }),
      )
      .max(50, 'At most 50 people are invited at once.')
      .default([]),
  }),
  output: z.object({
    dryRun: z.boolean(),
    tenantId: z.string(),
    name: z.string(),
    changes: importOutcome.shape.changes,
    /** The names of the ids in `changes`, by id. */
    names: z.record(z.string(), z.string()),
    access: z.array(z.object({ who: z.string(), permissionSet: z.string() })),
    tokens: z.array(z.object({ name: z.string(), generatedToken: z.optional(z.string()) })),
    invitations: z.array(z.object({ email: z.string(), name: z.string(), permissionSet: z.string(), link: z.optional(z.string()) })),
    /** Control sets hold for every tenant, so for this one too. */
    controlSets: z.array(z.string()),
  }),
});

const deleteOn = z.iso.datetime({ offset: true, error: 'Send a time such as 2027-01-31T00:00:00Z.' });

export const beginOffboarding = defineAction({
  name: 'beginOffboarding',
  method: 'POST',
  path: '/v1/tenants/{id}/offboarding',
  access: { area: 'Tenants', verb: 'delete' },
  about: `Ends a customer: its machines are cut off, its people, tokens and agents refused, its data exported as one archive, and all of it deleted at \`deleteOn\`, ${longestNoticeDays} days ahead at most, and not before the archive could be downloaded for ${archiveHours} hours. \`name\` repeats the name of the tenant. It can be stopped until then.`,
  input: z.object({
    id: guidSchema,
    /** The name of the tenant, so that nobody ends another one by mistake. */
    name: z.string().max(200),
    deleteOn,
    reason: z.string().trim().min(1, 'Reason is required.').max(500),
    uninstallAgents: z
      .union([z.boolean(), z.stringbool()], { error: 'uninstallAgents is true or false.' })
      .default(true)
      .describe('Its agents uninstall themselves; machines that are off do when they come back, up to 90 days after the deletion.'),
  }),
  output: rowOf('offboardings'),
});

export const moveOffboarding = defineAction({
  name: 'moveOffboarding',
  method: 'PUT',
  path: '/v1/offboardings/{id}/date',
  access: { area: 'Tenants', verb: 'delete' },
  about: 'Moves the deletion to another time, also to an earlier one once the archive is ready, until it has begun.',
  input: z.object({ id: guidSchema, deleteOn }),
  output: rowOf('offboardings'),
});

export const stopOffboarding = defineAction({
  name: 'stopOffboarding',
  method: 'PUT',
  path: '/v1/offboardings/{id}/stop',
  access: { area: 'Tenants', verb: 'delete' },
  about: 'Stops it until the deletion has begun: the tenant is enabled, the machines that it cut off are admitted, the archive is removed.',
  input: z.object({ id: guidSchema }),
  output: rowOf('offboardings'),
});

export const offboardingArchive = defineAction({
  name: 'offboardingArchive',
  method: 'GET',
  path: '/v1/offboardings/{id}/archive',
  access: { area: 'Tenants', verb: 'delete' },
  about:
    'The data of the customer as a ZIP file: for each table a file with a row in each line, uploaded files, and a manifest with counts. Until the deletion; audited.',
  input: z.object({ id: guidSchema }),
  content: 'application/zip',
});
