const age = /^([<>])(\d+)([hdw])$/;
const units: Readonly<Record<string, string>> = { h: 'hours', d: 'days', w: 'weeks' };

/** An age such as `>2d` in words; other times as they are. */
function timeInWords(value: string): string {
  const [, direction, amount, unit] = age.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return value;
  const word = amount === '1' ? units[unit]?.slice(0, -1) : units[unit];
  return direction === '>' ? `more than ${amount} ${word} ago` : `less than ${amount} ${word} ago`;
}

/** Texts about operators in a search. */
export const operatorTexts = {
  completions: 'Operators and values',
  time: timeInWords,
  unknownOperator: (word: string, possible: string) =>
    `There is no operator ${word}. Possible are: ${possible}. To search for the text itself, put it in quotes.`,
  unknownValue: (word: string, value: string, possible: string) => `${value} is no value of ${word}. Possible are: ${possible}.`,
  noSuchValue: (word: string, value: string) => `Nothing is called ${value}. Write another value behind ${word}:.`,
  severalValues: (word: string, value: string, possible: string) =>
    `${value} fits several values of ${word}: ${possible}. Write one of them.`,
  unknownTime: (word: string, value: string) =>
    `${value} is no time for ${word}. Write a day (2026-11-28), days (2026-11-01..2026-11-28), today, or an age (>2d, <12h).`,
  notExcluded: (word: string) => `Values of ${word} cannot be excluded. Values of a short list can, as in -severity:1.`,
  noneLeft: (word: string) => `No value of ${word} is left. Exclude fewer of them.`,
  oneValue: (word: string) => `Write one value behind ${word}:.`,
  show: (text: string) => `Show work units with ${text}`,
} as const;
