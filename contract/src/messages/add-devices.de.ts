/** German texts of the panel that adds devices by a token for enrolment. */
import type * as english from './add-devices.en.ts';
import type { Texts } from './texts.ts';

export const addDevicesTexts: Texts<typeof english.addDevicesTexts> = {
  title: 'Geräte hinzufügen',
  words: 'agent installieren registrierung token',
  text: 'Erzeugt ein Registrierungstoken und die Zeile, die den Agenten auf einem Rechner installiert.',
  subscription: 'Abonnement',
  location: 'Standort',
  noLocation: 'Keiner',
  system: 'Betriebssystem',
  systems: { linux: 'Linux', win: 'Windows' },
  lifetime: 'Das Token gilt für',
  lifetimes: { 1: '1 Stunde', 24: '1 Tag', 168: '7 Tage' },
  machines: 'Wie viele Rechner',
  machinesWrong: 'Bitte geben Sie eine Zahl von mindestens 1 ein.',
  promotion: 'Neue Rechner',
  promotions: { wait: 'Warten auf eine Person', rule: 'Werden automatisch aufgenommen' },
  names: 'Nur mit dem Namen',
  namesHelp: '* steht für beliebigen Text. Leer: alle',
  networks: 'Nur aus den Netzen',
  networksHelp: 'Durch Kommas getrennt. Leer: alle',
  create: 'Erstellen',
  creating: 'Wird erstellt …',
  line: (system: string) =>
    system === 'win' ? 'Fügen Sie dies als Administrator in PowerShell ein' : 'Fügen Sie dies in ein Terminal des Rechners ein',
  once: 'Sie enthält das Token, das nur hier und nur jetzt angezeigt wird.',
  lineLabel: 'Zeile',
  copied: 'In die Zwischenablage kopiert',
  notBuilt:
    'Dieser Server hat den Agenten für dieses Betriebssystem noch nicht gebaut: Führen Sie im Ordner des Servers „npm run agent“ aus. Danach funktioniert die Zeile sofort. Den Agenten für das eigene System baut der Server nach einem ersten Start automatisch, innerhalb einer Minute.',
  ownMachineOnly: (origin: string) =>
    `Die Zeile wird ${origin} nennen, was kein anderer Rechner erreicht. Setzen Sie PUBLIC_URL auf die Adresse, unter der Rechner diesen Server erreichen, starten Sie ihn neu, und öffnen Sie das Portal unter dieser Adresse.`,
  waiting: 'Wartende Rechner',
  waitingNone: 'Ein Rechner erscheint hier, sobald sein Agent startet.',
  promote: 'Aufnehmen',
  devices: 'Neue Geräte des Abonnements',
  devicesNone: 'Keine, seit das Token erstellt wurde.',
  tokenName: (at: string) => `Geräte hinzufügen ${at}`,
};
