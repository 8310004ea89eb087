/** Texts of the home page. */
const units = (n: number) => (n === 1 ? '1 work unit' : `${n} work units`);

export const home = {
  title: 'Home',
  welcome: (name: string) => `Welcome, ${name}`,
  intro: 'What needs attention right now.',
  download: 'Download Windows agent',
  notBuilt: 'To offer the Windows agent here too, run this once in the folder of the server; a restart is not needed:',
  noRights: 'Your account has no permission for a dashboard yet.',
  noRightsText: 'Your administrator can grant you work units, devices or rules.',
  failed: 'This could not be loaded.',
  viewAll: 'View all',

  tiles: {
    label: 'Needs attention',
    mine: 'My open work units',
    mineHint: 'Assigned to me',
    approval: 'Waiting for my approval',
    approvalHint: 'Change requests',
    newUnits: 'New work units',
    newHint: 'Not acknowledged',
    severe: 'Open Sev0 and Sev1',
    severeHint: (open: number) => `Of ${units(open)} open`,
    matches: 'Open rule matches',
    matchesHint: (rules: number) => (rules === 0 ? 'No rule matches' : rules === 1 ? 'Of 1 rule' : `Of ${rules} rules`),
    updates: 'Overdue updates',
    updatesHint: 'Promised in communications',
    levels: 'Breaching',
    levelsHint: 'Service level due soon or over',
    silent: 'Silent devices',
    silentHint: 'No packet for 5 min',
  },

  trend: {
    title: 'Open work units',
    tableTitle: 'Open work units, day by day',
    days: (n: number) => `Last ${n} days`,
    by: 'Split by',
    severity: 'Severity',
    state: 'State',
    asTable: 'Show as table',
    asChart: 'Show as chart',
    day: 'Day',
    total: 'Total',
    today: 'Today',
    now: 'now',
    summary: (by: string, first: string, then: number, now: number, top: number) =>
      `Open work units by ${by.toLowerCase()} at the end of each day: ${then} on ${first}, ${now} now, ${top} at most.`,
  },

  split: {
    title: 'By severity and state',
    state: 'State',
    total: 'All',
    cell: (count: number, what: string) => `${units(count)}: ${what}`,
  },

  lists: {
    severe: 'Open work units by severity',
    severeNone: 'No open work units. All clear.',
  },

  firstSteps: {
    title: 'First steps',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    dismiss: 'Do not show again',
    failed: 'The first steps could not be hidden. Please try again.',
    done: 'Done',
    open: 'To do',
    steps: {
      customer: ['Add a customer', 'A tenant of its own keeps machines, people and work units apart.'],
      mailServer: ['Set a mail server', 'Without one, mails are kept and reach nobody.'],
      machine: ['Add a machine', 'Its agent reports what rules watch.'],
      rule: ['Write a rule', 'It opens a work unit when something is wrong.'],
      colleague: ['Invite a colleague', 'Somebody else sees what happens, too.'],
    },
  },

  footer: {
    label: 'About',
    api: 'API',
  },
} as const;
