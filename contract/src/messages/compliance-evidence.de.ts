/** German texts of compliance besides its screen: evidence, facts, sign-offs, weeks, their report, and the editor of control sets. */
import type * as english from './compliance-evidence.en.ts';
import type { Texts } from './texts.ts';

const number = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const complianceFactTexts: Texts<typeof english.complianceFactTexts> = {
  reporting: {
    title: 'Geräte, die sich melden',
    text: (reporting: number, all: number) =>
      `${reporting} von ${number(all, 'aktivierten Gerät', 'aktivierten Geräten')} ${reporting === 1 ? 'hat' : 'haben'} sich in den letzten 24 Stunden gemeldet.`,
  },
  owners: {
    title: 'Bearbeiter von Störungen',
    text: (open: number, unowned: number) =>
      `${number(open, 'Störung ist', 'Störungen sind')} offen; ${unowned === 0 ? 'alle haben einen Bearbeiter' : `${unowned} ohne Bearbeiter`}.`,
  },
  software: {
    title: 'Versionen der Software',
    text: (installed: number, outdated: number) =>
      `${number(installed, 'Softwarepaket ist', 'Softwarepakete sind')} auf Geräten installiert; ${outdated === 0 ? 'alle sind aktuell' : `${outdated} veraltet`}.`,
  },
  access: {
    title: 'Zugriff',
    text: (people: number, changes: number) =>
      `${number(people, 'Person oder Gruppe hat', 'Personen und Gruppen haben')} Zugriff; ${number(changes, 'Änderung', 'Änderungen')} in den letzten 7 Tagen.`,
  },
  tokens: {
    title: 'Tokens',
    text: (valid: number, ending: number) =>
      `${number(valid, 'Token ist', 'Tokens sind')} gültig; davon enden ${ending} innerhalb von 30 Tagen.`,
  },
  changes: {
    title: 'Änderungen',
    text: (changes: number, unapproved: number) =>
      `${number(changes, 'Änderung sollte', 'Änderungen sollten')} in den letzten 7 Tagen beginnen; ${unapproved} ohne Genehmigung fortgesetzt.`,
  },
  rules: {
    title: 'Regeln',
    text: (rules: number, disabled: number) => `${number(rules, 'Regel', 'Regeln')}; davon ${disabled} deaktiviert.`,
  },
};

export const evidenceTexts: Texts<typeof english.evidenceTexts> = {
  open: (n: number) => (n === 0 ? 'Nachweis hinzufügen' : number(n, 'Nachweis', 'Nachweise')),
  openOf: (control: string) => `Nachweise zu ${control}`,
  panel: (control: string) => `Nachweise zu ${control}`,
  none: 'Noch keine Nachweise',
  noneText: 'Links, Dateien und Fakten zeigen einem Prüfer, warum eine Kontrolle ihren Status hat.',
  add: 'Nachweis hinzufügen',
  kinds: { Link: 'Link', File: 'Datei', Fact: 'Fakt' },
  title: 'Titel',
  titleHelp: 'Leer: der Name der Website oder der Datei',
  address: 'Adresse',
  file: 'Datei',
  tooLarge: (mebibytes: number) => `Die Datei ist größer als ${mebibytes} MiB.`,
  facts: 'Was das System jetzt sagt',
  record: 'Aufzeichnen',
  recorded: 'Nachweis hinzugefügt.',
  addFailed: 'Der Nachweis konnte nicht hinzugefügt werden.',
  remove: 'Entfernen',
  removeTitle: 'Nachweis entfernen',
  removeQuestion: (title: string) => `${title} aus dieser Woche entfernen? Dies kann nicht rückgängig gemacht werden.`,
  removed: 'Nachweis entfernt.',
  removeFailed: 'Der Nachweis konnte nicht entfernt werden.',
  save: 'Datei speichern',
  saveFailed: 'Die Datei konnte nicht geladen werden.',
  by: (who: string, when: string) => `${who}, ${when}`,
  failed: 'Die Nachweise konnten nicht geladen werden.',
  statusFirst: 'Eine Kontrolle braucht einen Status, bevor sie Nachweise haben kann.',
};

