/** Texts of compliance besides its screen: evidence, facts, sign-offs, weeks, their report, and the editor of control sets. */
const number = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const complianceFactTexts = {
  reporting: {
    title: 'Devices that report',
    text: (reporting: number, all: number) =>
      `${reporting} of ${number(all, 'enabled device', 'enabled devices')} reported in the last 24 hours.`,
  },
  owners: {
    title: 'Owners of incidents',
    text: (open: number, unowned: number) =>
      `${number(open, 'incident is', 'incidents are')} open; ${unowned === 0 ? 'all have an owner' : `${unowned} without an owner`}.`,
  },
  software: {
    title: 'Versions of software',
    text: (installed: number, outdated: number) =>
      `${number(installed, 'package is', 'packages are')} installed on devices; ${outdated === 0 ? 'all are current' : `${outdated} outdated`}.`,
  },
  access: {
    title: 'Access',
    text: (people: number, changes: number) =>
      `${number(people, 'person or group has', 'people and groups have')} access; ${number(changes, 'change', 'changes')} in the last 7 days.`,
  },
  tokens: {
    title: 'Tokens',
    text: (valid: number, ending: number) => `${number(valid, 'token is', 'tokens are')} valid; ${ending} of them end within 30 days.`,
  },
  changes: {
    title: 'Changes',
    text: (changes: number, unapproved: number) =>
      `${number(changes, 'change was', 'changes were')} planned to start in the last 7 days; ${unapproved} went on without approval.`,
  },
  rules: {
    title: 'Rules',
    text: (rules: number, disabled: number) => `${number(rules, 'rule', 'rules')}; ${disabled} of them disabled.`,
  },
} as const;

export const evidenceTexts = {
  open: (n: number) => (n === 0 ? 'Add evidence' : number(n, 'piece of evidence', 'pieces of evidence')),
  openOf: (control: string) => `Evidence of ${control}`,
  panel: (control: string) => `Evidence of ${control}`,
  none: 'No evidence yet',
  noneText: 'Links, files and facts show an auditor why a control has its status.',
  add: 'Add evidence',
  kinds: { Link: 'Link', File: 'File', Fact: 'Fact' },
  title: 'Title',
  titleHelp: 'Empty: the name of the site or file',
  address: 'Address',
  file: 'File',
  tooLarge: (mebibytes: number) => `The file is larger than ${mebibytes} MiB.`,
  facts: 'What the system says now',
  record: 'Record',
  recorded: 'Evidence added.',
  addFailed: 'The evidence could not be added.',
  remove: 'Remove',
  removeTitle: 'Remove Evidence',
  removeQuestion: (title: string) => `Remove ${title} from this week? It cannot be restored.`,
  removed: 'Evidence removed.',
  removeFailed: 'The evidence could not be removed.',
  save: 'Save file',
  saveFailed: 'The file could not be loaded.',
  by: (who: string, when: string) => `${who}, ${when}`,
  failed: 'The evidence could not be loaded.',
  statusFirst: 'A control needs a status before it can have evidence.',
} as const;

export const signOffTexts = {
  signOff: 'Sign off',
  signed: (who: string) => `Signed off by ${who}`,
  question: (set: string, range: string, { unset, unexplained, isOver }: { unset: number; unexplained: number; isOver: boolean }) =>
    [
      `${set}, week of ${range}: statuses, notes and evidence cannot be changed afterwards.`,
      ...(isOver ? [] : ['The week is not over yet.']),
      ...(unset === 0 ? [] : [`${number(unset, 'control has', 'controls have')} no status.`]),
      ...(unexplained === 0 ? [] : [`${number(unexplained, 'exempt control has', 'exempt controls have')} no note that says why.`]),
    ].join(' '),
  note: 'Note for the report',
  done: 'The week is signed off.',
  failed: 'The week could not be signed off.',
  reopen: 'Reopen',
  reopenQuestion: 'Statuses, notes and evidence can be changed again. The sign-off stays in the history.',
  reason: 'Reason',
  reopened: 'The week is open again.',
  reopenFailed: 'The week could not be opened again.',
  was: (status: string) => `was ${status}`,
  changed: (n: number) => `Changed since last week ${n}`,
  changedTip: 'Controls whose status differs from the week before',
  report: 'Report',
} as const;

export const weeksTexts = { title: 'Statuses of the last 26 weeks', signed: 'signed off' } as const;

export const weekReportTexts = {
  title: 'Compliance report',
  heading: (set: string) => `Compliance report: ${set}`,
  tenant: 'Tenant',
  week: 'Week',
  state: 'State',
  open: 'Not signed off: this report shows the week as it is now.',
  signed: (who: string, when: string) => `Signed off by ${who} on ${when}`,
  note: 'Note',
  digest: 'SHA-256 of the signed report',
  summary: 'Controls by status',
  control: 'Control',
  status: 'Status',
  notes: 'Notes',
  evidence: 'Evidence',
  before: (status: string) => `Week before: ${status}`,
  setBy: (who: string, when: string) => `${who}, ${when}`,
  print: 'Print or save as PDF',
  download: 'Download JSON',
  file: (week: string) => `compliance-report-wk-${week}.json`,
  back: 'Back to the week',
  failed: 'The report could not be loaded.',
} as const;

export const controlSetTexts = {
  menu: 'Control sets',
  edit: 'Edit this control set',
  create: 'New control set',
  import: 'Import from a file',
  panelNew: 'New control set',
  panelEdit: (name: string) => `Control set ${name}`,
  panelImport: (name: string) => `Import ${name}`,
  name: 'Name',
  description: 'Description',
  controls: 'Controls',
  controlName: (at: number) => `Name of control ${at}`,
  controlTitle: (at: number) => `Title of control ${at}`,
  controlText: (at: number) => `Description of control ${at}`,
  namePlaceholder: 'Name',
  titlePlaceholder: 'Title',
  textPlaceholder: 'Description',
  up: (name: string) => `Move ${name} up`,
  remove: (name: string) => `Remove ${name}`,
  add: 'Add a control',
  review: 'Review changes',
  would: 'This would change',
  nothing: 'Nothing would change.',
  isNew: 'A new control set',
  described: 'The description of the set',
  created: 'Added',
  updated: 'Changed',
  removed: 'Removed',
  remaining: 'Stay because tenants have set statuses for them',
  unchanged: (n: number) => number(n, 'control stays as it is', 'controls stay as they are'),
  apply: 'Apply',
  applied: 'The control set was saved.',
  failed: 'The control set was not saved.',
  notJson: 'The file is not JSON.',
  notSet: 'The file is neither a control set of this product nor an OSCAL catalog.',
  allTenants: 'A control set belongs to all tenants.',
} as const;
