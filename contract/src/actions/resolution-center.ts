/** Calls of requesters: requests, the notes that they may read, asking for a call, and feedback (RC). */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { experienceScores } from '../enums.ts';
import { permission, viewMine } from '../permissions.ts';
import { guidSchema } from '../resource.ts';
import { asLines } from '../text-checks.ts';

const workUnitId = z.coerce.number().int().positive();
const id = z.nullish(guidSchema);
const filled = (max: number, message: string, min = 1) =>
  z
    .string({ error: message })
    .max(max, `At most ${max} characters.`)
    .refine((text) => text.trim().length >= min, message);

export const resolutionCenterList = defineList({
  name: 'resolutionCenter',
  path: '/v1/workunits/rc',
  access: { anyOf: [viewMine, permission('WorkUnits', 'view')] },
  about: "The caller's requests, newest first.",
  of: 'resolutionCenterWorkUnits',
  input: z.object({}),
});

/** A new request. A caller with one tenant or a chosen tenant may omit `tenantId`. Other fields of work units are ignored. */
export const newRequest = z
  .object({
    title: filled(500, 'Please enter a title for the Work Unit.', 3),
    description: filled(4_000, 'Please enter a Work Unit description'),
    stakeHolderPhoneNumber: filled(60, 'Please enter a phone number.'),
    workUnitCategoryId: id,
    workUnitSubcategoryId: id,
    tenantId: id,
  })
  .meta({ additionalProperties: true });

export const createRequest = defineAction({
  name: 'createRequest',
  method: 'PUT',
  path: '/v1/rc/workunits',
  repeatable: true,
  access: { anyOf: [viewMine, permission('WorkUnits', 'create')] },
  about: 'Opens a request of the caller in the resolution center. Answers the work unit.',
  input: newRequest,
  output: rowOf('resolutionCenterWorkUnits'),
});

export const externalNotesOf = defineList({
  name: 'externalNotesOf',
  path: '/v1/workunits/{workUnitId}/externalNotes',
  access: { anyOf: [permission('WorkUnits', 'view'), viewMine] },
  about: "Notes for the requester; 404 for a work unit that is not the caller's request and that they may not view.",
  of: 'externalNotes',
  input: z.object({ workUnitId }),
});

export const callMe = defineAction({
  name: 'callMe',
  method: 'POST',
  path: '/v1/workunitnotes/callme/{workUnitId}',
  access: { anyOf: [viewMine, permission('WorkUnits', 'view')] },
  about:
    'Asks for a call about a request within 15 minutes: puts it into the queue of call backs, adds a note to the request, and tells those on call and the address of the tenant for internal notifications. While a call back is open, asking again changes nothing.',
  input: z.object({ workUnitId }),
  /** `notified`: whether a mail about the call back was queued. */
  output: z.object({ message: z.string(), notified: z.boolean() }),
});

export const replyToRequest = defineAction({
  name: 'replyToRequest',
  method: 'POST',
  path: '/v1/workunits/rc/{workUnitId}/reply',
  repeatable: true,
  access: { anyOf: [viewMine, permission('WorkUnits', 'view')] },
  about:
    'Adds a note of the requester to their own request; those who work on it are told. With `reopens`, a request that is resolved is also opened again. A request gets at most ten notes in ten minutes. Answers the request.',
  input: z.object({
    workUnitId,
    text: z
      .string({ error: 'Please write your message.' })
      .check(...asLines('Your message'))
      .trim()
      .min(1, 'Please write your message.')
      .max(4_000, 'At most 4000 characters.'),
    reopens: z.boolean().nullish(),
  }),
  output: rowOf('resolutionCenterWorkUnits'),
});

export const giveFeedback = defineAction({
  name: 'giveFeedback',
  method: 'POST',
  path: '/v1/workunits/rc/{workUnitId}/feedback',
  access: { anyOf: [viewMine, permission('WorkUnits', 'view')] },
  about: "The requester's satisfaction with a finished request.",
  input: z.object({
    workUnitId,
    stakeHolderExperienceScore: z.enum(experienceScores, { error: `Satisfaction is one of ${experienceScores.join(', ')}.` }),
  }),
  output: rowOf('resolutionCenterWorkUnits'),
});
