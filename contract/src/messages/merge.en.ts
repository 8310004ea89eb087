/** Texts of work units that are merged as duplicates and taken apart. */
const units = (n: number) => (n === 1 ? '1 work unit' : `${n} work units`);

export const mergeTexts = {
  verb: 'Merge…',
  words: 'duplicate same join combine',
  title: (n: number, id: number) => (n === 1 ? `Merge work unit #${id} into another one` : `Merge ${units(n)}`),
  /** For several: the oldest one stays. */
  textOfSeveral: (n: number, id: number, title: string) =>
    `${units(n)} are closed as duplicates of #${id} ${title}, the oldest one. It shows their notes, history and matches, and you can take them apart again.`,
  textOfOne: 'It is closed as a duplicate. The other one shows its notes, history and matches, and you can take them apart again.',
  input: 'Number of the work unit that stays, such as 1503',
  yes: 'Merge',
  noUnit: (number: string) => `There is no work unit ${number} of this customer that you may see.`,
  several: 'The selected work units are of several customers. Only those of one customer are merged.',
  done: (n: number, id: number) => `${units(n)} merged into #${id}.`,
  failed: 'The work units could not be merged. Please try again.',
  isInto: 'Merged as a duplicate into',
  includes: 'Includes the duplicate',
  apart: 'Take apart',
  apartOf: (id: number) => `Take #${id} apart`,
  apartQuestion: (id: number) => `#${id} gets back its state, matches and watchers. What was added since the merge stays where it is.`,
  apartDone: (id: number) => `#${id} was taken apart.`,
  apartFailed: 'The work unit could not be taken apart. Please try again.',
  entryOf: (id: number) => `of #${id}`,
} as const;
