/** Texts of what became of the verbs on work units, which load with the first verb. */

const units = (n: number) => (n === 1 ? '1 work unit' : `${n} work units`);

export const unitOutcomeTexts = {
  resolveTitle: (n: number, id: number) => (n === 1 ? `Resolve work unit #${id}` : `Resolve ${units(n)}`),
  resolveText: (fresh: number) =>
    fresh === 0 ? 'What was the matter, and what was done?' : 'What was the matter, and what was done? It is acknowledged first.',
  resolution: 'Resolution',
  resolveYes: 'Resolve',
  groupQuestions: (n: number) =>
    `Do you want to remove the current Assigned To of ${units(n)} and set the State to New with this Assignment Group change?`,
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
  undo: 'Undo',
  undoTexts: {
    undoing: 'Undoing…',
    undone: (n: number) => `Undone for ${units(n)}.`,
    undoSkipped: (ids: string) => `Changed by somebody else since, and left as they are: ${ids}.`,
    undoFailed: 'That could not be undone. Please try again.',
  },
  acknowledgement: {
    pending: 'Acknowledging…',
    done: (id: number) => `Work unit #${id} acknowledged.`,
    unconfirmed: (id: number) => `The server did not confirm that work unit #${id} is acknowledged. Please check it and try again.`,
  },
  /** After somebody else has resolved the unit first. */
  resolutionAsNote: 'Add my text as a note',
} as const;
