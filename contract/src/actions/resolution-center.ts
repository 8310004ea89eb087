/** Calls of requesters: requests, the notes that they may read, asking for a call, and feedback (RC). */
import { z } from 'zod';
import { defineAction, defineList, rowOf } from '../action.ts';
import { experienceScores } from '../enums.ts';
import { permission, viewMine } from '../permissions.ts';
import { guidSchema } from '../resource.ts';

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
    'Asks for a call about a request: adds a note to it and mails the address of the tenant for internal notifications, at most once in a quarter of an hour.',
  input: z.object({ workUnitId }),
  /** `notified`: whether a mail about the call back was queued. */
  output: z.object({ message: z.string(), notified: z.boolean() }),
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
