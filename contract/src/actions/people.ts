/** Display names of people, and their sign-ins, which administrators end. Sign-ins at an external provider are managed there. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { maxNames } from '../people-names.ts';
import { guidSchema } from '../resource.ts';

/**
 * The display names of people whom a page knows by their sign-in names. Answers only people with whom the caller shares
 * a tenant; anybody else is shown by the sign-in name.
 */
export const namesOfPeople = defineAction({
  name: 'namesOfPeople',
  method: 'POST',
  path: '/v1/people/names',
  access: 'signed-in',
  input: z.object({ userNames: z.array(z.string().min(1).max(320)).max(maxNames) }),
  output: z.object({ value: z.array(z.object({ userName: z.string(), name: z.string() })) }),
});

/** Active sign-ins by the embedded provider, newest first. */
export const listSessionsOfPerson = defineAction({
  name: 'listSessionsOfPerson',
  method: 'GET',
  path: '/v1/people/{id}/sessions',
  access: { area: 'People', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: z.array(z.object({ sessionId: z.string(), signedInOn: z.string(), withPasskey: z.boolean(), withCode: z.boolean() })),
});

/** Removes all passkeys, one-time codes and recovery codes of a person, who is told by mail. */
export const removeSecondFactor = defineAction({
  name: 'removeSecondFactor',
  method: 'PUT',
  path: '/v1/people/{id}/secondFactor/remove',
  access: { area: 'People', verb: 'edit' },
  input: z.object({ id: guidSchema }),
  output: z.object({ passkeys: z.number(), codes: z.boolean() }),
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
