/** German texts of the settings panel. */
import type * as english from './settings.en.ts';
import type { Texts } from './texts.ts';

export const settings: Texts<typeof english.settings> = {
  title: 'Einstellungen',
  appearance: 'Darstellung',
  dark: 'Dunkler Modus',
  darkHint: 'Ausgeschaltet: hell. Gilt für jeden offenen Tab.',
  intake: 'Einstellungen der Erfassung',
  disableDrafts: 'Entwürfe deaktivieren',
  disableDraftsHint: 'Blendet Entwürfe und „Als Entwurf speichern“ aus. Vorhandene Entwürfe bleiben erhalten.',
  sortTenants: 'Mandanten nach Nutzung/Favorit sortieren',
  sortTenantsHint: 'Zuerst Favoriten, dann die zuletzt verwendeten Mandanten, dann die anderen.',
  hideTitle: 'Titelfeld ausblenden',
  hideTitleHint: 'Die erste Zeile der Beschreibung wird zum Titel.',
  storageHint: 'Nur in diesem Browser gespeichert.',
  backups: {
    title: 'Backups dieser Installation',
    backup: 'Letztes Backup über die Befehlszeile',
    baseCopy: 'Letzte Basiskopie im Archiv',
    drill: 'Letzter Test der Wiederherstellung',
    never: 'Nie',
    outcome: 'Sein Ergebnis',
    restored: 'Vollständig wiederhergestellt',
    failed: (reason) => `Fehlgeschlagen: ${reason}`,
    hint: 'npm run admin -- backup FOLDER schreibt ein Backup; npm run admin -- backup verify stellt die neueste Kopie neben dem Server wieder her und vergleicht sie.',
  },
};
