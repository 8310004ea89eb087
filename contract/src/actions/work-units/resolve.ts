/** Ends work units with what was done about them. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { limits } from '../../limits.ts';
import { asLines } from '../../text-checks.ts';

const maxResolution = 4_000;
const resolutionError = `Please say how it was resolved, in at most ${maxResolution} characters.`;

export const resolveWorkUnits = defineAction({
  name: 'resolveWorkUnits',
  method: 'POST',
  path: '/v1/workUnits/resolve',
  access: { area: 'WorkUnits', verb: 'edit' },
  about:
    'Resolves work units with a text, all or none. A New one is acknowledged first, and assigned to the caller if it is to nobody; both changes are in its history. One that has this text and is Resolved already stays as it is; 409 for one that has ended otherwise.',
  input: z.object({
    ids: z
      .array(z.int().positive(), { error: 'Please name the work units.' })
      .min(1, 'Please name the work units.')
      .max(limits.resolvedUnits, `At most ${limits.resolvedUnits} work units are resolved by one call.`)
      .refine((ids) => new Set(ids).size === ids.length, 'A work unit is named twice.'),
    resolution: z
      .string({ error: resolutionError })
      .check(...asLines('Resolution'))
      .trim()
      .min(1, resolutionError)
      .max(maxResolution, resolutionError),
  }),
  output: z.object({ value: z.array(rowOf('workUnits')) }),
});
