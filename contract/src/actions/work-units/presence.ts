/** Presence: who else views or edits a work unit. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { presenceStates, type Presence } from '../../presence.ts';
import { guidSchema } from '../../resource.ts';

const presence: z.ZodType<Presence> = z.object({
  name: z.string(),
  userName: z.string(),
  state: z.enum(presenceStates),
  since: z.string(),
});

export const workUnitPresence = defineAction({
  name: 'workUnitPresence',
  method: 'POST',
  path: '/v1/workunits/{id}/presence',
  access: { area: 'WorkUnits', verb: 'view' },
  about: 'A page reports what it does with the unit and repeats that before its lease ends. The answer lists the other people.',
  input: z.object({
    id: z.coerce.number().int().positive(),
    /** The id that the open page has generated for itself; one person may have several pages open. */
    page: guidSchema,
    state: z.enum([...presenceStates, 'gone']),
  }),
  output: z.object({ value: z.array(presence) }),
});