export const signOffTexts: Texts<typeof english.signOffTexts> = {
  signOff: 'Abzeichnen',
  signed: (who: string) => `Abgezeichnet von ${who}`,
  question: (set: string, range: string, { unset, unexplained, isOver }: { unset: number; unexplained: number; isOver: boolean }) =>
    [
      `${set}, Woche ${range}: Status, Notizen und Nachweise können danach nicht mehr geändert werden.`,
      ...(isOver ? [] : ['Die Woche ist noch nicht vorbei.']),
      ...(unset === 0 ? [] : [`${number(unset, 'Kontrolle hat', 'Kontrollen haben')} keinen Status.`]),
      ...(unexplained === 0
        ? []
        : [`${number(unexplained, 'ausgenommene Kontrolle hat', 'ausgenommene Kontrollen haben')} keine Notiz mit dem Grund.`]),
    ].join(' '),
  note: 'Notiz für den Bericht',
  done: 'Die Woche ist abgezeichnet.',
  failed: 'Die Woche konnte nicht abgezeichnet werden.',
  reopen: 'Wieder öffnen',
  reopenQuestion: 'Status, Notizen und Nachweise können wieder geändert werden. Die Abzeichnung bleibt im Verlauf.',
  reason: 'Grund',
  reopened: 'Die Woche ist wieder offen.',
  reopenFailed: 'Die Woche konnte nicht wieder geöffnet werden.',
  was: (status: string) => `war ${status}`,
  changed: (n: number) => `Seit letzter Woche geändert ${n}`,
  changedTip: 'Kontrollen, deren Status von der Vorwoche abweicht',
  report: 'Bericht',
};

export const weeksTexts: Texts<typeof english.weeksTexts> = { title: 'Status der letzten 26 Wochen', signed: 'abgezeichnet' };

export const weekReportTexts: Texts<typeof english.weekReportTexts> = {
  title: 'Compliance-Bericht',
  heading: (set: string) => `Compliance-Bericht: ${set}`,
  tenant: 'Mandant',
  week: 'Woche',
  state: 'Stand',
  open: 'Nicht abgezeichnet: Dieser Bericht zeigt die Woche, wie sie jetzt ist.',
  signed: (who: string, when: string) => `Abgezeichnet von ${who} am ${when}`,
  note: 'Notiz',
  digest: 'SHA-256 des abgezeichneten Berichts',
  summary: 'Kontrollen nach Status',
  control: 'Kontrolle',
  status: 'Status',
  notes: 'Notizen',
  evidence: 'Nachweise',
  before: (status: string) => `Vorwoche: ${status}`,
  setBy: (who: string, when: string) => `${who}, ${when}`,
  print: 'Drucken oder als PDF speichern',
  download: 'JSON herunterladen',
  file: (week: string) => `compliance-bericht-woche-${week}.json`,
  back: 'Zurück zur Woche',
  failed: 'Der Bericht konnte nicht geladen werden.',
};

export const controlSetTexts: Texts<typeof english.controlSetTexts> = {
  menu: 'Kontrollsätze',
  edit: 'Diesen Kontrollsatz bearbeiten',
  create: 'Neuer Kontrollsatz',
  import: 'Aus Datei importieren',
  panelNew: 'Neuer Kontrollsatz',
  panelEdit: (name: string) => `Kontrollsatz ${name}`,
  panelImport: (name: string) => `${name} importieren`,
  name: 'Name',
  description: 'Beschreibung',
  controls: 'Kontrollen',
  controlName: (at: number) => `Name der Kontrolle ${at}`,
  controlTitle: (at: number) => `Titel der Kontrolle ${at}`,
  controlText: (at: number) => `Beschreibung der Kontrolle ${at}`,
  namePlaceholder: 'Name',
  titlePlaceholder: 'Titel',
  textPlaceholder: 'Beschreibung',
  up: (name: string) => `${name} nach oben verschieben`,
  remove: (name: string) => `${name} entfernen`,
  add: 'Kontrolle hinzufügen',
  review: 'Änderungen prüfen',
  would: 'Das würde sich ändern',
  nothing: 'Nichts würde sich ändern.',
  isNew: 'Ein neuer Kontrollsatz',
  described: 'Die Beschreibung des Satzes',
  created: 'Hinzugefügt',
  updated: 'Geändert',
  removed: 'Entfernt',
  remaining: 'Bleiben, weil Mandanten Status dafür gesetzt haben',
  unchanged: (n: number) => number(n, 'Kontrolle bleibt, wie sie ist', 'Kontrollen bleiben, wie sie sind'),
  apply: 'Anwenden',
  applied: 'Der Kontrollsatz wurde gespeichert.',
  failed: 'Der Kontrollsatz wurde nicht gespeichert.',
  notJson: 'Die Datei ist kein JSON.',
  notSet: 'Die Datei ist weder ein Kontrollsatz dieses Produkts noch ein OSCAL-Katalog.',
  allTenants: 'Ein Kontrollsatz gehört allen Mandanten.',
};
