/** Who else looks at or edits a work unit right now. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** A page that is not heard of for so long is gone; it tells of itself more than twice in that time. */
export const presenceLeaseSeconds = 60;

/** Entity of the stream's event when somebody comes, goes or begins to edit; its id is the unit's. */
export const presenceEntity = 'workUnitPresence';

const presence = z.object({
  name: z.string(),
  userName: z.string(),
  state: z.enum(['looking', 'editing']),
  since: z.string(),
});

export type Presence = z.infer<typeof presence>;

/** A page says what it does with the unit, again before its lease ends; the answer names the others, each person once. */
export const workUnitPresence = defineAction({
  name: 'workUnitPresence',
  method: 'POST',
  path: '/v1/workunits/{id}/presence',
  access: { area: 'WorkUnits', verb: 'view' },
  input: z.object({
    id: z.coerce.number().int().positive(),
    /** Of the page, made by it; one person may have several. */
    page: guidSchema,
    state: z.enum(['looking', 'editing', 'gone']),
  }),
  output: z.object({ value: z.array(presence) }),
});
