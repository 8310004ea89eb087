/** The sign-ins of people, for those who administer them. Sign-ins at an external provider are managed there. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** Active sign-ins by the embedded provider, newest first. */
export const listSessionsOfPerson = defineAction({
  name: 'listSessionsOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/sessions',
  access: { area: 'People', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: z.array(z.object({ sessionId: z.string(), signedInOn: z.string(), withPasskey: z.boolean() })),
});

/** Ends one sign-in of a person, or all of them, with all of their tokens. Returns the number of ended ones. */
export const endSessionsOfPerson = defineAction({
  name: 'endSessionsOfPerson',
  method: 'PUT',
  path: '/v1/people/{id}/sessions/end',
  access: { area: 'People', verb: 'edit' },
  input: z.object({ id: guidSchema, sessionId: z.optional(z.string().max(100)) }),
  output: z.object({ ended: z.number() }),
});
