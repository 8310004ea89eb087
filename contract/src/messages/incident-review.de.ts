/** German texts of the timeline of a unit for the review after an incident, and of units that notes and actions become. */
import type * as english from './incident-review.en.ts';
import type { Texts } from './texts.ts';

export const reviewTexts: Texts<typeof english.reviewTexts> = {
  verb: 'Verlauf für die Nachbereitung',
  verbWords: 'export markdown postmortem retrospektive nachbereitung historie',
  exported: (id: number) => `Verlauf von Vorgang #${id} gespeichert.`,
  failed: 'Der Verlauf konnte nicht gelesen werden. Bitte versuchen Sie es erneut.',
  unitVerb: 'Als JSON exportieren',
  fileName: (id: number) => `vorgang-${id}-verlauf.md`,
  title: (id: number, title: string) => `#${id} ${title}`,
  facts: {
    tenant: 'Kunde',
    severity: 'Schweregrad',
    state: 'Status',
    first: 'Erster Treffer',
    opened: 'Geöffnet',
    toldFirst: 'Zuerst benachrichtigt',
    acknowledged: 'Bestätigt',
    ended: 'Beendet',
    resolution: 'Lösung',
  },
  after: (span: string) => `(nach ${span})`,
  none: 'keine Angabe',
  times: 'Alle Zeiten sind UTC; die zweite Spalte zählt ab dem ersten Eintrag.',
  timeline: 'Wer wann was wusste',
  columns: ['Zeit', 'Nach', 'Wer', 'Was'],
  record: 'die Aufzeichnung',
  system: 'System',
  matched: (rule: string, device: string, value: string) => `${rule} traf zu${device ? ` auf ${device}` : ''}${value ? `: ${value}` : ''}`,
  matchEnded: (rule: string, count: number) => `${rule} trifft nicht mehr zu, nach ${count === 1 ? '1 Treffer' : `${count} Treffern`}`,
  told: (name: string, channel: string, whom: string, outcome: string) =>
    `hat ${name} über ${channel}${whom ? ` (${whom})` : ''} benachrichtigt: ${outcome}`,
  wrote: 'schrieb:',
  wroteToRequester: 'schrieb an den Anfragenden:',
  changed: (field: string, before: string, now: string) => `hat ${field} von ${before} auf ${now} geändert`,
  actions: 'Maßnahmen',
  noActions:
    'Schreiben Sie Maßnahmen als `- [ ] ...` in eine Notiz des Vorgangs: Sie stehen dann hier, und jede kann dort zu einem Vorgang werden.',
  newFromNote: 'Neuer Vorgang aus dieser Notiz',
  newFromAction: (text: string) => `Neuer Vorgang: ${text}`,
  newTitle: 'Neuer Vorgang',
  newText: (title: string) =>
    `Er erhält den Text der Notiz, den Kunden und den Schweregrad dieses Vorgangs und wird mit ihm verknüpft. Titel: ${title}`,
  newTitleLabel: 'Anderer Titel',
  created: (id: number) => `Vorgang #${id} erstellt.`,
  newFailed: 'Der Vorgang konnte nicht erstellt werden. Bitte versuchen Sie es erneut.',
  from: (id: number) => `Aus #${id}.`,
  linkFailed: 'Der neue Vorgang wurde erstellt, konnte aber nicht mit dem verknüpft werden, aus dem er stammt.',
};
