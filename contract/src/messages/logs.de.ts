/** German texts of the logs of devices and of their operations. */
import type * as english from './logs.en.ts';
import type { Texts } from './texts.ts';

export const logTexts: Texts<typeof english.logTexts> = {
  label: 'Protokolle',
  created: 'Erstellt',
  type: 'Typ',
  detail: 'Einzelheiten',
  operation: 'Aufgabe',
  autoRefresh: 'Auto-Aktualisierung',
  autoRefreshHint: 'Liest die Protokolle alle 30 Sekunden neu',
  refresh: 'Protokolle aktualisieren',
  read: 'Aktualisiert',
  allTypes: 'Alle Typen',
  typeFilter: 'Typen von Einträgen',
  none: 'Noch keine Protokolle',
  noneOfType: 'Keine Einträge dieses Typs',
  failed: 'Die Protokolle konnten nicht geladen werden.',
  pages: 'Seiten der Protokolle',
};
