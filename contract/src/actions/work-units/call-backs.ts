/** Calls of those who call customers back: how many wait, taking one, and saying how it ended. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { guidSchema } from '../../resource.ts';
import { callBackOutcomes } from '../../resources/call-backs.ts';
import { asLines } from '../../text-checks.ts';

const access = { area: 'WorkUnits', verb: 'edit' } as const;

/** The maximum length of what was said in a call. */
const maxCallNote = 2_000;

export const callBackCount = defineAction({
  name: 'callBackCount',
  method: 'GET',
  path: '/v1/callBacks/count',
  access,
  about: 'How many call backs are open, and until when the first of them was promised.',
  input: z.object({}),
  output: z.object({ open: z.int(), due: z.string().nullable() }),
});

export const takeCallBack = defineAction({
  name: 'takeCallBack',
  method: 'POST',
  path: '/v1/callBacks/{id}/take',
  access,
  about: 'Takes a call back: the caller will call the customer. 409 if somebody else has taken it, or if it has ended.',
  input: z.object({ id: guidSchema }),
  output: rowOf('callBacks'),
});

export const closeCallBack = defineAction({
  name: 'closeCallBack',
  method: 'POST',
  path: '/v1/callBacks/{id}/close',
  access,
  about:
    'Says how a call back ended, as a note on its work unit. After NotReached, which the customer reads, a new one waits for 15 minutes. 409 if it has ended.',
  input: z.object({
    id: guidSchema,
    outcome: z.enum(callBackOutcomes, { error: `The outcome is one of ${callBackOutcomes.join(', ')}.` }),
    note: z
      .string()
      .check(...asLines('Note'))
      .trim()
      .max(maxCallNote, `At most ${maxCallNote} characters.`)
      .default(''),
  }),
  output: rowOf('callBacks'),
});
