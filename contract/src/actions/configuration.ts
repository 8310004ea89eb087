/** Export and import of the configuration; what the caller may not view is not exported, what they may not write is refused. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { configurationDocument, importOutcome } from '../configuration.ts';
import { guidSchema } from '../resource.ts';

/** Everything, or what holds in one tenant: its own rows and those of nobody. */
export const exportConfiguration = defineAction({
  name: 'exportConfiguration',
  method: 'GET',
  path: '/v1/configuration',
  access: { area: 'Settings', verb: 'view' },
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: configurationDocument,
});

/** All or nothing. With `tenantId` the document's only tenant is that one here. `dryRun` changes nothing and says what would change. */
export const importConfiguration = defineAction({
  name: 'importConfiguration',
  method: 'POST',
  path: '/v1/configuration',
  access: { area: 'Settings', verb: 'edit' },
  input: configurationDocument.extend({
    dryRun: z.union([z.boolean(), z.stringbool()], { error: 'dryRun is true or false.' }).default(false),
    tenantId: z.optional(guidSchema),
  }),
  output: importOutcome,
});
