/** German texts of the home page. */
import type * as english from './home.en.ts';
import type { Texts } from './texts.ts';

const units = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgänge`);

export const home: Texts<typeof english.home> = {
  title: 'Startseite',
  welcome: (name: string) => `Willkommen, ${name}`,
  intro: 'Was gerade Aufmerksamkeit braucht.',
  download: 'Windows-Agent herunterladen',
  notBuilt: 'Um den Windows-Agenten auch hier anzubieten, führen Sie dies einmal im Ordner des Servers aus; ein Neustart ist nicht nötig:',
  noRights: 'Ihr Konto hat noch keine Berechtigung für ein Dashboard.',
  noRightsText: 'Ihr Administrator kann Ihnen Vorgänge, Geräte oder Regeln freigeben.',
  failed: 'Das konnte nicht geladen werden.',
  viewAll: 'Alle anzeigen',

  tiles: {
    label: 'Braucht Aufmerksamkeit',
    mine: 'Meine offenen Vorgänge',
    mineHint: 'Mir zugewiesen',
    approval: 'Wartet auf meine Genehmigung',
    approvalHint: 'Änderungsanträge',
    newUnits: 'Neue Vorgänge',
    newHint: 'Nicht bestätigt',
    severe: 'Offene Sev0 und Sev1',
    severeHint: (open: number) => (open === 1 ? 'Von 1 offenen Vorgang' : `Von ${open} offenen Vorgängen`),
    matches: 'Offene Regeltreffer',
    matchesHint: (rules: number) => (rules === 0 ? 'Keine Regel trifft zu' : rules === 1 ? 'Von 1 Regel' : `Von ${rules} Regeln`),
    updates: 'Überfällige Mitteilungen',
    updatesHint: 'In Mitteilungen zugesagt',
    levels: 'Frist in Gefahr',
    levelsHint: 'Servicelevel bald fällig oder verletzt',
    silent: 'Stumme Geräte',
    silentHint: 'Kein Datenpaket seit 5 min',
  },

  trend: {
    title: 'Offene Vorgänge',
    tableTitle: 'Offene Vorgänge, Tag für Tag',
    days: (n: number) => `Letzte ${n} Tage`,
    by: 'Aufteilen nach',
    severity: 'Schweregrad',
    state: 'Zustand',
    asTable: 'Als Tabelle anzeigen',
    asChart: 'Als Diagramm anzeigen',
    day: 'Tag',
    total: 'Gesamt',
    today: 'Heute',
    now: 'jetzt',
    summary: (by: string, first: string, then: number, now: number, top: number) =>
      `Offene Vorgänge nach ${by} am Ende jedes Tages: ${then} am ${first}, jetzt ${now}, höchstens ${top}.`,
  },

  split: {
    title: 'Nach Schweregrad und Zustand',
    state: 'Zustand',
    total: 'Alle',
    cell: (count: number, what: string) => `${units(count)}: ${what}`,
  },

  lists: {
    severe: 'Offene Vorgänge nach Schweregrad',
    severeNone: 'Keine offenen Vorgänge. Alles in Ordnung.',
  },

  firstSteps: {
    title: 'Erste Schritte',
    progress: (done: number, all: number) => `${done} von ${all} erledigt`,
    dismiss: 'Nicht mehr anzeigen',
    failed: 'Die ersten Schritte konnten nicht ausgeblendet werden. Bitte versuchen Sie es erneut.',
    done: 'Erledigt',
    open: 'Zu tun',
    steps: {
      customer: ['Kunden hinzufügen', 'Ein eigener Mandant trennt Maschinen, Personen und Vorgänge.'],
      mailServer: ['Mailserver einrichten', 'Ohne ihn werden E-Mails aufbewahrt und erreichen niemanden.'],
      machine: ['Maschine hinzufügen', 'Ihr Agent meldet, was Regeln überwachen.'],
      rule: ['Regel schreiben', 'Sie öffnet einen Vorgang, wenn etwas nicht stimmt.'],
      colleague: ['Kollegen einladen', 'Auch jemand anderes sieht, was geschieht.'],
    },
  },

  footer: {
    label: 'Über',
    api: 'API',
  },
};
