/** What the search of work units found. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';

export const searchPlaces = defineAction({
  name: 'searchPlaces',
  method: 'POST',
  path: '/v1/workunits/searchplaces',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Where work units have a searched text: what the search looks for, mistyped words corrected, and for each unit whose title has not all of it the field or note that has most of the rest.',
  input: z.object({
    text: z.string().max(500, 'A searched text has at most 500 characters.'),
    workUnitIds: z.array(z.int()).max(100, 'At most 100 work units at a time.'),
  }),
  output: z.object({
    /** A term has alternatives with | between them; a blank is the beginning of a word. */
    terms: z.array(z.string()),
    /** `field`: a field of the unit, `note`, or `related` for the names of its tenant and devices and its communications, without a text. */
    places: z.array(z.object({ workUnitId: z.number(), field: z.string(), text: z.string() })),
  }),
  reads: true,
});
