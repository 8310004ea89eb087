/** Calls on compliance beyond list, get, create, update and delete. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema, timestampSchema } from '../resource.ts';

/**
 * The statuses that a tenant gave to controls in one week, as CSV. `$filter` and `$orderby` of the query choose the control
 * sets (API-091).
 */
export const exportControlSets = defineAction({
  name: 'exportControlSets',
  method: 'POST',
  path: '/v1/controlsets/Export()',
  access: { area: 'Compliance', verb: 'view' },
  input: z.looseObject({
    startDate: z.iso.date({ error: 'startDate is required.' }).or(timestampSchema),
    tenantId: z.string({ error: 'tenantId is required.' }).pipe(guidSchema),
  }),
});
