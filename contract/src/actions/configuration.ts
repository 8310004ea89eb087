/** Exports and imports the configuration. Omits what the caller may not view, and refuses what the caller may not write. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { configurationDocument, importOutcome } from '../configuration.ts';
import { guidSchema } from '../resource.ts';

export const exportConfiguration = defineAction({
  name: 'exportConfiguration',
  method: 'GET',
  path: '/v1/configuration',
  access: { area: 'Settings', verb: 'view' },
  about: 'Exports everything, or the rows of one tenant and the global ones.',
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: configurationDocument,
});

export const importConfiguration = defineAction({
  name: 'importConfiguration',
  method: 'POST',
  path: '/v1/configuration',
  access: { area: 'Settings', verb: 'edit' },
  about:
    'Imports a document completely or not at all. `tenantId` maps the only tenant of the document to a tenant of this installation. `dryRun` changes nothing and answers what would change.',
  input: configurationDocument.extend({
    dryRun: z.union([z.boolean(), z.stringbool()], { error: 'dryRun is true or false.' }).default(false),
    tenantId: z.optional(guidSchema),
  }),
  output: importOutcome,
});
