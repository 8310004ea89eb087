/** The languages of the portal, and the cookie by which a browser remembers the choice. */

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The cookie with the language that a person chose, which is there before anybody signs in. */
export const languageCookie = 'cloudfit-language';

export const isLanguage = (text: unknown): text is Language => languages.some((language) => language === text);

/** The language with the highest weight in `Accept-Language`, by `de`, `de-AT` or `*`; undefined if none is offered. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  const wishes = (header ?? '').split(',').flatMap((part, at) => {
    const [range = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    const language = range === '*' ? languages[0] : range.split('-')[0];
    return isLanguage(language) && weight > 0 ? [{ language, weight, at }] : [];
  });
  return wishes.toSorted((a, b) => b.weight - a.weight || a.at - b.at)[0]?.language;
}

/** How dates and numbers are written; `iso`: 2026-11-28, and numbers as in English. */
export const formats = ['en-US', 'en-GB', 'de-DE', 'iso'] as const;
export type LocaleFormat = (typeof formats)[number];

/** The first days of a week that a person can choose: Sunday, Monday, Saturday. */
export const weekStarts = [0, 1, 6] as const;
export type WeekStart = (typeof weekStarts)[number];

/** What a person chose about language and region; null: that of the browser, or what the language usually has. */
export interface Locale {
  language: Language | null;
  /** An IANA time zone. */
  timeZone: string | null;
  weekStart: WeekStart | null;
  format: LocaleFormat | null;
}

export const noLocale: Locale = { language: null, timeZone: null, weekStart: null, format: null };
