/** Calls about on-call schedules: who is on call, the shifts of a period, and the calendar feed. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const instant = (name: string) => z.iso.datetime({ offset: true, error: `${name} must be a date and time, as in 2026-05-01T08:00:00Z.` });
const shift = z.object({ from: z.string(), to: z.string(), personId: z.string(), name: z.string() });
export type ShownShift = z.infer<typeof shift>;

const duty = { now: z.nullable(shift), next: z.nullable(shift) };

export const onCallNow = defineAction({
  name: 'onCallNow',
  method: 'GET',
  path: '/v1/onCall',
  access: { area: 'OnCall', verb: 'view' },
  about: 'Who is on call in each schedule that the caller sees, and who is next. `until` of a shift is at most 92 days ahead.',
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: z.object({
    value: z.array(
      z.object({
        onCallScheduleId: z.string(),
        scheduleName: z.string(),
        tenantId: z.string(),
        ...duty,
        /** Whether nobody is on call now although the schedule does not leave out this time. */
        isUnplannedGap: z.boolean(),
        /** Why no message reaches the person who is on call now; null if one does. */
        problem: z.nullable(z.string()),
      }),
    ),
  }),
});

export const onCallShifts = defineAction({
  name: 'onCallShifts',
  method: 'GET',
  path: '/v1/onCallSchedules/{id}/shifts',
  access: { area: 'OnCall', verb: 'view' },
  about: 'The shifts of a schedule between two times: of each layer, the overrides, and the line that counts; with its warnings.',
  input: z.object({
    id: guidSchema,
    from: z.optional(instant('from')),
    /** The length of the period in days, at most 92. */
    days: z.coerce.number({ error: 'days is a number from 1 to 92.' }).int().min(1).max(92).default(14),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    ...duty,
    layers: z.array(z.object({ name: z.string(), shifts: z.array(shift) })),
    overrides: z.array(shift.extend({ onCallOverrideId: z.string(), reason: z.string().nullable() })),
    final: z.array(shift.extend({ layer: z.number().nullable() })),
    gaps: z.array(z.object({ from: z.string(), to: z.string() })),
    /** Everybody whom layers and overrides name. */
    people: z.array(z.object({ personId: z.string(), name: z.string() })),
    /** People of a layer whose turns never have hours of its restrictions, so that they are never on call by it. */
    withoutTurns: z.array(z.object({ personId: z.string(), name: z.string(), layer: z.string() })),
    /** People on call in the period, or within the next four weeks, whom no message can reach, with the reason. */
    unreachable: z.array(z.object({ personId: z.string(), name: z.string(), reason: z.string() })),
  }),
});

export const onCallCalendarLink = defineAction({
  name: 'onCallCalendarLink',
  method: 'POST',
  path: '/v1/onCallSchedules/{id}/calendarLink',
  access: { area: 'OnCall', verb: 'view' },
  about: "The address of the schedule's calendar feed. Everybody who has it can read the feed; `renew` makes all earlier ones invalid.",
  noStore: true,
  input: z.object({ id: guidSchema, renew: z.boolean().default(false) }),
  output: z.object({ url: z.string() }),
});

export const onCallCalendar = defineAction({
  name: 'onCallCalendar',
  method: 'GET',
  path: '/v1/onCallCalendars/{token}',
  access: 'anonymous',
  about: 'The final line of the coming 92 days as an iCalendar file, for whoever has the link.',
  noStore: true,
  input: z.object({ token: z.string().max(500) }),
  content: 'text/calendar',
});
