/** The language of a page by its request, and what a reader chose about language and region. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  acceptedLanguage,
  isLanguage,
  languageCookie,
  noLocale,
  type Language,
  type Locale,
} from '@cloudfit/contract/messages/language.ts';

/** What the browser remembers of the person's choice, else what it accepts, else English. */
export function languageOf({ cookie, 'accept-language': accepted }: IncomingHttpHeaders): Language {
  const chosen = cookie
    ?.split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === languageCookie)?.[1];
  return isLanguage(chosen) ? chosen : (acceptedLanguage(accepted) ?? 'en');
}

/** Headers of a page whose language follows from the request. */
export const languageHeaders = (language: string) => ({ 'content-language': language, vary: 'accept-language, cookie' });

/** For whom a text is written. */
export interface TextReader extends Pick<Locale, 'timeZone' | 'format'> {
  language: Language;
}

/** What is stored of a person: the choice, and the language that the portal has shown last to who has chosen none. */
export interface StoredLocale extends Locale {
  shown?: Language;
}

/** The reader of a page: what the person has chosen, as far as it is known who that is, and otherwise the browser. */
export const readerOfPage = (
  headers: IncomingHttpHeaders,
  { shown: _elsewhere, ...chosen }: Partial<StoredLocale> = noLocale,
): TextReader => readerOf(chosen, languageOf(headers));

/** The reader of a message, who is not there while it is written. */
export const readerOf = (chosen: Partial<StoredLocale> | null | undefined, otherwise: Language = 'en'): TextReader => ({
  language: [chosen?.language, chosen?.shown].find(isLanguage) ?? otherwise,
  timeZone: chosen?.timeZone ?? null,
  format: chosen?.format ?? null,
});

export type { Language };
