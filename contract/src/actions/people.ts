/** Where people are signed in, for those who administer them. Sign-ins at an external provider are that provider's affair. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** Sign-ins by the embedded provider that have not ended, newest first. */
export const listSessionsOfPerson = defineAction({
  name: 'listSessionsOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/sessions',
  access: { area: 'People', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: z.array(z.object({ sessionId: z.string(), signedInOn: z.string(), withPasskey: z.boolean() })),
});

/** Ends one sign-in of a person, or all of them, with every token that came from it. Answers how many ended. */
export const endSessionsOfPerson = defineAction({
  name: 'endSessionsOfPerson',
  method: 'PUT',
  path: '/v1/people/{id}/sessions/end',
  access: { area: 'People', verb: 'edit' },
  input: z.object({ id: guidSchema, sessionId: z.optional(z.string().max(100)) }),
  output: z.object({ ended: z.number() }),
});
