/** What a person should do now, in one ranked list. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { guidSchema } from '../../resource.ts';

/** The maximum number of entries in an answer. */
export const maxDoNow = 50;

/**
 * Why something is in the list. `Calling`: a call back that the person has taken. `Step`: a manual step of the protocol is offered.
 * `NewOnCall`: in a tenant where the person is on call. `New`: it has neither an assignee nor a group.
 */
export const doNowReasons = [
  'CallBack',
  'Calling',
  'LevelBreached',
  'LevelDue',
  'UpdateOverdue',
  'Approval',
  'Step',
  'StepFailed',
  'Mentioned',
  'Reply',
  'NewInGroup',
  'NewOnCall',
  'New',
  'Assigned',
  'InGroup',
] as const;
export type DoNowReason = (typeof doNowReasons)[number];

const reason = z.object({
  kind: z.enum(doNowReasons),
  /** Until when it was promised, or has to be done; null for what has no clock. */
  due: z.string().nullable(),
  /** Since when it waits. */
  since: z.string(),
  /** The phone number, the note, the name of the step, the group, or which update it is; null for a kind that says everything. */
  detail: z.string().nullable(),
  /** What the verb of the reason is about: the call back, the slot of the approval, the step, the execution, or the inbox item. */
  id: z.string().nullable(),
});

export const doNow = defineAction({
  name: 'doNow',
  method: 'GET',
  path: '/v1/workunits/doNow',
  access: { area: 'WorkUnits', verb: 'view' },
  about: `What the caller should do now, the most pressing first: a work unit appears once, with all its reasons. Call backs come first, then new and own units of Sev0 and Sev1, then what was promised and is due, what waits for an answer, other new units, and the rest of what is assigned. At most ${maxDoNow} entries of one tenant, or of all tenants of the caller; of each kind of unit it looks at the 1000 most severe.`,
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: z.object({
    value: z.array(
      z.object({
        tenantId: z.string(),
        tenantName: z.string(),
        /** The work unit; null for an update of a communication. */
        unit: rowOf('workUnits').nullable(),
        communication: z.object({ workUnitCommunicationId: z.number(), publicId: z.number(), title: z.string() }).nullable(),
        reasons: z.array(reason),
      }),
    ),
    /** The number of all entries, of which `value` has the first. */
    total: z.number(),
    /** Whether there may be more than `total`. */
    isCut: z.boolean(),
  }),
});
