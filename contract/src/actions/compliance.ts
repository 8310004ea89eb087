/** Calls of compliance beside the plain ones. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema, timestampSchema } from '../resource.ts';

/**
 * What a tenant said in one week about the controls of the chosen sets, as CSV; the query's `$filter` and `$orderby`
 * choose control sets (API-091).
 */
export const exportControlSets = defineAction({
  name: 'exportControlSets',
  method: 'POST',
  path: '/v1/controlsets/Export()',
  access: { area: 'Compliance', verb: 'view' },
  input: z.looseObject({
    startDate: z.iso.date({ error: 'startDate is required.' }).or(timestampSchema),
    tenantId: z.string({ error: 'tenantId is required.' }).pipe(guidSchema as unknown as z.ZodType<string, string>),
  }),
});
