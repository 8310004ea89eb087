/** Work units that leave the lists of what to do now, until a time or a change. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { limits } from '../../limits.ts';
import { timestampSchema } from '../../resource.ts';

/** The longest time for which a work unit is snoozed, in days. */
export const maxSnoozeDays = 366;

export const snoozeWorkUnits = defineAction({
  name: 'snoozeWorkUnits',
  method: 'POST',
  path: '/v1/workUnits/snooze',
  access: { area: 'WorkUnits', verb: 'edit' },
  about:
    'Snoozes open work units until a time, all or none, or ends that (`until` null). A change, a note or a match of one before that time ends it too, unless the person who snoozed it made the change. The items of these units in the inbox of the caller come back at the same time.',
  input: z.object({
    ids: z
      .array(z.int().positive(), { error: 'Please name the work units.' })
      .min(1, 'Please name the work units.')
      .max(limits.resolvedUnits, `At most ${limits.resolvedUnits} work units are snoozed by one call.`)
      .refine((ids) => new Set(ids).size === ids.length, 'A work unit is named twice.'),
    until: z.nullable(timestampSchema),
  }),
  output: z.object({ value: z.array(rowOf('workUnits')) }),
});
