/** Other open work units that share something with one. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { severities, workUnitStates } from '../../enums.ts';

const unitAround = z.object({
  workUnitId: z.number(),
  publicWorkUnitId: z.number(),
  title: z.string(),
  severityId: z.enum(severities),
  stateId: z.enum(workUnitStates),
  created: z.string(),
  /** The name of a shared device; null without one. */
  device: z.string().nullable(),
  /** The name of a shared location; null without one. */
  location: z.string().nullable(),
  sameRule: z.boolean(),
  sameGroup: z.boolean(),
});
export type UnitAround = z.infer<typeof unitAround>;

export const alsoNow = defineAction({
  name: 'alsoNow',
  method: 'GET',
  path: '/v1/workunits/{id}/alsoNow',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'The open work units of the same tenant that concern a device or a location of this one, or have its rule or its assignment group; the closest first. Devices and locations are compared for callers who may view devices, rules for callers who may view rules. Looks at the 2000 most severe open units.',
  input: z.object({ id: z.coerce.number({ error: 'id is the number of a work unit.' }).int().positive() }),
  output: z.object({
    /** The number of all such units, of which `value` has the first. */
    total: z.number(),
    value: z.array(unitAround),
  }),
});
