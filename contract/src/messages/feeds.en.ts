/** Texts of a person's feeds for other programs. */
export const feedTexts = {
  title: 'Feeds',
  intro:
    'Read open work units in a feed reader (Atom), or changes and maintenance in your calendar. Whoever has a link sees what you may view, until you remove the feed.',
  of: 'Feed of',
  kinds: { workUnits: 'All open work units', calendar: 'Changes, maintenance and freezes' },
  view: (name: string) => `Open work units of ${name}`,
  make: 'Make a link',
  link: 'Link of the feed',
  linkOnce: 'Copy the link now; it is shown only once:',
  lastRead: 'last read',
  neverRead: 'never read',
  remove: 'Remove the feed',
  removeQuestion: 'Remove this feed? Its link is dead at once.',
  removeFailed: 'Unable to remove the feed. Please try again.',
  failed: 'Your feeds could not be loaded.',
} as const;
