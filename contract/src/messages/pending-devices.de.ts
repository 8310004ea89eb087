/** German texts of pending devices. */
import type * as english from './pending-devices.en.ts';
import type { Texts } from './texts.ts';

const devices = (count: number) => (count === 1 ? '1 Gerät' : `${count} Geräte`);

export const pendingTexts: Texts<typeof english.pendingTexts> = {
  promote: 'Aufnehmen',
  hideInactive: 'Inaktive Geräte ausblenden',
  showInactive: 'Inaktive Geräte anzeigen',
  toggleHint: 'Inaktive Geräte aus- oder einblenden: die sich seit einem Tag nicht gemeldet haben',
  inactive: 'Inaktiv',
  inactiveHint: 'Hat sich seit einem Tag nicht gemeldet',
  tooMany: 'Bitte wählen Sie weniger als 25 Geräte aus.',
  promoteTitle: (count, subscription) => `${devices(count)}${subscription ? ` in ${subscription}` : ''} aufnehmen`,
  promoteQuestion: 'Die ausgewählten Geräte werden in das aktuelle Abonnement aufgenommen. Sind Sie sicher?',
  promoteToQuestion: (subscription) => `Es wird ein Gerät des Abonnements ${subscription}. Sind Sie sicher?`,
  promoting: 'Wird aufgenommen …',
  viewDevices: 'Geräte anzeigen',
  promoted: (count) => (count === 1 ? '1 Gerät wurde aufgenommen.' : `${count} Geräte wurden aufgenommen.`),
  openDevice: 'Gerät öffnen',
  deleteTitle: (count) => `${devices(count)} löschen`,
  deleteQuestion: 'Die ausgewählten Geräte werden endgültig gelöscht. Sind Sie sicher?',
  deleted: (count) => (count === 1 ? '1 ausstehendes Gerät wurde gelöscht.' : `${count} ausstehende Geräte wurden gelöscht.`),
  emptyText: 'Ein Rechner erscheint hier, wenn sein Agent zum ersten Mal mit einem Token dieses Mandanten startet.',
  facts: 'Vom Rechner gemeldet',
  copy: 'Kopie',
  copyHint: (device) =>
    `Sein Agent kam mit einer Kopie von ${device}: Der Zustandsordner dieses Geräts wurde kopiert, wie bei einem Abbild seiner Festplatte.`,
};
