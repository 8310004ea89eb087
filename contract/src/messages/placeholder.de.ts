/** German texts of the list of placeholders, and of unknown placeholders. */
import type * as english from './placeholder.en.ts';
import type { Texts } from './texts.ts';

export const placeholderTexts: Texts<typeof english.placeholderTexts> = {
  insert: 'Platzhalter einfügen',
  hint: 'Tippen Sie { für die Liste der Platzhalter; Pfeiltasten und Eingabe wählen einen. {LocationName|keiner} schreibt keiner, wo es keinen Standort gibt.',
  byDefault: 'Ohne Wert ist der Text leer; {LocationName|keiner} schreibt keiner.',
  list: 'Platzhalter',
  groups: {
    parameter: 'Parameter dieser Aktion',
    unit: 'Vorgang',
    match: 'Treffer und Regel',
    device: 'Gerät, Aufgabe und Block',
    packet: 'Datenpaket',
    tenant: 'Mandant und Lauf',
    secret: 'Geheimnisse des Mandanten',
  },
  parameterHelp: 'Was dort eingegeben wird, wo die Aktion verwendet wird',
  readings: {
    'Metrics.': 'Eine Metrik des Datenpakets: weiter mit ihrem Namen',
    'States.': 'Ein Zustand des Datenpakets: weiter mit seinem Namen',
    'Properties.': 'Eine Eigenschaft des Datenpakets: weiter mit ihrem Namen',
  },
  reported: 'Kürzlich gemeldet',
  namedSecret: 'Wird beim Senden eingesetzt und nirgends angezeigt',
  none: (typed) => `Nichts heißt ${typed}.`,
  unknown: (name) => `Den Platzhalter {${name}} gibt es nicht.`,
  like: (name) => `Meinten Sie {${name}}?`,
  use: (name) => `{${name}} verwenden`,
};
