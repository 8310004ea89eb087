/** Texts that describe the conditions of rules, and what they compared. */
const counted = (n: number, noun: string): string => (n === 1 ? `1 ${noun}` : `${n} ${noun}s`);

export const ruleWordTexts = {
  and: 'and',
  or: 'or',
  /** The operators, by their id, as signs in a label. */
  signs: {
    1: '=',
    2: '≠',
    3: '>',
    4: '<',
    5: 'contains',
    6: '≥',
    7: '≤',
    8: 'matches',
    9: 'starts with',
    10: 'ends with',
    11: 'does not contain',
    12: 'does not match',
    13: 'is empty',
    14: 'is not empty',
  },
  days: (n: number) => `${n} d`,
  hours: (n: number) => `${n} h`,
  minutes: (n: number) => `${n} min`,
  seconds: (n: number) => `${n} s`,
  timesInRow: (n: number) => `${n} times in a row`,
  timesWithin: (n: number, span: string) => `${n} times within ${span}`,
  everyTimeDuring: (span: string) => `every time during ${span}`,
  changed: 'changed',
  notSeenFor: (span: string) => `not seen for ${span}`,
  inWindow: (span: string) => `in ${span}`,
  fromWindow: (span: string) => `from the last ${span}`,
  inAhead: (span: string) => `in ${span}`,
  /** What a condition on a baseline compares: `3 standard deviations above the same hour of the last 4 weeks`. */
  baseline: {
    above: (count: string, hours: string) => `${count} standard ${Number(count) === 1 ? 'deviation' : 'deviations'} above ${hours}`,
    below: (count: string, hours: string) => `${count} standard ${Number(count) === 1 ? 'deviation' : 'deviations'} below ${hours}`,
    away: (count: string, hours: string) => `${count} standard ${Number(count) === 1 ? 'deviation' : 'deviations'} away from ${hours}`,
  },
  hourOfWeek: (weeks: number) => `the same hour of ${weeks === 1 ? 'the last week' : `the last ${weeks} weeks`}`,
  hourOfDay: (weeks: number) => `the same hour of each day of ${weeks === 1 ? 'the last week' : `the last ${weeks} weeks`}`,
  asUsual: (usual: string) => `as the usual ${usual}`,
  aboveUsual: (deviations: number, usual: string) => `${counted(deviations, 'deviation')} above the usual ${usual}`,
  belowUsual: (deviations: number, usual: string) => `${counted(deviations, 'deviation')} below the usual ${usual}`,
} as const;
