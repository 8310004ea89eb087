/** Texts about the people who follow a work unit, and about mentions. */
export const watcherTexts = {
  watch: 'Watch',
  watching: 'Watching',
  unwatch: 'Stop watching',
  help: 'Changes of this unit come to your inbox',
  watchedBy: (names: readonly string[]) => `Watched by ${names.join(', ')}`,
  more: (n: number) => `+${n}`,
  began: 'You watch this unit. Its changes come to your inbox.',
  ended: 'You no longer watch this unit.',
  mention: 'People to mention',
};
