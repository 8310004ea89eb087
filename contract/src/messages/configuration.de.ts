/** German texts of the page Configuration. */
import type * as english from './configuration.en.ts';
import type { Texts } from './texts.ts';

export const configurationTexts: Texts<typeof english.configurationTexts> = {
  title: 'Konfiguration',
  export: 'Exportieren',
  exportText:
    'Regeln, Aktionen, Ablaufpläne, Berechtigungssätze und Ähnliches dieses Mandanten und die für alle Mandanten als eine Datei. Geheimnisse sind nicht enthalten.',
  exportTenant: 'Diesen Mandanten exportieren',
  exportFailed: 'Die Konfiguration konnte nicht exportiert werden.',
  fileName: (tenant: string) => `konfiguration-${tenant}.json`,
  import: 'Importieren',
  importText:
    'Wählen Sie eine Datei, die hier oder in einer anderen Installation exportiert wurde. Sie sehen vorab, was sich ändern würde.',
  file: 'Datei',
  intoTenant: 'In diesen Mandanten, gleich aus welchem Mandanten sie stammt',
  notJson: 'Diese Datei ist keine Konfiguration: Sie ist kein JSON.',
  checking: 'Wird verglichen …',
  outcome: (added: number, changed: number, unchanged: number) => `${added} hinzugefügt, ${changed} geändert, ${unchanged} unverändert.`,
  would: 'Was sich ändern würde',
  nothing: 'Nichts würde sich ändern.',
  verbs: { add: 'Hinzufügen', change: 'Ändern' },
  apply: 'Anwenden',
  applying: 'Wird angewendet …',
  applied: 'Die Konfiguration wurde importiert.',
  discard: 'Verwerfen',
  refused: 'Sie kann nicht importiert werden:',
  field: 'Feld',
  before: 'Vorher',
  after: 'Nachher',
  features: 'Funktionen',
  featureOn: (name: string) => `${name} ist jetzt eingeschaltet.`,
  featureOff: (name: string) => `${name} ist jetzt ausgeschaltet.`,
  featureFailed: 'Die Funktion konnte nicht geändert werden.',
  settings: 'Einstellungen der Installation',
  settingsText:
    'Umgebungsvariablen des Servers, der antwortet; auch die Aufbewahrung von Datensätzen gehört dazu. Sie werden dort geändert, wo der Server gestartet wird.',
  name: 'Name',
  value: 'Wert',
  source: 'Quelle',
  sources: { environment: 'Umgebung', default: 'Standard' },
  notSet: 'nicht gesetzt',
};
