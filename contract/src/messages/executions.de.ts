/** German texts of executions of actions. */
import type * as english from './executions.en.ts';
import type { Texts } from './texts.ts';

export const executionTexts: Texts<typeof english.executionTexts> = {
  parameters: 'Eingabeparameter',
  result: 'Einzelheiten des Ergebnisses',
  reference: 'Referenz-ID',
  message: 'Nachrichten-ID',
  correlation: 'Korrelations-ID',
  nextTry: 'Nächster Versuch',
  page: 'Ausführung öffnen',
  unit: (publicId: number) => `Vorgang #${publicId}`,
  notSent: 'Zurückgehalten, nicht gesendet',
  failedTimes: (n: number) => (n === 1 ? 'Einmal fehlgeschlagen' : `${n}-mal fehlgeschlagen`),
  waits: 'Wartet',
  whenItAnswers: 'wenn der Empfänger wieder antwortet',
  tryNow: 'Jetzt versuchen',
  stop: 'Stoppen',
  tryNowOf: (name: string) => `Jetzt versuchen: ${name}`,
  stopOf: (name: string) => `${name} stoppen`,
  stopTitle: 'Diese Aktion stoppen?',
  stopQuestion: (name: string) =>
    `„${name}“ wird nicht mehr versucht. Ein laufender Aufruf kann noch ankommen. Ist es ein automatischer Schritt eines Ablaufplans, beginnt sofort der nächste Schritt.`,
  stopped: (name: string) => `${name} wurde gestoppt.`,
  stoppedUnderWay: (name: string) => `${name} wurde gestoppt. Ein Versuch lief gerade und kann noch ankommen.`,
  trying: (name: string) => `${name} wird jetzt versucht.`,
  underWay: (name: string) => `Ein Versuch von ${name} läuft bereits.`,
  tryFailed: 'Die Aktion konnte nicht versucht werden.',
  stopFailed: 'Die Aktion konnte nicht gestoppt werden.',
  tries: {
    title: 'Versuche',
    number: (n: number) => `Versuch ${n}`,
    sent: 'Gesendet',
    ms: (n: number) => `${n} ms`,
    ok: 'Angekommen',
    underWay: 'Läuft',
    failed: 'Die Versuche konnten nicht geladen werden.',
    none: 'Noch wurde nichts gesendet.',
    forbidden: 'Sie dürfen nicht sehen, was gesendet wurde.',
  },
};
