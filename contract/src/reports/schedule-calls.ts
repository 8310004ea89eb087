/** Calls about reports that are sent by mail at set times. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';
import { isTimeZone } from '../rules/time-window.ts';
import { asOneLine } from '../text-checks.ts';
import { reportDimensions } from './dimensions.ts';
import { reportPeriods, scheduleLimits, scheduleOutcomes, scheduleRhythms } from './schedules.ts';

const { lastDayOfMonth } = scheduleLimits;
const oneOf = <T extends readonly [string, ...string[]]>(name: string, values: T) =>
  z.enum(values, { error: `${name} is one of ${values.join(', ')}.` });

/** What a person decides about a report by mail. */
const chosen = {
  name: z
    .string()
    .trim()
    .min(1, 'The name is required.')
    .max(scheduleLimits.name, `The name has at most ${scheduleLimits.name} characters.`)
    .check(...asOneLine('The name')),
  by: oneOf('by', reportDimensions),
  period: oneOf('period', reportPeriods),
  /** The tenant to which the schedule belongs, and whose work units the report is about. */
  tenantId: guidSchema,
  /** Whether the report is instead about all tenants of whoever receives it. */
  isAllTenants: z.boolean(),
  rhythm: oneOf('rhythm', scheduleRhythms),
  /** The day of the week (0 is Sunday), or the day of the month; 0 for a daily report. */
  day: z.int().min(0).max(lastDayOfMonth, `Choose a day of the month from 1 to ${lastDayOfMonth}, which every month has.`),
  hour: z.int().min(0).max(23, 'The hour is from 0 to 23.'),
  timeZone: z.string().max(100).refine(isTimeZone, 'This time zone is not known.'),
  /** The people who get the report, each with what they may view themselves. */
  receivers: z
    .array(guidSchema)
    .min(1, 'Please name at least one receiver.')
    .max(scheduleLimits.receivers, `A report has at most ${scheduleLimits.receivers} receivers.`),
  isEnabled: z.boolean(),
};

const outcome = z.object({ personId: guidSchema, name: z.string().nullable(), outcome: z.enum(scheduleOutcomes) });

export const reportSchedules = defineAction({
  name: 'reportSchedules',
  method: 'GET',
  path: '/v1/reportSchedules',
  access: 'signed-in',
  about: 'The reports that the caller has sent by mail: when, to whom, and who got the last one or why not.',
  input: z.object({}),
  output: z.object({
    value: z.array(
      z.object({
        reportScheduleId: guidSchema,
        ...chosen,
        tenantName: z.string(),
        /** The receivers with their names; null for somebody who was removed. */
        people: z.array(z.object({ personId: guidSchema, name: z.string().nullable() })),
        nextRun: z.string().nullable(),
        lastRun: z.string().nullable(),
        lastResult: z.array(outcome),
      }),
    ),
  }),
});

export const createReportSchedule = defineAction({
  name: 'createReportSchedule',
  method: 'POST',
  path: '/v1/reportSchedules',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Sends a report of work units by mail, daily, weekly or monthly at an hour of a time zone. Each receiver gets it in their language with the figures that they may view at that moment; who may view nothing of it, is disabled or has no verified address gets none.',
  repeatable: true,
  input: z.object(chosen),
  output: z.object({ reportScheduleId: guidSchema }),
});

export const changeReportSchedule = defineAction({
  name: 'changeReportSchedule',
  method: 'POST',
  path: '/v1/reportSchedules/{id}',
  access: 'signed-in',
  about: 'Changes a report by mail of the caller. Without the right to view it any more, the caller can only switch it off.',
  input: z.object({ id: guidSchema, ...z.object(chosen).partial().shape }),
  output: z.object({ reportScheduleId: guidSchema }),
});

export const removeReportSchedule = defineAction({
  name: 'removeReportSchedule',
  method: 'DELETE',
  path: '/v1/reportSchedules/{id}',
  access: 'signed-in',
  about: 'Deletes a report by mail of the caller.',
  input: z.object({ id: guidSchema }),
});

export const testReportSchedule = defineAction({
  name: 'testReportSchedule',
  method: 'POST',
  path: '/v1/reportSchedules/{id}/test',
  access: { area: 'WorkUnits', verb: 'view' },
  about: 'Sends the report to the caller alone, now; its times and its last result stay as they are.',
  input: z.object({ id: guidSchema }),
  output: z.object({ email: z.string() }),
});
