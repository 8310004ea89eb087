/** German texts of what is going on in a work unit: its line, its cause, and other open units around it. */
import type * as english from './work-unit-situation.en.ts';
import type { Texts } from './texts.ts';

export const situationTexts: Texts<typeof english.situationTexts> = {
  opened: 'eröffnet',
  asPage: 'Als Seite öffnen',
  besideList: 'Neben der Liste anzeigen',
  toCome: 'Was folgt',
  waitsForPerson: 'wartet auf eine Person',
  waitsFor: (reason) => `Wartend auf: ${reason}`,
  on: 'auf',
  seen: 'Ausgelöst bei',
  matched: 'erster Treffer',
  limit: 'Grenzwert der Regel',
  limitIs: (value) => `Grenzwert ${value}`,
  nowIs: (metric) => `${metric} jetzt`,
  lastIs: (metric) => `${metric} am Ende`,
  chart: (metric) => `${metric} um den Treffer herum`,
  showAll: 'Ganze Beschreibung anzeigen',
  showLess: 'Weniger anzeigen',
  alsoNow: 'Auch gerade',
  alsoNowCount: (n) => (n === 1 ? '1 anderer offener Vorgang' : `${n} andere offene Vorgänge`),
  alsoNowMore: (n) => `und ${n} weitere`,
  sharesRule: 'dieselbe Regel',
  sharesGroup: (group) => `zugewiesen an ${group}`,
};
