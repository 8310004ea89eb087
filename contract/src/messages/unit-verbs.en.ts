/** Texts of what people do with work units: in the unit, on a row, on a selection, and in the palette. */

const units = (n: number) => (n === 1 ? '1 work unit' : `${n} work units`);

export const unitVerbTexts = {
  bar: 'Actions of the work unit',
  more: 'More',
  list: 'Work units of the list',
  target: (n: number) => units(n),
  acknowledge: 'Acknowledge',
  assignToMe: 'Assign to me',
  assignTo: 'Assign to…',
  assignToPerson: (name: string) => `Assign to ${name}`,
  assignee: 'Assign to',
  personPlaceholder: 'Name or email',
  nobody: 'Nobody',
  choiceOf: (field: string, n: number, id: number) => (n === 1 ? `${field} of work unit #${id}` : `${field} of ${units(n)}`),
  /** A cell whose value a click changes: its value comes first, because it is what the cell shows. */
  /** After the value in a cell that a click changes, for those who do not see the column. */
  cell: (field: string, id: number) => `, ${field} of work unit #${id}`,
  group: 'Assignment Group…',
  severity: 'Severity…',
  severityAs: (severity: string) => `Severity ${severity}`,
  state: 'State…',
  stateAs: (state: string) => `State ${state}`,
  holdFor: (reason: string) => `OnHold, waiting for: ${reason}`,
  resolve: 'Resolve…',
  reopen: 'Reopen',
  note: 'Note',
  link: 'Copy link',
  next: 'Next work unit',
  previous: 'Previous work unit',
  /** The place of the unit in its list. */
  place: (at: string, of: string) => `${at} of ${of}`,
  words: {
    acknowledge: 'ack take accept',
    assignToMe: 'take mine',
    assign: 'give person owner',
    severity: 'priority urgency',
    state: 'status progress hold cancel close',
    resolve: 'done fix close finish',
    reopen: 'open again back return',
    note: 'comment write',
  },
  resolveTitle: (n: number, id: number) => (n === 1 ? `Resolve work unit #${id}` : `Resolve ${units(n)}`),
  resolveText: (fresh: number) =>
    fresh === 0 ? 'What was the matter, and what was done?' : 'What was the matter, and what was done? It is acknowledged first.',
  resolution: 'Resolution',
  resolveYes: 'Resolve',
  groupQuestions: (n: number) =>
    `Do you want to remove the current Assigned To of ${units(n)} and set the State to New with this Assignment Group change?`,
  severalTenants: 'The selected work units are of several tenants, and each tenant has its own groups. Please select those of one tenant.',
  none: 'None',
  nothing: {
    acknowledge: 'None of them is New: nothing to acknowledge.',
    resolve: 'All of them have ended already.',
    reopen: 'All of them are open already.',
    other: 'Nothing to change: they have this value already.',
  },
  acknowledged: (n: number) => `${units(n)} acknowledged.`,
  resolved: (n: number, id: number) => (n === 1 ? `Work unit #${id} resolved.` : `${units(n)} resolved.`),
  reopened: (n: number, id: number) => (n === 1 ? `Work unit #${id} is open again.` : `${units(n)} are open again.`),
  assigned: (n: number, id: number, name: string) =>
    n === 1 ? `Work unit #${id} assigned to ${name}.` : `${units(n)} assigned to ${name}.`,
  unassigned: (n: number, id: number) => (n === 1 ? `Work unit #${id} is assigned to nobody.` : `${units(n)} are assigned to nobody.`),
  changed: (n: number, id: number, field: string, value: string) =>
    n === 1 ? `${field} of work unit #${id} is ${value}.` : `${field} of ${units(n)} is ${value}.`,
  pending: { resolve: 'Resolving…', other: 'Saving…' },
  unconfirmed: (n: number, id: number) =>
    n === 1
      ? `The server did not confirm the change of work unit #${id}. Please check it and try again.`
      : `The server did not confirm the change of ${units(n)}. Please check them and try again.`,
  /** After somebody else was faster: `who` has changed the unit, and `now` is what it says now. */
  wasFirst: (who: string, id: number, now: string) => `${who} was first: work unit #${id} is ${now} now. Nothing was changed.`,
  somebody: 'Somebody else',
  assignedNow: (name: string) => `assigned to ${name}`,
  nobodyNow: 'assigned to nobody',
  valueNow: (field: string, value: string) => `at ${field} ${value}`,
  skipped: (n: number, reasons: string) => `${units(n)} not changed: ${reasons}`,
  reason: (id: number, text: string) => `#${id}: ${text}`,
  changedBy: (who: string) => `${who} was first.`,
  loadFailed: 'The selected work units could not be loaded. Please try again.',
  undo: 'Undo',
  undoTexts: {
    undoing: 'Undoing…',
    undone: (n: number) => `Undone for ${units(n)}.`,
    undoSkipped: (ids: string) => `Changed by somebody else since, and left as they are: ${ids}.`,
    undoFailed: 'That could not be undone. Please try again.',
  },
} as const;
