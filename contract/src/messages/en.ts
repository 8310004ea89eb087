/** Every text that people read in the portal; quoted texts of the spec stand verbatim, odd spellings included. */

const product = 'CloudFit Software';

export const en = {
  product,
  copyright: (year: number) => `© CloudFit ${year}`,
  /** `{header} - CloudFit Software` (SHELL-018). */
  pageTitle: (header: string) => `${header} - ${product}`,

  common: {
    save: 'Save', create: 'Create', cancel: 'Cancel', close: 'Close', delete: 'Delete', edit: 'Edit', discard: 'Discard', yes: 'Yes', no: 'No', ok: 'OK',
    retry: 'Try again', clear: 'Clear', apply: 'Apply', back: 'Back', more: 'More', actions: 'Actions', none: '—', all: 'All', on: 'on', off: 'off',
    saving: 'Saving…', copy: 'Copy', copyLink: 'Copy link', open: 'Open', selected: (n: number) => `${n} selected`, optional: 'optional',
    rowActions: (name: string) => `Actions for ${name}`, selectRow: (name: string) => `Select ${name}`, selectAll: 'Select all rows of this page',
    yesValue: 'Yes', noValue: 'No', global: 'Global', noChoice: 'None', searchChoices: 'Type to search', noMatches: 'Nothing matches.', closePanel: 'Close panel', skip: 'Skip to content',
  },

  auth: {
    redirecting: 'Redirecting to login page...',
    signingIn: 'Signing in',
    signingOut: 'Signing out',
    loading: 'Loading...',
    login: 'Login',
    tagline: 'Devices, rules and work units in one place.',
    failed: 'The sign-in did not complete. Please try again.',
    noProvider: 'The sign-in service cannot be reached right now.',
    ended: 'You were signed out in another tab.',
    deniedTitle: 'You do not have access',
    deniedText: 'Please contact your system administrator for access.',
    differentAccount: 'Sign in with another account',
  },

  shell: {
    menu: 'Menu', administration: 'Administration', mainMenu: 'Main menu', openMenu: 'Open menu', closeMenu: 'Close menu', license: 'License', home: 'Home',
    profile: 'Profile', logOut: 'Log out', settings: 'Settings', keyboardHelp: 'Keyboard shortcuts', toDark: 'Switch to dark mode', toLight: 'Switch to light mode',
    tenant: 'Tenant', subscription: 'Subscription', switchContext: 'Switch tenant and subscription', switchAction: 'Switch', noSubscription: 'No subscription', loadingTenant: 'Loading tenant',
    tenantRequired: 'Please choose a tenant.', subscriptionRequired: 'Please choose a subscription.', switchFailed: 'The tenant could not be switched. Please try again.',
    environment: (name: string) => `Environment ${name}`, version: (version: string) => version,
    live: 'Live', offline: 'Live updates are interrupted. Reconnecting…',
    notFound: 'Page Not Found', notFoundText: 'There is nothing at this address.', goHome: 'Go Back Home',
    oldExperience: 'Old experience',
    items: {
      workUnits: 'Work Units', communications: 'WorkUnit Communications', devices: 'Devices', blocks: 'Blocks', rules: 'Rules', compliance: 'Compliance',
      tenants: 'Tenants', locations: 'Locations', packages: 'Package Catalog', protocols: 'Work Unit Protocols', actions: 'Action Catalog', pendingDevices: 'Pending Devices',
      tokens: 'Tokens', workUnitSettings: 'Work Unit Settings', versionReport: 'Version Report',
    },
  },

  settings: { title: 'Settings', appearance: 'Appearance', dark: 'Dark mode', light: 'Light mode', theme: 'Theme', hint: 'Kept in this browser.' },

  guard: { title: 'Unsaved changes', question: 'There are unsaved changes. Are you sure you want to close?' },

  copy: { done: 'Content copied successfully!', readOnly: 'Content copied to clipboard', id: (id: string) => `Copied ${id}`, label: (what: string) => `Copy ${what}`, failed: 'Your browser does not allow copying.' },

  failure: {
    forbidden: 'You do not have access to one or more requested resources',
    network: 'The server cannot be reached. Check your connection.',
    server: 'The server could not answer. Please try again in a moment.',
    unknown: 'Something went wrong. Please try again.',
    page: 'This page could not be shown.',
    pageText: 'Reloading usually helps. Nothing you saved is lost.',
    reload: 'Reload',
    list: 'The list could not be loaded.',
    row: (what: string) => `${what} could not be loaded.`,
    rowGone: (what: string) => `${what} was not found. It may have been deleted, or you do not have access to it.`,
    export: 'The export failed.',
    save: (what: string) => `Unable to save ${what}. Please try again.`,
    delete: (what: string) => `Unable to delete ${what}. Please try again.`,
    fields: 'Please check the marked fields.',
  },

  grid: {
    create: 'Create', exportPage: 'Export Page', exportAll: 'Export All', exporting: 'Exporting...', columns: 'Columns', resetColumns: 'Reset columns',
    search: 'Search', searchIn: (what: string) => `Search ${what}`, exact: 'Exact Match', runSearch: 'Run search', clearSearch: 'Clear search',
    rowsPerPage: 'Rows per page', range: (from: number, to: number, count: string) => `${from}–${to} of ${count}`, noRange: '0 of 0',
    previous: 'Previous page', next: 'Next page', first: 'First page', last: 'Last page', loading: 'Loading rows', updating: 'Updating',
    sorted: (name: string, direction: string, place: number) => `${name}, sorted ${direction}, position ${place}`, ascending: 'ascending', descending: 'descending',
    sortHint: 'Click to sort; hold Shift to add to the sort',
    addFilter: 'Filter', editFilter: (name: string) => `Edit filter ${name}`, removeFilter: (name: string) => `Remove filter ${name}`, clearFilters: 'Clear all', filterBy: 'Filter by',
    filterValueRequired: 'Please make a selection', guid: 'Please enter a valid GUID.', number: 'Please enter a number.', contains: 'contains', from: 'from', until: 'until', is: 'is', empty: 'is empty',
    quickFilters: 'Quick filters', filterChoices: 'Find a value',
    emptyTitle: (plural: string) => `No ${plural.toLowerCase()} yet`, emptyText: 'They will appear here.', noneTitle: (plural: string) => `No ${plural.toLowerCase()} match`, noneText: 'Nothing matches this search and these filters.', clearAll: 'Clear search and filters',
    autoRefresh: 'Auto-refresh', refreshed: (when: string) => `Refreshed ${when}`, refreshNow: 'Refresh now', never: 'never',
  },

  form: {
    createTitle: (label: string) => `Create ${label}`, editTitle: (label: string, name: string) => `Edit ${label}: ${name}`, viewTitle: (label: string, name: string) => `${label}: ${name}`,
    required: 'This field is required.', requiredNamed: (label: string) => `${label} is required.`, requiredMark: 'required', readOnly: 'Set by the system',
    invalidDate: 'Please enter a valid date', futureDate: 'Date must be in the future', dateRequired: 'Date is required', timeMin: (n: number, unit: string) => `Must be at least ${n} ${unit}.`,
    invalidJson: 'This is not valid JSON.', duration: 'hh:mm:ss', created: (label: string) => `${label} created.`, saved: (label: string) => `${label} saved.`, deleted: (name: string) => `Successfully deleted ${name}`,
    deleteTitle: (label: string) => `Delete ${label}`, deleteQuestion: (name: string) => `Are you sure you want to delete ${name}? Cannot be undone.`,
    details: 'Details', noRight: 'You may look at this, but not change it.',
  },

  time: {
    now: 'now', seconds: (n: number) => `${n} s`, minutes: (n: number) => `${n} min`, hours: (n: number) => `${n} h`, days: (n: number) => `${n} d`, months: (n: number) => `${n} mo`, years: (n: number) => `${n} y`,
    ago: (text: string) => (text === 'now' ? 'just now' : `${text} ago`), ahead: (text: string) => (text === 'now' ? 'now' : `in ${text}`),
  },

  home: {
    title: 'Home', welcome: (name: string) => `Welcome, ${name}`, welcomePlain: 'Welcome', intro: 'What needs attention right now.',
    myOpen: 'Assigned to me', newUnits: 'New work units', severe: 'Open Sev0 and Sev1', openUnits: 'Open work units', devices: 'Devices', silent: 'Silent devices', activeMatches: 'Active rule matches', rules: 'Rules enabled',
    silentHint: 'No packet for over five minutes', newest: 'Open work units by severity', allClear: 'No open work units. All clear.', viewAll: 'View all', unavailable: 'Not available',
    noRights: 'Your account has no permission for a dashboard yet.',
  },

  license: {
    title: 'License', expirationLoading: 'Expiration Date Loading...', expires: (date: string) => `Expiration date: ${date}`, daysLeft: (n: number) => `${n} day(s) left`, expiredShort: 'Expired',
    expiresIn: (n: number) => `Your license expires in ${n} day(s)`, expired: 'Your license has expired', agree: 'Agree', cancel: 'Cancel', view: 'View license',
  },

  keys: {
    title: 'Keyboard shortcuts', search: 'Focus the search', create: 'Create', move: 'Walk the rows', open: 'Open the row', select: 'Select the row', close: 'Close the panel or dialog', save: 'Save the form', help: 'Show this list', theme: 'Switch between light and dark',
    anywhere: 'Anywhere', lists: 'In a list', panels: 'In a panel', goTo: (name: string) => `Go to ${name}`,
  },

  devices: {
    title: 'Devices', cpu: 'CPU %', memory: 'Memory %', age: 'Age', location: 'Location', never: 'Never', noData: 'No data reported',
    edit: 'Edit Device', delete: 'Delete Device', panelTitle: (name: string) => `Edit Device: ${name}`,
    saveFailed: 'A problem occurred saving the device. Please try again.', deleteFailed: (device: string) => `Could not delete ${device} because it has operations assigned to it.`, deleted: (device: string) => `Successfully deleted ${device}`,
    deleteQuestion: (device: string) => `Delete ${device}? The agent will have to be registered again. Its history stays.`,
    live: 'Live', lastPacket: 'Last packet', identity: 'Identity', behaviour: 'Behaviour', placement: 'Placement', reporting: 'Reporting', silent: 'Silent', openMatches: 'Open rule matches', noMatches: 'No Rule Matches Found.',
    emptyText: 'Install the agent on a machine and it will report here.',
  },

  locations: { saveFailed: 'A problem occurred saving the location. Please try again.', emptyText: 'Create one to say where devices stand.' },

  rules: {
    title: 'Rules', showDisabled: 'Show Disabled Rules', when: 'When', runs: 'Runs', enable: 'Enable', disable: 'Disable', enabled: (name: string) => `${name} enabled.`, disabled: (name: string) => `${name} disabled.`,
    toggleLabel: (name: string) => `Rule ${name} enabled`, saveFailed: 'Unable to save rule. Please try again.', deleteFailed: 'Unable to delete rule. Please try again.', deleted: 'Rule deleted successfully.', deleteQuestion: (name: string) => `Delete the rule ${name}? Its open matches close and their expiration actions do not run.`,
    wholeTenant: 'Whole tenant', and: 'and', or: 'or', always: 'always', matchesActive: (n: number) => `${n} active`, openMatches: 'Active matches', actions: (n: number) => (n === 1 ? '1 action' : `${n} actions`), lifetime: 'Lifetime', type: 'Type', scope: 'Scope', emptyText: 'Rules open work units by themselves when devices report trouble.',
    operators: {
      1: 'is', 2: 'is not', 3: 'over', 4: 'under', 5: 'contains', 6: 'at least', 7: 'at most', 8: 'matches', 9: 'starts with', 10: 'ends with', 11: 'does not contain', 12: 'does not match', 13: 'is empty', 14: 'is not empty',
    } as Record<number, string>,
    timesInRow: (n: number) => `${n} times in a row`, timesWithin: (n: number, span: string) => `${n} times within ${span}`, everyTimeDuring: (span: string) => `every time for ${span}`, changed: 'changed', notSeenFor: (span: string) => `not seen for ${span}`, operand: (id: number) => `operand ${id}`,
    conditions: 'Conditions', matchActions: 'Match actions', expirationActions: 'Expiration actions', noActions: 'None', timeLimits: 'Time limitations', timeLimitsSome: 'Only at certain times', timeLimitsNone: 'At any time', sliding: 'Sliding expiration', recent: 'Recent matches',
  },

  matches: { active: 'Active', inactive: 'Inactive', count: (n: number) => (n === 1 ? 'once' : `${n} times`), none: 'No Rule Matches Found.', inMaintenance: 'In maintenance' },

  workUnits: {
    title: 'Work Units', label: 'Work Unit', id: 'ID', tenant: 'Tenant', type: 'Work Unit Type', ack: '(ack)', ackLabel: (id: number) => `Acknowledge work unit #${id}`, acknowledged: (id: number) => `Work unit #${id} acknowledged.`, acknowledge: 'Acknowledge', ackFailed: 'The work unit could not be acknowledged.',
    createTitle: 'Create Work Unit', editTitle: (id: number, title: string) => `Edit Work Unit #${id}: ${title}`, created: 'Successfully created work unit.', saved: 'Work unit saved.', newEmpty: 'Nothing to do here.',
    chooseType: 'Please choose a work unit type.', userRequest: 'User Request',
    tabs: { form: 'Work Units', protocols: 'Protocols', pending: 'Pending Actions', properties: 'Properties', related: 'Related' },
    sections: { handling: 'Handling', stakeholder: 'Stakeholder', reference: 'Reference', change: 'Change plan', approval: 'Approval', custom: 'Additional fields' },
    workUnitProperties: 'Work Unit Properties', additionalProperties: 'Additional Properties', noAdditional: 'This work unit does not have any additional properties.', noProperties: 'No properties found.', badProperties: 'The additional properties are not readable.',
    noManual: 'No manual actions associated with this work unit.',
    noRelated: (type: string) => `No related ${type}s found.`, relatedName: 'Name', relatedValue: 'Value', relatedDate: 'Date', view: 'View', relationTitle: 'Relation Information', ruleMatch: 'Rule Match', device: 'Device', nothingRelated: 'Nothing is linked to this work unit.',
    cause: 'Cause', causeLine: 'Opened by a rule', openDevice: 'Open device', openRule: 'Open rule', matchedTimes: (n: number) => (n === 1 ? 'matched once' : `matched ${n} times`),
    feed: 'Notes and history', feedAll: 'All', feedNotes: 'Notes', feedHistory: 'History', feedEmpty: 'Nothing has happened yet.', feedFailed: 'Notes and history could not be loaded.',
    note: 'Add a note', noteLabel: 'Note', notePlaceholder: 'Write a note…', noteAdd: 'Add note', noteAdded: 'Note added successfully!', noteFailed: 'Unable to save note.', noteExternal: 'Visible to the requester', external: 'External', counter: (n: number, max: number) => `${n}/${max}`,
    changedField: (field: string) => `changed ${field}`, from: 'from', to: 'to', nothing: 'nothing', system: 'System',
    assignToMe: 'Assign to me', unassigned: 'Unassigned', pickTenantFirst: 'Choose a tenant first',
    groupQuestionState: 'Do you want to remove the current Assigned To and set the State to New with this Assignment Group change?', groupQuestion: 'Do you want to remove the current Assigned To with this Assignment Group change?', groupTitle: 'Assignment Group', groupDoneState: 'Successfully set State to New and removed Assigned To.', groupDone: 'Successfully removed Assigned To.',
    finishBeforeStart: 'Planned Finish Time must be equal to or greater than Planned Start Time.',
    conflict: 'This Work Unit was modified by another user. Please discard your changes without saving and refresh it.', conflictTest: 'is not equal to the test value', refreshAndRetry: 'Please refresh the Work Unit and try again.',
    invalidInput: 'Invalid user input was sent to the API. Please verify your input and try again.', serverError: 'A server error prevented saving this Work Unit. These errors are often temporary. Please retry saving in just a moment.', unknownError: 'An unknown error has occurred. Please retry saving in just a moment.',
    discardAndRefresh: 'Discard and refresh', nothingChanged: 'No changes', changes: (n: number) => (n === 1 ? '1 unsaved change' : `${n} unsaved changes`), savedAt: (when: string) => `Last updated ${when}`, theirs: 'Changed meanwhile by somebody else. The newer values are shown where you changed nothing.',
    quickStates: 'State', createMenu: 'Create', mine: 'Assigned to me', openStates: 'Open', spamHidden: 'Spam', modifiedBy: (who: string) => `by ${who}`, createdByLine: (who: string) => `Created by ${who}`, exportFile: 'workunits.csv', emptyText: 'New ones appear here by themselves.',
    score: 'Satisfaction', spam: 'Spam call',
  },
} as const;
