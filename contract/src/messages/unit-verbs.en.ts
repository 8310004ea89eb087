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
  severalTenants: 'The selected work units are of several tenants, and each tenant has its own groups. Please select those of one tenant.',
  loadFailed: 'The selected work units could not be loaded. Please try again.',
} as const;
