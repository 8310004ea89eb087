/** German texts of the page that says how much each rule costs people. */
import type * as english from './noise.en.ts';
import type { Texts } from './texts.ts';

const percent = (part: number, all: number): number => Math.round((100 * part) / all);

const advice: Texts<typeof english.noiseTexts>['advice'] = {
  flapping: ({ flapping, changesPerHour, timeMatching, clearMinutes, clearMatches, matches }) =>
    `${flapping === 1 ? '1 Gerät oder Block flattert' : `${flapping} Geräte oder Blöcke flattern`}: bis zu ${changesPerHour} Wechsel pro Stunde, ${percent(timeMatching, 1)} % der Zeit mit Treffer. „Ruhig seit“ ${clearMinutes} min hätte ${clearMatches} von ${matches} Treffern übrig gelassen.`,
  single: ({ single, matches }) =>
    `${percent(single, matches)} % der Treffer waren eine einzelne Auslösung. Mehrere in Folge zu verlangen ließe sie weg.`,
  returning: ({ returning, matches }) =>
    `${percent(returning, matches)} % der Treffer begannen kurz nach ihrem Ende von Neuem. Eine längere oder gleitende Lebensdauer oder eine Bedingung für die Erholung würde sie verbinden.`,
  idle: ({ idle, ended }) =>
    `${idle} von ${ended} Vorgängen wurden ohne Arbeit daran geschlossen. Senken Sie den Schweregrad oder führen Sie die Aktionen ohne Vorgang aus.`,
};

export const noiseTexts: Texts<typeof english.noiseTexts> = {
  title: 'Rauschen der Regeln',
  words: 'laute alarme alarmflut ermüdung kosten schlechteste regeln',
  text: 'Regeln mit Treffern in dieser Zeit; zuerst die, an deren Vorgängen niemand gearbeitet hat.',
  period: 'Zeitraum',
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tage`),
  columns: {
    rule: 'Regel',
    matches: 'Treffer',
    units: 'Vorgänge',
    repeats: 'Kam wieder',
    idle: 'Ohne Arbeit geschlossen',
    hours: 'Personenstunden',
    advice: 'Was helfen würde',
  },
  disabled: 'Deaktiviert',
  idleOf: (idle, ended) => `${idle} von ${ended}`,
  subjects: (count) => (count === 1 ? 'auf 1 Gerät oder Block' : `auf ${count} Geräten oder Blöcken`),
  advice,
  nothing: 'Nichts fällt auf.',
  backtest: 'Im Rücktest versuchen',
  backtestOf: (rule) => `In einem Rücktest von ${rule} versuchen`,
  none: 'Keine Regel hatte in dieser Zeit einen Treffer',
  noneText: 'Wählen Sie einen längeren Zeitraum oder sehen Sie die Regeln an: Vielleicht sind sie deaktiviert.',
  failed: 'Das Rauschen der Regeln konnte nicht gelesen werden.',
};
