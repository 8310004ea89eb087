/** German texts of the settings for language and region. */
import type * as english from './locale.en.ts';
import type { Texts } from './texts.ts';

export const localeTexts: Texts<typeof english.localeTexts> = {
  title: 'Sprache und Region',
  hint: 'Für Sie in jedem Browser. Nach einer Änderung lädt die Seite neu.',
  language: 'Sprache',
  languages: { en: 'English', de: 'Deutsch' },
  timeZone: 'Zeitzone',
  weekStart: 'Erster Tag der Woche',
  weekStarts: { 0: 'Sonntag', 1: 'Montag', 6: 'Samstag' },
  format: 'Datum und Zahlen',
  formats: {
    'en-US': '12/31/2026, 1:30pm, 1,234.5',
    'en-GB': '31/12/2026, 13:30, 1,234.5',
    'de-DE': '31.12.2026, 13:30, 1.234,5',
    iso: '2026-12-31, 13:30, 1,234.5',
  },
  ofBrowser: 'Wie der Browser',
  byLanguage: 'Nach der Sprache',
  failed: 'Ihre Wahl konnte nicht gespeichert werden. Bitte versuchen Sie es erneut.',
  viewOnly: 'Solange Sie die Sicht einer anderen Person haben, kann nichts geändert werden.',
};
