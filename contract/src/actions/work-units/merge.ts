/** Work units that are the same become one, and are taken apart again. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { limits } from '../../limits.ts';

const access = { area: 'WorkUnits', verb: 'edit' } as const;
const id = z.coerce.number().int().positive();

export const mergeWorkUnits = defineAction({
  name: 'mergeWorkUnits',
  method: 'POST',
  path: '/v1/workUnits/{id}/merge',
  access,
  about:
    'Closes work units of the same tenant as duplicates of `id`, all or none: its feed shows theirs, it gets their matches, relations and watchers, and further matches join it. One that is merged into it already stays as it is; 409 for one that is merged into another.',
  input: z.object({
    id,
    ids: z
      .array(z.int().positive(), { error: 'Please name the work units.' })
      .min(1, 'Please name the work units.')
      .max(limits.resolvedUnits, `At most ${limits.resolvedUnits} work units are merged by one call.`),
  }),
  output: z.object({ value: z.array(rowOf('workUnits')) }),
});

export const splitWorkUnit = defineAction({
  name: 'splitWorkUnit',
  method: 'POST',
  path: '/v1/workUnits/{id}/split',
  access,
  about:
    'Takes a merged work unit apart from the one that it was merged into: both get back what they had. What was added since stays where it is.',
  input: z.object({ id }),
  output: rowOf('workUnits'),
});
