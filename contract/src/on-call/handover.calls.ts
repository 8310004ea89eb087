/** Calls about the handover of a shift: the note of the person who goes, and what happened in the shift. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

/** Hours after a handover in which its note can still be written. */
export const noteHours = 24;

const handover = z.object({
  onCallHandoverId: z.string(),
  onCallScheduleId: z.string(),
  scheduleName: z.string(),
  tenantId: z.string(),
  fromName: z.string(),
  /** Who takes over; null before the handover, and when nobody takes over. */
  toName: z.string().nullable(),
  shiftFrom: z.string(),
  shiftTo: z.string(),
  handedAt: z.string(),
  note: z.string().nullable(),
  /** When the handover happened; null before the handover. */
  completed: z.string().nullable(),
  read: z.string().nullable(),
  /** Whether the caller may write the note now. */
  mayWrite: z.boolean(),
  /** Whether the caller is the person who takes over. */
  isMine: z.boolean(),
});
export type Handover = z.infer<typeof handover>;

export const handoverFacts = z.object({
  /** Units that concern the person on call (notified, state changed, or open and assigned), and new units of Sev0 and Sev1. */
  units: z.array(
    z.object({
      workUnitId: z.number(),
      publicWorkUnitId: z.number(),
      title: z.string(),
      severityId: z.string(),
      stateId: z.string(),
      isOpen: z.boolean(),
      /** What happened to the unit during the shift. */
      opened: z.boolean(),
      acknowledged: z.boolean(),
      resolved: z.boolean(),
    }),
  ),
  /** The number of further units, which are not listed. */
  moreUnits: z.number(),
  maintenance: z.array(z.object({ maintenanceWindowId: z.string(), reason: z.string(), endsAt: z.string() })),
  /** Messages that people got through the schedule during the shift, at most 100. */
  messages: z.array(z.object({ name: z.string(), at: z.string(), channel: z.string(), publicWorkUnitId: z.number(), title: z.string() })),
});
export type HandoverFacts = z.infer<typeof handoverFacts>;

export const onCallHandovers = defineAction({
  name: 'onCallHandovers',
  method: 'GET',
  path: '/v1/onCallHandovers',
  access: { area: 'OnCall', verb: 'view' },
  about: 'The handovers of a schedule, the latest first; without one those that the caller has to write or to read.',
  input: z.object({ onCallScheduleId: z.optional(guidSchema) }),
  output: z.object({ value: z.array(handover) }),
});

export const onCallHandoverFacts = defineAction({
  name: 'onCallHandoverFacts',
  method: 'GET',
  path: '/v1/onCallHandovers/{id}/facts',
  access: { area: 'OnCall', verb: 'view' },
  about:
    'What is known of the shift: until the handover as of now, afterwards as it was then. Parts that the caller may not view are empty.',
  input: z.object({ id: guidSchema }),
  output: handoverFacts,
});

export const writeHandover = defineAction({
  name: 'writeHandover',
  method: 'POST',
  path: '/v1/onCallHandovers/{id}/note',
  access: { area: 'OnCall', verb: 'view' },
  about: 'Writes the note. For the person who goes off call and for people who may edit schedules, up to a day after the handover.',
  input: z.object({ id: guidSchema, note: z.string({ error: 'Please enter a note.' }).max(10_000, 'A note is at most 10000 characters.') }),
  output: z.object({ onCallHandoverId: z.string() }),
});

export const readHandover = defineAction({
  name: 'readHandover',
  method: 'POST',
  path: '/v1/onCallHandovers/{id}/read',
  access: { area: 'OnCall', verb: 'view' },
  about: 'The person who comes on call has read it.',
  input: z.object({ id: guidSchema }),
  output: z.object({ onCallHandoverId: z.string() }),
});
