/** Who follows a work unit, and who may be mentioned in its notes. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';

const id = z.coerce.number().int().positive();
const access = { area: 'WorkUnits', verb: 'view' } as const;
const person = z.object({ personId: z.string(), name: z.string(), userName: z.string() });
const people = z.object({ value: z.array(person) });

export const watchersOfWorkUnit = defineAction({
  name: 'watchersOfWorkUnit',
  method: 'GET',
  path: '/v1/workunits/{id}/watchers',
  access,
  about: 'The people who follow the unit and may still view it, in the order in which they began.',
  input: z.object({ id }),
  output: people,
});

export const watchWorkUnit = defineAction({
  name: 'watchWorkUnit',
  method: 'POST',
  path: '/v1/workunits/{id}/watch',
  access,
  about: 'The caller, who must be a person, follows the unit: its changes come to their inbox.',
  input: z.object({ id }),
  output: people,
});

export const unwatchWorkUnit = defineAction({
  name: 'unwatchWorkUnit',
  method: 'POST',
  path: '/v1/workunits/{id}/unwatch',
  access,
  about: 'The caller no longer follows the unit.',
  input: z.object({ id }),
  output: people,
});

export const peopleToMention = defineAction({
  name: 'peopleToMention',
  method: 'GET',
  path: '/v1/workunits/{id}/people',
  access,
  about: 'People who may view the unit and whose name, or a word of it, or sign-in name begins with the text; at most eight.',
  input: z.object({ id, text: z.string().max(100).default('') }),
  output: people,
});
