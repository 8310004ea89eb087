/** German texts that describe the conditions of rules, and what they compared. */
import type * as english from './rule-words.en.ts';
import type { Texts } from './texts.ts';

const deviations = (count: string | number): string => `${count} ${Number(count) === 1 ? 'Standardabweichung' : 'Standardabweichungen'}`;
const weeksText = (weeks: number): string => (weeks === 1 ? 'der letzten Woche' : `der letzten ${weeks} Wochen`);

export const ruleWordTexts: Texts<typeof english.ruleWordTexts> = {
  and: 'und',
  or: 'oder',
  signs: {
    1: '=',
    2: '≠',
    3: '>',
    4: '<',
    5: 'enthält',
    6: '≥',
    7: '≤',
    8: 'passt auf',
    9: 'beginnt mit',
    10: 'endet mit',
    11: 'enthält nicht',
    12: 'passt nicht auf',
    13: 'ist leer',
    14: 'ist nicht leer',
  },
  days: (n) => `${n} d`,
  hours: (n) => `${n} h`,
  minutes: (n) => `${n} min`,
  seconds: (n) => `${n} s`,
  timesInRow: (n) => `${n}-mal in Folge`,
  timesWithin: (n, span) => `${n}-mal innerhalb von ${span}`,
  everyTimeDuring: (span) => `jedes Mal während ${span}`,
  changed: 'geändert',
  notSeenFor: (span) => `nicht gesehen seit ${span}`,
  inWindow: (span) => `in ${span}`,
  fromWindow: (span) => `aus den letzten ${span}`,
  inAhead: (span) => `in ${span}`,
  baseline: {
    above: (count, hours) => `${deviations(count)} über ${hours}`,
    below: (count, hours) => `${deviations(count)} unter ${hours}`,
    away: (count, hours) => `${deviations(count)} abseits ${hours}`,
  },
  hourOfWeek: (weeks) => `derselben Stunde ${weeksText(weeks)}`,
  hourOfDay: (weeks) => `derselben Stunde jedes Tages ${weeksText(weeks)}`,
  asUsual: (usual) => `wie üblich (${usual})`,
  aboveUsual: (count, usual) => `${deviations(count)} über dem Üblichen (${usual})`,
  belowUsual: (count, usual) => `${deviations(count)} unter dem Üblichen (${usual})`,
};
