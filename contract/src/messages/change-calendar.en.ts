/** Texts of the calendar of changes and of the list of change freezes. */
export const changeCalendarTexts = {
  month: (month: string, year: number) => `${month} ${year}`,
  before: 'Month before',
  after: 'Month after',
  today: 'Today',
  tenants: 'Tenants',
  allTenants: 'All my tenants',
  thisTenant: 'This tenant',
  kinds: { change: 'Change', window: 'Maintenance', freeze: 'Freeze' },
  change: (number: number, title: string) => `#${number} ${title}`,
  /** `from` and `until`: times of this day; undefined for one that lies before or after it. */
  times: (from: string | undefined, until: string | undefined) => {
    if (from === undefined) return until === undefined ? 'all day' : `until ${until}`;
    return until === undefined ? `from ${from}` : `${from} to ${until}`;
  },
  untilDay: (day: string) => `until ${day}`,
  approvals: { approved: 'approved', open: 'awaits approval', overridden: 'approval overridden' },
  more: (count: number) => `${count} more`,
  noneInMonth: 'No change, maintenance or freeze is planned in this month.',
  failed: 'The calendar could not be loaded.',
  cut: (count: number, kind: string) => `Of the kind ${kind}, only the first ${count} are shown. Choose one tenant to see fewer.`,
  freezes: 'Change Freezes',
  freezesEmptyText: 'In a freeze, a change needs an override to be approved or to start.',
  freezeWords: 'blackout moratorium frozen period end of year changes',
  saveFailed: 'A problem occurred saving the change freeze. Please try again.',
  removeFreeze: 'Delete freeze',
  removed: (name: string) => `Freeze ${name} deleted.`,
  removeQuestion: (name: string) => `Delete the freeze ${name}? Changes in its time no longer need an override.`,
} as const;
