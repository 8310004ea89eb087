/** Texts of the matches that a work unit stands for. */
export const unitMatchTexts = {
  heading: 'Matches',
  counts: (open: number, total: number) => `${open} open of ${total}`,
  states: { Open: 'Open', Ended: 'Ended' },
  since: 'since',
  ended: 'ended',
  kinds: {
    Rule: () => 'All matches of the rule become this work unit.',
    Device: (shared: string) => `Grouped by device: ${shared}.`,
    Location: (shared: string) => `Grouped by ${shared}.`,
    Subscription: (shared: string) => `Grouped by ${shared}.`,
    Tag: (shared: string) => `Grouped by ${shared}.`,
    Parent: (shared: string) => `Grouped by what they depend on: ${shared}.`,
    Storm: () => 'The rule matched too often in a minute: further matches are listed here instead of opening work units of their own.',
    Silence: (shared: string) => `${shared}.`,
    Outage: (shared: string) => `${shared}.`,
  } as Record<string, ((shared: string) => string) | undefined>,
  reasons: { storm: 'too many matches in a minute' } as Record<string, string | undefined>,
  more: (n: number) => `Show ${n} more`,
  listed: (n: number, total: number) => `The first ${n} of ${total} are listed.`,
  failed: 'The matches of this work unit could not be loaded',
} as const;
