/** German texts of a unit's history, of conflicts and of presence. */
import type * as english from './work-unit-history.en.ts';
import type { Texts } from './texts.ts';

export const historyTexts: Texts<typeof english.historyTexts> = {
  changed: (label) => `hat ${label} geändert:`,
  changedRef: (label, rest) => `hat ${label} geändert: ${rest}`,
  events: {
    created: 'hat den Vorgang erstellt.',
    mergedInto: (number) => `hat ihn als Duplikat mit #${number} zusammengeführt.`,
    mergedWith: (number) => `hat das Duplikat #${number} mit ihm zusammengeführt.`,
  },
  openedByRule: (name) => `Durch die Regel ${name} eröffnet`,
  earlier: 'Frühere Einträge anzeigen',
  seeThen: 'Vorgang im damaligen Stand ansehen',
  quote: 'Diese Notiz zitieren',
  undo: 'Rückgängig',
  undoChange: (label) => `Diese Änderung von ${label} rückgängig machen`,
  undoTitle: 'Änderung rückgängig machen',
  undoQuestion: (label, value) => `${label} wieder auf ${value} setzen? Dies ist eine neue Änderung; die Wirkungen der ersten bleiben.`,
  empty: 'nichts',
  quoted: (text) => `„${text}“`,
  undone: (label, value) => `${label} wieder auf ${value} gesetzt.`,
  undoRefused: (label) =>
    `${label} wurde seither geändert, deshalb kann diese Änderung nicht rückgängig gemacht werden. Es wurde nichts geändert.`,
  changedSince: (label) => `${label} wurde seither geändert, deshalb kann diese Änderung nicht rückgängig gemacht werden.`,
  thenTitle: (id, when) => `#${id} im Stand von ${when}`,
  thenFailed: 'Der frühere Stand des Vorgangs konnte nicht geladen werden.',
  thenMissing: 'Für diese Zeit ist nichts aufgezeichnet.',
  field: 'Feld',
  valueThen: 'Damals',
  now: 'Jetzt',
  differs: 'Anders als jetzt',
  differsNot: 'Nichts ist anders als jetzt.',
  alike: 'Wie jetzt',
  byThis: 'Durch diesen Eintrag geändert',
  older: 'Früher',
  newer: 'Später',
  collision: (n) =>
    n === 1
      ? 'Ein Feld, das Sie gerade ändern, wurde von jemand anderem geändert. Wählen Sie, welcher Wert bleibt.'
      : `${n} Felder, die Sie gerade ändern, wurden von jemand anderem geändert. Wählen Sie, welche Werte bleiben.`,
  conflictLabel: 'Auch von jemand anderem geändert',
  yours: 'Ihrer',
  theirs: 'Anderer',
  before: 'Vorher',
  changedBy: (who) => `geändert von ${who}`,
  keepMine: 'Meinen behalten',
  takeTheirs: 'Anderen übernehmen',
  keepMineOf: (label, value) => `Meinen behalten: ${label} ${value}`,
  takeTheirsOf: (label, value) => `Anderen übernehmen: ${label} ${value}`,
  looking: (who) => `${who} sieht sich diesen Vorgang an`,
  editing: (who) => `${who} bearbeitet diesen Vorgang`,
  presence: 'Auch hier',
  more: (n) => `+${n}`,
};
