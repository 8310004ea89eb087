/** German texts of what people do with work units: in the unit, on a row, on a selection, and in the palette. */
import type * as english from './unit-verbs.en.ts';
import type { Texts } from './texts.ts';

const units = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgänge`);
const ofUnits = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgängen`);

export const unitVerbTexts: Texts<typeof english.unitVerbTexts> = {
  bar: 'Aktionen des Vorgangs',
  more: 'Mehr',
  list: 'Vorgänge der Liste',
  target: (n) => units(n),
  acknowledge: 'Bestätigen',
  assignToMe: 'Mir zuweisen',
  assignTo: 'Zuweisen …',
  assignToPerson: (name) => `Zuweisen an ${name}`,
  assignee: 'Zuweisen an',
  personPlaceholder: 'Name oder E-Mail',
  nobody: 'Niemand',
  choiceOf: (field, n, id) => (n === 1 ? `${field} von Vorgang #${id}` : `${field} von ${ofUnits(n)}`),
  cell: (field, id) => `, ${field} von Vorgang #${id}`,
  group: 'Bearbeitergruppe …',
  severity: 'Schweregrad …',
  severityAs: (severity) => `Schweregrad ${severity}`,
  state: 'Status …',
  stateAs: (state) => `Status ${state}`,
  holdFor: (reason) => `Wartend auf: ${reason}`,
  resolve: 'Lösen …',
  reopen: 'Wieder öffnen',
  note: 'Notiz',
  link: 'Link kopieren',
  next: 'Nächster Vorgang',
  previous: 'Voriger Vorgang',
  place: (at, of) => `${at} von ${of}`,
  words: {
    acknowledge: 'ack quittieren annehmen übernehmen',
    assignToMe: 'übernehmen meine',
    assign: 'geben person bearbeiter besitzer',
    severity: 'priorität dringlichkeit',
    state: 'fortschritt wartend stornieren schließen',
    resolve: 'erledigt beheben schließen fertig',
    reopen: 'wieder öffnen zurück',
    note: 'kommentar schreiben',
  },
  resolveTitle: (n, id) => (n === 1 ? `Vorgang #${id} lösen` : `${units(n)} lösen`),
  resolveText: (fresh) =>
    fresh === 0 ? 'Was war die Ursache, und was wurde getan?' : 'Was war die Ursache, und was wurde getan? Zuerst wird bestätigt.',
  resolution: 'Lösung',
  resolveYes: 'Lösen',
  groupQuestions: (n) =>
    `Möchten Sie mit dieser Änderung der Bearbeitergruppe bei ${ofUnits(n)} die aktuelle Zuweisung entfernen und den Status auf Neu setzen?`,
  severalTenants:
    'Die ausgewählten Vorgänge gehören zu mehreren Mandanten, und jeder Mandant hat eigene Gruppen. Bitte wählen Sie die eines einzigen Mandanten aus.',
  none: 'Keine',
  nothing: {
    acknowledge: 'Keiner davon ist Neu: Es gibt nichts zu bestätigen.',
    resolve: 'Alle sind bereits beendet.',
    reopen: 'Alle sind bereits offen.',
    other: 'Nichts zu ändern: Sie haben diesen Wert bereits.',
  },
  acknowledged: (n) => `${units(n)} bestätigt.`,
  resolved: (n, id) => (n === 1 ? `Vorgang #${id} gelöst.` : `${units(n)} gelöst.`),
  reopened: (n, id) => (n === 1 ? `Vorgang #${id} ist wieder offen.` : `${units(n)} sind wieder offen.`),
  assigned: (n, id, name) => (n === 1 ? `Vorgang #${id} ${name} zugewiesen.` : `${units(n)} ${name} zugewiesen.`),
  unassigned: (n, id) => (n === 1 ? `Vorgang #${id} ist niemandem zugewiesen.` : `${units(n)} sind niemandem zugewiesen.`),
  changed: (n, id, field, value) => (n === 1 ? `${field} von Vorgang #${id} ist ${value}.` : `${field} von ${ofUnits(n)} ist ${value}.`),
  pending: { resolve: 'Wird gelöst …', other: 'Wird gespeichert …' },
  unconfirmed: (n, id) =>
    n === 1
      ? `Der Server hat die Änderung von Vorgang #${id} nicht bestätigt. Bitte prüfen Sie ihn und versuchen Sie es erneut.`
      : `Der Server hat die Änderung von ${ofUnits(n)} nicht bestätigt. Bitte prüfen Sie sie und versuchen Sie es erneut.`,
  wasFirst: (who, id, now) => `${who} war schneller: Vorgang #${id} ist jetzt ${now}. Es wurde nichts geändert.`,
  somebody: 'Jemand anderes',
  assignedNow: (name) => `zugewiesen an ${name}`,
  nobodyNow: 'niemandem zugewiesen',
  valueNow: (field, value) => `bei ${field} ${value}`,
  skipped: (n, reasons) => `${units(n)} nicht geändert: ${reasons}`,
  reason: (id, text) => `#${id}: ${text}`,
  changedBy: (who) => `${who} war schneller.`,
  loadFailed: 'Die ausgewählten Vorgänge konnten nicht geladen werden. Bitte versuchen Sie es erneut.',
  undo: 'Rückgängig',
  undoTexts: {
    undoing: 'Wird rückgängig gemacht …',
    undone: (n) => `Bei ${ofUnits(n)} rückgängig gemacht.`,
    undoSkipped: (ids) => `Inzwischen von jemand anderem geändert und deshalb belassen: ${ids}.`,
    undoFailed: 'Das konnte nicht rückgängig gemacht werden. Bitte versuchen Sie es erneut.',
  },
};
