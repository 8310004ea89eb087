/** The person's choice of language and region, of which the browser has a copy: it is there before anybody is signed in. */
import {
  formats,
  isLanguage,
  languageCookie,
  noLocale,
  weekStarts,
  type Language,
  type Locale,
  type LocaleFormat,
  type WeekStart,
} from '@cloudfit/contract/messages/language.ts';

const key = 'cloudfit.locale';

/** Marks in the tab that a page in another language than the chosen one was loaded again, which cookies may prevent. */
const triedKey = 'cloudfit.locale.tried';

function stored(): Locale {
  try {
    return { ...noLocale, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Locale>) };
  } catch {
    return noLocale;
  }
}

const chosen = stored();

/** The language of this page. */
export const pageLanguage: Language = isLanguage(document.documentElement.lang) ? document.documentElement.lang : 'en';

/** How this page writes dates and numbers. */
export const pageFormat: LocaleFormat = formats.find((format) => format === chosen.format) ?? (pageLanguage === 'de' ? 'de-DE' : 'en-US');

/** The time zone that the person chose; undefined: that of the browser. */
export const chosenZone: string | undefined = chosen.timeZone ?? undefined;

const startOf: Readonly<Record<LocaleFormat, WeekStart>> = { 'en-US': 0, 'en-GB': 1, 'de-DE': 1, iso: 1 };

/** The days of the week, 0 is Sunday, from the first one on. */
export const weekDays: readonly number[] = [0, 1, 2, 3, 4, 5, 6].map(
  (day) => (day + (weekStarts.find((start) => start === chosen.weekStart) ?? startOf[pageFormat])) % 7,
);

/** Stores the choice of the signed-in person in the browser, and loads the page again if it looks different then. */
export function adoptLocale(locale: Locale, loadAgain = () => window.location.reload()): void {
  const before = JSON.stringify(stored());
  const now = JSON.stringify({ ...noLocale, ...locale });
  const isOther = locale.language !== null && locale.language !== pageLanguage;
  try {
    if (before === now && (!isOther || sessionStorage.getItem(triedKey) === now)) return;
    localStorage.setItem(key, now);
    sessionStorage.setItem(triedKey, now);
  } catch {
    // Without storage, the page could not remember that it was loaded again.
    return;
  }
  const life = locale.language === null ? 'max-age=0' : 'max-age=31536000';
  const secure = window.location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `${languageCookie}=${locale.language ?? ''}; path=/; ${life}; samesite=lax${secure}`;
  loadAgain();
}
