/** German texts of restoring versions of rows and of taking change sets back. */
import type * as english from './restore.en.ts';
import type { Texts } from './texts.ts';

export const restoreTexts: Texts<typeof english.restoreTexts> = {
  title: 'Wiederherstellen',
  restore: 'Diese Version wiederherstellen',
  bringBack: 'Diese Zeile zurückholen',
  undo: 'Alle Änderungen dieser Anfrage zurücknehmen',
  comparing: 'Wird verglichen …',
  would: 'Was sich ändern würde',
  nothing: 'Nichts würde sich ändern: Alles ist, wie es war.',
  verbs: { add: 'Zurückholen', change: 'Ändern', remove: 'Löschen' },
  field: 'Feld',
  now: 'Jetzt',
  restored: 'Wiederhergestellt',
  more: (count: number) => `Und ${count} weitere.`,
  left: (count: number) => (count === 1 ? '1 Zeile bleibt, wie sie ist:' : `${count} Zeilen bleiben, wie sie sind:`),
  why: 'Warum (freiwillig)',
  confirm: 'Wiederherstellen',
  done: (count: number) => (count === 1 ? '1 Zeile wurde wiederhergestellt.' : `${count} Zeilen wurden wiederhergestellt.`),
};
