/** Reports of work units: how many, how fast, and against which service levels, compared with the period before. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';
import { reportDimensions } from './dimensions.ts';

/** The longest period of a report, in days. */
export const maxReportDays = 731;
/** The maximum number of groups in one answer. */
export const maxReportGroups = 500;

const times = z.object({
  /** How many units have reached it. */
  units: z.int(),
  medianSeconds: z.int().nullable(),
  p90Seconds: z.int().nullable(),
  /** How many units have met the target of their service level, and how many have not. Others have no target, or time left. */
  met: z.int(),
  breached: z.int(),
});

const figures = z.object({
  opened: z.int(),
  /** How many of them are open now. */
  open: z.int(),
  /** How many have ended although nobody had acknowledged them: as a rule they recovered. */
  unacknowledged: z.int(),
  acknowledge: times,
  resolve: times,
});
export type ReportFigures = z.infer<typeof figures>;

const compared = z.object({ now: figures, before: figures });

const group = z.object({
  ...compared.shape,
  /** The id of the tenant, category, rule or type; the sign-in name of the person; the severity; the outcome of the change. Empty: none. */
  key: z.string(),
  /** The name of the row with this id; null if there is none, or none that the caller may see. */
  name: z.string().nullable(),
  tenantName: z.string().nullable(),
});
export type ReportGroup = z.infer<typeof group>;

const period = {
  from: z.iso.date('from is a day, such as 2026-11-01.'),
  to: z.iso.date('to is a day, such as 2026-11-30.'),
  tenantId: z.optional(guidSchema),
  /** Instead of a tenant: a group of which the caller sees all tenants. */
  tenantGroupId: z.optional(guidSchema),
};

export const workUnitReport = defineAction({
  name: 'workUnitReport',
  method: 'GET',
  path: '/v1/workUnits/report',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'The work units that were opened on the days from `from` to `to` (UTC), of a tenant, of a group of tenants or of all tenants of the caller: how many, how fast they were acknowledged and resolved, and how many service levels were met, in all, for each day and for each group. Beside each figure stands that of as many days before `from`. Times are whole seconds; the median and the 90th percentile are times of real units (nearest rank). Canceled units and spam calls have no times. A unit counts by what it is now, so a unit that is opened again changes the figures of its day. By `change`, the report is of change requests alone, by their outcome.',
  input: z.object({
    ...period,
    by: z.enum(reportDimensions, { error: `by is one of ${reportDimensions.join(', ')}.` }).default('tenant'),
  }),
  output: z.object({
    from: z.iso.date(),
    to: z.iso.date(),
    /** The days with which this period is compared. */
    beforeFrom: z.iso.date(),
    beforeTo: z.iso.date(),
    ...compared.shape,
    days: z.array(z.object({ day: z.iso.date(), opened: z.int(), before: z.int() })),
    /** The groups with the most units, up to 500. */
    groups: z.array(group),
    /** How many groups there are. */
    groupCount: z.int(),
    /** How many days of these tenants and periods have changes that are not counted yet. */
    pendingDays: z.int(),
  }),
});

const load = z.object({
  /** Steps of protocols that told the person about a work unit, by however many channels. */
  pages: z.int(),
  /** Those from 22:00 to 7:00, and those on Saturday and Sunday, in the time zone of the person. */
  nights: z.int(),
  weekends: z.int(),
  units: z.int(),
});

export const onCallLoad = defineAction({
  name: 'onCallLoad',
  method: 'GET',
  path: '/v1/workUnits/report/onCall',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'How often each person was told about work units on the days from `from` to `to` (UTC), at night and at weekends, beside as many days before. Hours are those of the time zone in the preferences of the person, or UTC without one. A message that waited for the end of quiet hours counts when the wait was to end. The people with the most messages come first, up to 500.',
  input: z.object(period),
  output: z.object({
    value: z.array(z.object({ personId: guidSchema, name: z.string(), timeZone: z.string(), now: load, before: load })),
  }),
});
