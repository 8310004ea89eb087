/** German texts of maintenance: its list, and the buttons that start, extend and end it. */
import type * as english from './maintenance.en.ts';
import type { Texts } from './texts.ts';

const devices = (count: number) => (count === 1 ? '1 Gerät' : `${count.toLocaleString('de')} Geräte`);
const matches = (count: number) => `${count.toLocaleString('de')} Treffer`;

export const maintenanceTexts: Texts<typeof english.maintenanceTexts> = {
  title: 'Wartung',
  emptyText:
    'Nichts ist in Wartung. Starten Sie eine Wartung bei einem Gerät, ausgewählten Geräten, einem Standort, einer Auswahl oder einer Änderung.',
  start: 'Wartung',
  startOf: (what) => `Wartung von ${what}`,
  devices,
  explained:
    'Bis zum Ende benachrichtigen Treffer niemanden und eröffnen keinen Vorgang. Danach werden die Aktionen der Treffer, die noch offen sind, sofort ausgeführt.',
  filterExplained:
    'Geräte, auf die der Filter inzwischen zutrifft, sind ebenfalls in Wartung. Kein Gerät verlässt die Wartung vor ihrem Ende.',
  selectionExplained:
    'Sie gilt für die Geräte der Auswahl, solange sie in der Auswahl sind: auch für die, die hinzukommen, und nicht mehr für die, die sie verlassen.',
  why: 'Warum (optional)',
  whyPlaceholder: 'Zum Beispiel: neue Festplatte',
  until: 'Bis',
  choices: {
    quarter: '15 Minuten',
    hour: '1 Stunde',
    fourHours: '4 Stunden',
    morning: 'Morgen 08:00',
  },
  otherTime: 'Andere Zeit',
  confirm: 'Starten',
  started: (until) => `In Wartung bis ${until}.`,
  extend: 'Verlängern',
  extendTitle: 'Verlängern bis',
  extended: (until) => `Bis ${until} verlängert.`,
  end: 'Jetzt beenden',
  ended: 'Die Wartung ist beendet. Die Aktionen der Treffer, die noch offen sind, werden jetzt ausgeführt.',
  defaultReason: (what) => `Wartung von ${what}`,
  markUntil: (until) => `In Wartung bis ${until}`,
  expectedOnly: 'nur was die Änderung erwartet, wird zurückgehalten',
  inMaintenance: 'In Wartung',
  sinceBecause: (since, selection) => `seit ${since}, durch die Auswahl ${selection}`,
  since: (since) => `seit ${since}`,
  untilTime: (until) => `bis ${until}`,
  by: (who) => `von ${who}`,
  rule: (name) => `Regel ${name}`,
  change: (number, reason) => `Änderung #${number}: ${reason}`,
  columns: { what: 'Was', who: 'Wer', state: 'Status', holds: 'Hält zurück', change: 'Änderung' },
  states: { running: 'Läuft', planned: 'Geplant', over: 'Vorbei' },
  current: 'Laufend und geplant',
  over: 'Vorbei',
  nothing: 'Nichts',
  holds: (count, waiting) => (waiting > 0 ? `${matches(count)}, ${waiting} mit wartenden Aktionen` : matches(count)),
  matches: 'Treffer in der Wartung',
  noMatches: 'Kein Treffer ihrer Geräte ist offen.',
  more: (count) => `und ${count.toLocaleString('de')} weitere`,
  waits: 'Aktionen warten',
  notified: 'vorher benachrichtigt',
  devicesOf: 'Geräte',
  ofFilter: (count) => `${devices(count)} eines Filters`,
  ofSelection: (name, count) => `Auswahl ${name}: ${devices(count)}`,
  selection: 'Auswahl',
  filter: 'Filter',
  location: (name) => `Alle Geräte am Standort ${name}`,
  ofChange: 'Sie folgt dem Plan ihrer Änderung: Dort werden ihre Zeiten und was erwartet wird bearbeitet.',
};
