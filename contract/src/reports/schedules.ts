/** Reports that are sent by mail at set times. */

export const scheduleLimits = { perPerson: 50, name: 120, receivers: 50, lastDayOfMonth: 28 } as const;

/** The days of a report, counted back from the day on which it is sent. */
export const reportPeriods = ['Last7Days', 'Last30Days', 'Last90Days', 'LastWeek', 'LastMonth'] as const;
export type MailedPeriod = (typeof reportPeriods)[number];

export const scheduleRhythms = ['Daily', 'Weekly', 'Monthly'] as const;
export type ScheduleRhythm = (typeof scheduleRhythms)[number];

/**
 * Why a receiver got the report or did not. `OwnerMayNot`: nobody got it, because its owner may not view the report any more.
 * `Unsubscribed`: ended by the link in the mail, and no receiver any more.
 */
export const scheduleOutcomes = ['Sent', 'NoRight', 'Disabled', 'NoAddress', 'Removed', 'OwnerMayNot', 'Unsubscribed'] as const;
export type ScheduleOutcome = (typeof scheduleOutcomes)[number];
