/** German texts of the list of contacts. */
import type * as english from './communication-contacts.en.ts';
import type { Texts } from './texts.ts';

export const communicationContactTexts: Texts<typeof english.communicationContactTexts> = {
  title: 'Kontakte für Mitteilungen',
  templates: 'Vorlagen für Stände',
  templateWords: 'Textbausteine Mitteilungen canned texts',
  saveFailed: 'Beim Speichern des Kontakts ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  emptyText: 'Fügen Sie hinzu, wer von Störungen und Wartungen per E-Mail erfahren soll.',
  news: 'Was per E-Mail kommt',
  active: 'Erhält E-Mails',
  paused: 'Pausiert',
  unsubscribed: 'Abgemeldet',
  byThemselves: 'Diese Person hat sich im Resolution Center angemeldet.',
  unsubscribedHint: 'Der Empfänger hat die E-Mails beendet. Schalten Sie sie nur auf seinen Wunsch wieder ein.',
  remove: 'Kontakt löschen',
  removed: (name: string) => `Der Kontakt ${name} wurde gelöscht.`,
  removeQuestion: (name: string) =>
    `Möchten Sie den Kontakt ${name} löschen? Er erhält keine E-Mails mehr; die gesendeten bleiben im Protokoll.`,
};
