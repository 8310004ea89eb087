/** German texts of the calendar of changes and of the list of change freezes. */
import type * as english from './change-calendar.en.ts';
import type { Texts } from './texts.ts';

export const changeCalendarTexts: Texts<typeof english.changeCalendarTexts> = {
  month: (month, year) => `${month} ${year}`,
  before: 'Voriger Monat',
  after: 'Nächster Monat',
  today: 'Heute',
  tenants: 'Mandanten',
  allTenants: 'Alle meine Mandanten',
  thisTenant: 'Dieser Mandant',
  kinds: { change: 'Änderung', window: 'Wartung', freeze: 'Änderungssperre' },
  change: (number, title) => `#${number} ${title}`,
  times: (from, until) => {
    if (from === undefined) return until === undefined ? 'ganztägig' : `bis ${until}`;
    return until === undefined ? `ab ${from}` : `${from} bis ${until}`;
  },
  untilDay: (day) => `bis ${day}`,
  approvals: { approved: 'genehmigt', open: 'wartet auf Genehmigung', overridden: 'Genehmigung übergangen' },
  more: (count) => `${count} weitere`,
  day: (weekday, day, month) => `${weekday}, ${day}. ${month}`,
  noneInMonth: 'In diesem Monat ist keine Änderung, Wartung oder Änderungssperre geplant.',
  failed: 'Der Kalender konnte nicht geladen werden.',
  cut: (count, kind) => `Von der Art ${kind} werden nur die ersten ${count} gezeigt. Wählen Sie einen Mandanten, um weniger zu sehen.`,
  freezes: 'Änderungssperren',
  freezesEmptyText: 'In einer Änderungssperre wird eine Änderung nur genehmigt oder begonnen, wenn jemand die Genehmigung übergeht.',
  freezeWords: 'sperre einfrieren freeze zeitraum jahresende änderungen',
  saveFailed: 'Beim Speichern der Änderungssperre ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  removeFreeze: 'Änderungssperre löschen',
  removed: (name) => `Änderungssperre ${name} gelöscht.`,
  removeQuestion: (name) => `Änderungssperre ${name} löschen? Änderungen in ihrer Zeit brauchen dann keine Ausnahme mehr.`,
};
