/** The language of a page, by its request. */
import type { IncomingHttpHeaders } from 'node:http';
import { acceptedLanguage, isLanguage, languageCookie, type Language } from '@cloudfit/contract/messages/language.ts';

/** What the browser remembers of the person's choice, else what it accepts, else English. */
export function languageOf({ cookie, 'accept-language': accepted }: IncomingHttpHeaders): Language {
  const chosen = cookie
    ?.split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === languageCookie)?.[1];
  return isLanguage(chosen) ? chosen : (acceptedLanguage(accepted) ?? 'en');
}

export type { Language };
