/** German texts of packets. */
import type * as english from './packets.en.ts';
import type { Texts } from './texts.ts';

export const packetTexts: Texts<typeof english.packetTexts> = {
  title: 'Datenpaket',
  none: 'Für diese Entität gibt es kein Datenpaket.',
  noneText: 'Es erscheint hier, sobald die Entität etwas meldet.',
  failed: 'Das Datenpaket konnte nicht geladen werden.',
  forbidden: 'Sie dürfen keine Datenpakete sehen.',
  entity: 'Entitäts-ID',
  timestamp: 'Zeitpunkt',
  received: 'Empfangen',
  block: 'Block',
  device: 'Gerät',
  sections: { Metrics: 'Metriken', States: 'Zustände', Properties: 'Eigenschaften' },
  diagnostics: 'Diagnose',
  whole: 'Nachricht',
  all: 'Datenpakete',
  value: 'Wert',
  filter: 'Nach Name oder Wert filtern',
  at: 'Bis',
  newest: 'Neueste',
  older: 'Ältere Datenpakete anzeigen',
  more: (readings) => (readings === 1 ? 'und 1 weiterer Messwert' : `und ${readings} weitere Messwerte`),
  noneMatches: 'Kein angezeigtes Datenpaket hat diesen Namen oder Wert.',
};
