/** German texts of the blocks. */
import type * as english from './blocks.en.ts';
import type { Texts } from './texts.ts';

export const blockTexts: Texts<typeof english.blockTexts> = {
  none: 'Keine Blöcke gefunden',
  noneText: 'Legen Sie einen an und senden Sie Werte an ihn. Jedes Gerät hat einen eigenen Block.',
  noneNamed: 'Kein Block hat diesen Namen.',
  noData: 'Keine Daten gemeldet',
  search: 'Blöcke nach Name suchen',
  saveFailed: 'Beim Speichern des Blocks ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  deleteFailed: 'Beim Löschen des Blocks ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  deleted: 'Block gelöscht.',
  deleteQuestion: (name: string) =>
    `Den Block ${name} löschen? Seine Werte werden nicht mehr angezeigt. Dies kann nicht rückgängig gemacht werden.`,
  invalidId: 'Bitte geben Sie eine gültige GUID der Version 4 oder 5 ein',
  chooseType: 'Bitte wählen Sie einen Typ.',
  idHelp: 'Werte werden unter dieser ID gesendet.',
  pause: 'Aktualisierung anhalten',
  resume: 'Aktualisierung fortsetzen',
  paused: 'Angehalten',
  reporting: 'Meldet',
  silent: 'Stumm',
  silentFor: (span: string) => `Stumm seit ${span}`,
  colors: {
    black: 'Schwarz',
    blue: 'Blau',
    green: 'Grün',
    grey: 'Grau',
    orange: 'Orange',
    red: 'Rot',
    white: 'Weiß',
    yellow: 'Gelb',
  },
  tabs: { details: 'Details', ruleMatches: 'Regeltreffer', history: 'Verlauf', logs: 'Protokolle' },
  now: 'Neuestes Datenpaket',
  openPacket: 'Datenpaket öffnen',
  type: 'Typ',
  tenant: 'Mandant',
  subscription: 'Abonnement',
  pages: 'Seiten des Verlaufs',
  noHistory: 'Kein Verlauf gefunden.',
  noLogs: 'Keine Protokolle gefunden.',
  historyFailed: 'Der Verlauf konnte nicht geladen werden.',
  logsFailed: 'Das Protokoll konnte nicht geladen werden.',
  received: 'Empfangen',
  value: 'Wert',
  timestamp: 'Zeitstempel',
  created: 'Erstellt',
  detail: 'Detail',
  chart: (count: number, min: string, max: string, last: string) =>
    count === 1
      ? `1 angezeigter Wert, zwischen ${min} und ${max}; der neueste ist ${last}.`
      : `Die ${count} angezeigten Werte, zwischen ${min} und ${max}; der neueste ist ${last}.`,
};
