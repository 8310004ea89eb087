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

/** `00:05:00` as `5 min`. */
function spanText(duration: string): string {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : '', seconds > 0 ? `${seconds} s` : ''].filter(Boolean).join(' ');
}

const after = (duration: string): string => (spanText(duration) === '' ? 'at the next hit' : `after ${spanText(duration)} if it goes on`);
const at = (time: string | undefined): string => (time === undefined ? 'at the next hit' : `at ${time} if it still matches`);
const silent = 'Nothing tells of it until the match ends.';

/** Texts about matches that go on after their work unit has ended. */
export const liveMatchTexts = {
  stillHolds: 'The fault still holds:',
  stillMatching: 'Still matching:',
  matched: (rule: string) => `the rule ${rule} matched`,
  others: (n: number) => (n === 1 ? ', and 1 other match is open' : `, and ${n} other matches are open`),
  opensAfter: {
    Reopen: (duration: string) => `The work unit opens again ${after(duration)}.`,
    New: (duration: string) => `Another work unit opens ${after(duration)}.`,
    Silent: () => silent,
  },
  opensAt: {
    Reopen: (time: string | undefined) => `Opens again ${at(time)}.`,
    New: (time: string | undefined) => `Another work unit opens ${at(time)}.`,
    Silent: () => silent,
  },
} as const;
