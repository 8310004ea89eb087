/** German texts of a policy that goes out in rings. */
import type * as english from './policy-rings.en.ts';
import type { Texts } from './texts.ts';

export const policyRingTexts: Texts<typeof english.policyRingTexts> = {
  open: 'In Ringen ausrollen',
  title: (name) => `${name || 'Diese Richtlinie'} in Ringen ausrollen`,
  explained:
    'Die neue Version erreicht einen Ring von Geräten nach dem anderen. Die Richtlinie wird gespeichert, wenn der letzte Ring bestanden hat. Geräte, die inzwischen dazukommen, erhalten die Version ihres Rings.',
  share: {
    label: 'Müssen gelingen, in Prozent eines Rings',
    help: 'Ein Gerät gelingt, wenn es alles aus der neuen Version hat, mit installierten Paketen. Geräte, die nicht antworten, zählen nicht.',
  },
  undone: 'Schlägt ein Ring fehl, stoppt die Kampagne, und für alle Geräte gilt wieder die vorige Version.',
  start: 'Mit Ring 1 beginnen',
  running: (title) =>
    `Eine neue Version wird durch die Kampagne ${title} ausgerollt. Die Richtlinie kann bearbeitet werden, wenn sie vorbei ist.`,
  paused: (title) => `Eine neue Version wird durch die Kampagne ${title} ausgerollt, die gerade pausiert.`,
  toCampaign: 'Kampagne öffnen',
  toPolicy: 'Richtlinie öffnen',
  changes: 'Was sich ändert',
  nothing: 'Auf Geräten ändert sich nichts.',
  ring: (at, hasNew) => `Ring ${at}, ${hasNew ? 'neue Version' : 'vorige Version'}`,
  stopQuestion: (n) =>
    `Diese Kampagne stoppen? Für ${n === 1 ? '1 Gerät' : `${n.toLocaleString('de')} Geräte`} gilt wieder die vorige Version.`,
  returnQuestion: 'Auf allen Geräten der Richtlinie zur vorigen Version zurückkehren?',
  adoptQuestion: 'Die neue Version für alle Geräte der Richtlinie speichern, ohne länger zu warten?',
};
