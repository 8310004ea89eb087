/** German texts of the handover of an on-call shift. */
import type * as english from './handover.en.ts';
import type { Texts } from './texts.ts';

const units = (count: number) => (count === 1 ? '1 Vorgang' : `${count} Vorgänge`);

export const handoverTexts: Texts<typeof english.handoverTexts> = {
  title: 'Übergaben',
  section: 'Schichtübergabe',
  toWrite: (schedule: string) => `Ihre Schicht endet: ${schedule}`,
  toRead: (schedule: string, from: string) => `Sie haben Bereitschaft: ${schedule}. Übergabe von ${from}`,
  of: (from: string, to: string | null) => (to === null ? `${from}, noch an niemanden` : `${from} an ${to}`),
  shift: (from: string, to: string) => `Schicht von ${from} bis ${to}`,
  next: (at: string) => `Beginn der nächsten Schicht: ${at}.`,
  note: 'Notiz für die nächste Person',
  placeholder: 'Was die nächste Person wissen sollte: was gerade läuft, worauf zu achten ist, was versucht wurde.',
  save: 'Notiz speichern',
  saved: 'Die Notiz wurde gespeichert. Die nächste Person erhält sie bei der Übergabe.',
  savedLate: 'Die Notiz wurde gespeichert. Die Person in Bereitschaft sieht sie erneut.',
  noNote: 'Es wurde keine Notiz geschrieben.',
  read: 'Ich habe sie gelesen',
  readAt: (when: string) => `Gelesen ${when}`,
  notRead: 'Noch nicht gelesen',
  before: 'Vor der Übergabe',
  facts: 'Was in der Schicht geschehen ist',
  noFacts: 'In der Schicht ist nichts geschehen.',
  units,
  unitsHelp:
    'Vorgänge, über die dieser Bereitschaftsplan benachrichtigt wurde oder an denen die Person gearbeitet hat, und alle Vorgänge mit Sev0 und Sev1.',
  did: { opened: 'geöffnet', acknowledged: 'bestätigt', resolved: 'gelöst' },
  stateNow: (state: string) => `jetzt ${state}`,
  moreUnits: (count: number) => (count === 1 ? 'und 1 weiterer Vorgang' : `und ${count} weitere Vorgänge`),
  maintenance: 'Laufende Wartung',
  until: (when: string) => `bis ${when}`,
  messages: 'Wer benachrichtigt wurde',
  messageLine: (name: string, channel: string, at: string) => `${name} über ${channel}, ${at}`,
  none: 'Noch hat niemand eine Schicht übergeben. Eine Stunde vor dem Ende einer Schicht kann die Person in Bereitschaft hier und auf der Startseite eine Notiz schreiben.',
  failed: 'Die Übergaben konnten nicht geladen werden.',
};
