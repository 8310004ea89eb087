/** Texts of restoring versions of rows and of taking change sets back. */
export const restoreTexts = {
  title: 'Restore',
  restore: 'Restore this version',
  bringBack: 'Bring this row back',
  undo: 'Take back all changes of this request',
  comparing: 'Comparing…',
  would: 'What would change',
  nothing: 'Nothing would change: everything is as it was.',
  verbs: { add: 'Bring back', change: 'Change', remove: 'Delete' },
  field: 'Field',
  now: 'Now',
  restored: 'Restored',
  more: (count: number) => `And ${count} more.`,
  left: (count: number) => (count === 1 ? '1 row stays as it is:' : `${count} rows stay as they are:`),
  why: 'Why (optional)',
  confirm: 'Restore',
  done: (count: number) => (count === 1 ? '1 row was restored.' : `${count} rows were restored.`),
} as const;
