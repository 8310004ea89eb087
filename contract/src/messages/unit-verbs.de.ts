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
  severalTenants:
    'Die ausgewählten Vorgänge gehören zu mehreren Mandanten, und jeder Mandant hat eigene Gruppen. Bitte wählen Sie die eines einzigen Mandanten aus.',
  loadFailed: 'Die ausgewählten Vorgänge konnten nicht geladen werden. Bitte versuchen Sie es erneut.',
};
