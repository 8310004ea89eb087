/** German texts of a change's plan and of its outcome. */
import type * as english from './changes.en.ts';
import type { Texts } from './texts.ts';

const devices = (count: number) => (count === 1 ? '1 Gerät' : `${count.toLocaleString('de')} Geräte`);

export const changeTexts: Texts<typeof english.changeTexts> = {
  addDevice: 'Gerät hinzufügen',
  addRule: 'Regel hinzufügen',
  remove: (name: string) => `${name} entfernen`,
  noDevices: 'Keine Geräte: Nichts wird zurückgehalten, und nichts wird hochgestuft.',
  noRules: 'Es wird nicht erwartet, dass Regeln zutreffen.',
  silenceHelp: 'Treffer von Regeln über Stummheit und Zustände dieser Geräte werden ebenfalls zurückgehalten',
  collisions: 'Zur selben Zeit',
  collisionsNone: 'In dieser Zeit geschieht sonst nichts mit diesen Geräten.',
  collisionsNoFreeze: 'In dieser Zeit gibt es keine Änderungssperre. Fügen Sie Geräte hinzu, um zu sehen, was sonst mit ihnen geschieht.',
  collisionsFailed: 'Was sonst geschieht, konnte nicht gelesen werden.',
  collision: (count: number, names: string) => `${devices(count)}: ${names}`,
  window: 'Wartung',
  change: (number: number) => `Änderung #${number}`,
  rule: 'Wartungsregel',
  freeze: 'Änderungssperre',
  frozen: 'die Genehmigung der Änderung muss übergangen werden',
  times: (from: string, until: string) => `${from} bis ${until}`,
  recurs: 'wiederkehrend',
  review: 'Plan und Verlauf',
  planned: 'Geplant',
  actual: 'Geschehen',
  notStarted: 'nicht begonnen',
  running: 'nicht beendet',
  columns: {
    device: 'Gerät',
    before: 'Vorher',
    during: 'Während',
    unexpected: 'Unerwartet',
    after: 'Nachher',
    open: 'Jetzt offen',
    reports: 'Meldet',
    versions: 'Versionen',
  },
  reports: 'ja',
  silent: 'stumm',
  notYet: 'noch nicht',
  matchesHint: 'Treffer, die in ebenso viel Zeit vorher, während der Änderung und seitdem begonnen haben.',
  leftOut: (count: number) => `${devices(count)} des Plans ${count === 1 ? 'kann' : 'können'} nicht angezeigt werden.`,
};
