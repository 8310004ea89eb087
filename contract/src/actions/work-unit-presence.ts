/** Who else looks at or edits a work unit right now. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { presenceStates, type Presence } from '../presence.ts';
import { guidSchema } from '../resource.ts';

const presence: z.ZodType<Presence> = z.object({
  name: z.string(),
  userName: z.string(),
  state: z.enum(presenceStates),
  since: z.string(),
});

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
    state: z.enum([...presenceStates, 'gone']),
  }),
  output: z.object({ value: z.array(presence) }),
});
