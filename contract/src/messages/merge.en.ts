/** Texts of work units that are merged as duplicates and taken apart. */
const units = (n: number) => (n === 1 ? '1 work unit' : `${n} work units`);

export const mergeTexts = {
  verb: 'Merge into…',
  verbOfSeveral: 'Merge into one…',
  words: 'duplicate same join combine',
  search: 'Work unit that stays',
  searchOf: (id: number) => `Merge #${id} into`,
  title: (first: number, n: number, into: number) => (n === 1 ? `Merge #${first} into #${into}` : `Merge ${units(n)} into #${into}`),
  text: (n: number, id: number, title: string) =>
    `${n === 1 ? 'It is closed as a duplicate' : 'They are closed as duplicates'} of #${id} ${title}, which then shows ${n === 1 ? 'its' : 'their'} notes, history and matches. You can take them apart again.`,
  yes: 'Merge',
  several: 'The selected work units are of several customers. Only those of one customer are merged.',
  done: (n: number, id: number) => `${units(n)} merged into #${id}.`,
  isInto: 'Merged as a duplicate into',
  includes: 'Includes the duplicate',
  apart: 'Take apart',
  apartOf: (id: number) => `Take apart #${id}`,
  apartQuestion: (id: number) => `#${id} gets back its state, matches and watchers. What was added since the merge stays where it is.`,
  apartDone: (id: number) => `#${id} was taken apart.`,
  entryOf: (id: number) => `of #${id}`,
} as const;
