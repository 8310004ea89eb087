/** German texts of the updates of a communication, their mails and their templates. */
import type * as english from './communication-updates.en.ts';
import type { Texts } from './texts.ts';

const mails = (count: number) => (count === 1 ? '1 E-Mail' : `${count} E-Mails`);
const contacts = (count: number) => (count === 1 ? '1 Kontakt' : `${count} Kontakte`);

export const communicationUpdateTexts: Texts<typeof english.communicationUpdateTexts> = {
  tab: 'Stände',
  contacts: 'Kontakte',
  write: 'Neuer Stand',
  text: 'Was Kunden wissen sollten',
  textHelp: 'Kunden lesen ihn in der E-Mail, im Externen Bericht und, wenn die Mitteilung öffentlich ist, auf der Statusseite.',
  status: 'Status',
  nextUpdate: 'Nächste Mitteilung an Kunden',
  nextUpdateHelp: 'Vorbelegt mit dem Abstand der letzten.',
  rootCause: 'Ursache',
  publish: 'Ohne E-Mail veröffentlichen',
  preview: 'Vorschau der E-Mail an Kontakte …',
  published: 'Der Stand wurde veröffentlicht.',
  mailed: (count: number) => `Der Stand wurde veröffentlicht; ${mails(count)} eingereiht.`,
  queued: (count: number) => `${mails(count)} eingereiht.`,
  failed: 'Der Stand konnte nicht veröffentlicht werden. Bitte versuchen Sie es erneut.',

  templates: 'Vorlagen für Stände',
  templateFailed: 'Beim Speichern der Vorlage ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  templatesEmpty: 'Fügen Sie Texte hinzu, die Sie bei jeder Störung schreiben, etwa den ersten Stand.',
  template: 'Vorlage',
  templateNone: 'Mit einer Vorlage beginnen',

  timeline: 'Veröffentlichte Stände',
  none: 'Noch wurde kein Stand veröffentlicht.',
  timelineFailed: 'Die Stände konnten nicht geladen werden.',
  by: 'von',
  promised: 'Nächster Stand zugesagt für',
  notMailed: 'Nicht per E-Mail gesendet.',
  mailTo: 'E-Mail an Kontakte …',
  resend: (count: number) => `${count} fehlgeschlagene erneut senden`,
  resendFailed: 'Die fehlgeschlagenen E-Mails konnten nicht eingereiht werden. Bitte versuchen Sie es erneut.',
  recipients: (count: number) => `${count} Empfänger`,
  recipientsFailed: 'Die Empfänger konnten nicht geladen werden.',
  states: { Queued: 'wartend', Sent: 'gesendet', Kept: 'aufbewahrt: kein Mailserver', Failed: 'fehlgeschlagen' },
  count: (count: number, state: string) => `${count} ${state}`,
  firstOf: (shown: number, count: number) => `Die ersten ${shown} von ${count}.`,

  previewTitle: 'E-Mail an Kontakte',
  previewFailed: 'Die Vorschau konnte nicht erstellt werden.',
  subject: 'Betreff',
  asHtml: 'Formatiert',
  asText: 'Als Text',
  form: 'Form der E-Mail',
  language: 'Sprache',
  languages: { en: 'Englisch', de: 'Deutsch' },
  gets: (count: number) => `Geht an ${contacts(count)}`,
  getsNot: (count: number) => (count === 1 ? '1 Kontakt erhält sie nicht' : `${count} Kontakte erhalten sie nicht`),
  nobody: 'Kein Kontakt erhält diese E-Mail.',
  nobodyText: 'Fügen Sie Kontakte dieses Mandanten hinzu, oder veröffentlichen Sie den Stand ohne E-Mail.',
  counts: (kind: string, severity: string | null) =>
    severity === null ? `Zählt als: ${kind}, ohne Schweregrad.` : `Zählt als: ${kind}, ${severity}.`,
  kinds: { Incidents: 'Störung', Maintenance: 'Wartung' },
  noServer: 'Es ist kein Mailserver eingerichtet: Die E-Mails warten im Postausgang, bis es einen gibt.',
  reasons: {
    Inactive: 'Pausiert',
    Unsubscribed: 'Abgemeldet',
    OtherKind: 'Möchte andere Mitteilungen',
    LessSevere: 'Möchte nur schwerere',
    NoAccess: 'Hat keinen Zugang mehr zum Mandanten',
    AlreadyMailed: 'Hat sie schon erhalten',
    ToldByStatusPage: 'Hat sie von der Statusseite erhalten',
  },
  send: (count: number) => `Veröffentlichen und ${mails(count)} senden`,
  sendOnly: (count: number) => `${mails(count)} senden`,
  previewFrame: 'Die E-Mail, wie sie sein wird',
};
