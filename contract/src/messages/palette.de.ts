/** German texts of the command palette. */
import type * as english from './palette.en.ts';
import type { Texts } from './texts.ts';

export const paletteTexts: Texts<typeof english.paletteTexts> = {
  title: 'Befehlspalette',
  placeholder: 'Zu einer Seite, einem Mandanten, Vorgang, Gerät oder einer Person …',
  results: (n) => (n === 1 ? '1 Ergebnis' : `${n} Ergebnisse`),
  searching: 'Suche läuft …',
  none: (text) => `Nichts passt zu „${text}“.`,
  noneHint: 'Versuchen Sie den Namen einer Seite, eines Mandanten, Geräts oder einer Person, oder Wörter oder die Nummer eines Vorgangs.',
  choose: 'wählen',
  run: 'öffnen',
  close: 'schließen',
  groups: {
    workUnits: 'Vorgänge',
    operators: 'Vorgänge suchen',
    screens: 'Gehe zu',
    create: 'Erstellen',
    actions: 'Aktionen',
    tenants: 'Mandant wechseln',
    devices: 'Geräte',
    articles: 'Artikel',
    people: 'Personen',
  },
  words: {
    notifications: 'benachrichtigungen push telefon sms mail ruhezeiten meine kanäle browser',
    photo: 'avatar foto bild profil profilbild',
    invite: 'einladen hinzufügen neue person benutzer kollege zugriff geben',
    createRule: 'neu hinzufügen bedingung schwelle grenzwert alarm',
    view: 'gespeicherte ansicht filter liste',
    publishers: 'vertraut signaturen signieren öffentliche schlüssel softwarepakete',
  },
  createRule: 'Regel erstellen',
  createUnit: (type) => `${type} erstellen`,
  unit: (id, title) => `#${id} ${title}`,
};
