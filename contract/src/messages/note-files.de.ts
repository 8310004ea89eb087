/** German texts of images and files in notes. */
import type * as english from './note-files.en.ts';
import type { Texts } from './texts.ts';

export const noteFileTexts: Texts<typeof english.noteFileTexts> = {
  attach: 'Bild oder Datei anhängen',
  uploading: (name, percent) => `${name}: ${percent} %`,
  failed: (name, reason) => `${name} wurde nicht hochgeladen: ${reason} Ihr Text ist noch da.`,
  open: (name) => `${name} anzeigen`,
  download: 'Herunterladen',
  downloadOf: (name) => `${name} herunterladen`,
  downloadFailed: (name) => `${name} konnte nicht heruntergeladen werden. Bitte versuchen Sie es erneut.`,
  deleteOf: (name) => `${name} löschen`,
  deleteTitle: 'Diese Datei löschen?',
  deleteQuestion: (name) => `Der Inhalt von ${name} wird endgültig gelöscht. Die Notiz bleibt und sagt, wer die Datei gelöscht hat.`,
  deleted: (name) => `${name} wurde gelöscht.`,
  missing: (name) => `${name} (nicht verfügbar)`,
};
