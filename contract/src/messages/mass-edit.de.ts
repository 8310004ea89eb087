/** German texts of the mass edit of work units. */
import type * as english from './mass-edit.en.ts';
import type { Texts } from './texts.ts';

const units = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgänge`);
const ofUnits = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgängen`);

export const massEditTexts: Texts<typeof english.massEditTexts> = {
  title: 'Sammelbearbeitung',
  titleOf: (n) => `Sammelbearbeitung: ${units(n)}`,
  none: 'Es sind keine Vorgänge ausgewählt.',
  noneText: 'Wählen Sie einige in der Liste aus und rufen Sie die Sammelbearbeitung erneut auf.',
  failedToLoad: 'Die ausgewählten Vorgänge konnten nicht geladen werden.',
  notEditable: (n) =>
    n === 1
      ? '1 Vorgang der Auswahl kann nicht bearbeitet werden: gelöscht, oder Sie haben keinen Zugriff.'
      : `${n} Vorgänge der Auswahl können nicht bearbeitet werden: gelöscht, oder Sie haben keinen Zugriff.`,
  noRight: 'Sie dürfen Vorgänge ansehen, aber nicht ändern.',
  fields: 'Zu ändernde Felder',
  field: 'Feld',
  chooseField: 'Feld wählen',
  value: (field) => `Neuer Wert von ${field}`,
  addField: 'Feld hinzufügen',
  removeField: (field) => `${field} entfernen`,
  duplicate: 'Dieses Feld wird bereits bearbeitet.',
  fieldRequired: 'Bitte wählen Sie ein Feld.',
  clears: 'Ohne Eingabe wird das Feld geleert.',
  selection: 'Ausgewählte Vorgänge',
  leaveOut: (id) => `Vorgang #${id} auslassen`,
  mismatch: 'Die ausgewählten Vorgänge haben verschiedene Typen. Eine Sammelbearbeitung braucht einen einzigen Typ.',
  keep: (n, type) => `${n} × ${type} behalten`,
  save: (n) => `${units(n)} speichern`,
  unchanged: (n) => (n === 1 ? '1 hat diese Werte bereits' : `${n} haben diese Werte bereits`),
  allUnchanged: 'Alle haben diese Werte bereits.',
  progress: (done, all) => `${done} von ${all} gespeichert`,
  stop: 'Anhalten',
  stopping: 'Wird angehalten …',
  stopped: (done, all) => `Angehalten: ${done} von ${all} gespeichert.`,
  saveRest: (refused, rest) => `${refused} auslassen und ${rest} speichern`,
  refresh: 'Vorgänge aktualisieren',
  saved: (n) => `${units(n)} geändert.`,
  undo: 'Rückgängig',
  undoing: 'Die Sammelbearbeitung wird rückgängig gemacht …',
  undone: (n) => `Sammelbearbeitung bei ${ofUnits(n)} rückgängig gemacht.`,
  undoSkipped: (ids) => `Inzwischen von jemand anderem geändert und deshalb belassen: ${ids}.`,
  undoFailed: 'Die Sammelbearbeitung konnte nicht rückgängig gemacht werden. Bitte versuchen Sie es erneut.',
  retry: 'Erneut versuchen',
  failed: 'Die Vorgänge konnten nicht geändert werden.',
  conflict:
    'Einer der Vorgänge wurde von einem anderen Benutzer geändert. Bitte aktualisieren Sie die Vorgänge und versuchen Sie es erneut.',
  refreshAndRetry: 'Bitte aktualisieren Sie die Vorgänge und versuchen Sie es erneut.',
  invalidInput: 'Es wurden ungültige Eingaben an die API gesendet. Bitte prüfen Sie Ihre Eingaben und versuchen Sie es erneut.',
  serverError:
    'Ein Serverfehler hat das Speichern dieser Vorgänge verhindert. Solche Fehler sind oft vorübergehend. Bitte versuchen Sie es gleich noch einmal.',
  unknownError: 'Ein unbekannter Fehler ist aufgetreten. Bitte versuchen Sie es gleich noch einmal.',
  changedMeanwhile: (field) => `${field} wurde von jemand anderem geändert.`,
};
