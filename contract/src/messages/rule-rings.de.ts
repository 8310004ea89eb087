/** German texts of a rule that comes into force in rings. */
import type * as english from './rule-rings.en.ts';
import type { Texts } from './texts.ts';

export const ruleRingTexts: Texts<typeof english.ruleRingTexts> = {
  open: 'In Ringen ausrollen',
  title: (name) => `${name || 'Diese Regel'} in Ringen ausrollen`,
  explained:
    'Die neue Version gilt für einen Ring von Geräten nach dem anderen, und für alles, wenn der letzte Ring bestanden hat. Name, Farbe, Ablaufplan und Gruppierung ändern sich am Ende.',
  explainedNew: 'Die Regel gilt für einen Ring von Geräten nach dem anderen, und für alles, wenn der letzte Ring bestanden hat.',
  which: 'Geräte',
  allDevices: 'Alle aktivierten',
  withTag: 'Mit einem Tag',
  tag: 'Tag',
  none: 'Es wurde kein Gerät gefunden.',
  one: 'Ringe brauchen mindestens zwei Geräte.',
  byItself: 'Eine Regel, die Treffer anderer Regeln betrachtet, tritt nicht in Ringen in Kraft: Speichern Sie sie.',
  counting: 'Die Geräte werden gezählt …',
  deviceCount: (n) => (n === 1 ? '1 Gerät.' : `${n.toLocaleString('de')} Geräte.`),
  share: {
    label: 'Ohne neuen Treffer bleiben müssen, in Prozent eines Rings',
    help: 'Ein Gerät besteht nicht, wenn die neue Version dort einen Treffer hat. Es besteht, wenn so lange keiner beginnt, wie die Bedingungen brauchen, um zuzutreffen.',
  },
  undone: 'Schlägt ein Ring fehl, stoppt die Kampagne, und für diese Geräte gilt wieder die vorige Version.',
  start: 'Mit Ring 1 beginnen',
  running: (title) =>
    `Eine neue Version tritt durch die Kampagne ${title} in Kraft. Die Regel kann bearbeitet werden, wenn sie vorbei ist.`,
  changes: 'Was sich ändert',
  notInForce: 'Diese Änderung trat nicht in Kraft:',
  change: (before, after) => `${before} → ${after}`,
  empty: 'leer',
  yes: 'ja',
  no: 'nein',
  differ: 'geändert',
  short: 'Eine neue Version tritt in Kraft.',
  toCampaign: 'Kampagne öffnen',
};
