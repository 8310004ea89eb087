/** German texts about operators in a search. */
import type * as english from './operators.en.ts';
import type { Texts } from './texts.ts';

const age = /^([<>])(\d+)([hdw])$/;
/** One, and several (after „vor“). */
const units: Readonly<Record<string, readonly [string, string]>> = {
  h: ['Stunde', 'Stunden'],
  d: ['Tag', 'Tagen'],
  w: ['Woche', 'Wochen'],
};

/** An age such as `>2d` in words; other times as they are. */
function timeInWords(value: string): string {
  const [, direction, amount, unit] = age.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return value;
  const word = units[unit]?.[amount === '1' ? 0 : 1];
  return direction === '>' ? `vor mehr als ${amount} ${word}` : `vor weniger als ${amount} ${word}`;
}

export const operatorTexts: Texts<typeof english.operatorTexts> = {
  completions: 'Operatoren und Werte',
  time: timeInWords,
  unknownOperator: (word, possible) =>
    `Den Operator ${word} gibt es nicht. Möglich sind: ${possible}. Um nach dem Text selbst zu suchen, setzen Sie ihn in Anführungszeichen.`,
  unknownValue: (word, value, possible) => `${value} ist kein Wert von ${word}. Möglich sind: ${possible}.`,
  noSuchValue: (word, value) => `Nichts heißt ${value}. Schreiben Sie einen anderen Wert hinter ${word}:.`,
  severalValues: (word, value, possible) => `${value} passt auf mehrere Werte von ${word}: ${possible}. Schreiben Sie einen davon.`,
  unknownTime: (word, value) =>
    `${value} ist keine Zeit für ${word}. Schreiben Sie einen Tag (2026-11-28), Tage (2026-11-01..2026-11-28), today oder ein Alter (>2d, <12h).`,
  notExcluded: (word) => `Werte von ${word} können nicht ausgeschlossen werden, nur Werte einer kurzen Liste, wie in -severity:1.`,
  noneLeft: (word) => `Kein Wert von ${word} bleibt übrig. Schließen Sie weniger davon aus.`,
  oneValue: (word) => `Schreiben Sie einen Wert hinter ${word}:.`,
  show: (text) => `Vorgänge mit ${text} anzeigen`,
};
