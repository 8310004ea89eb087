/** Texts of the settings for language and region. */
export const localeTexts = {
  title: 'Language and region',
  hint: 'For you in every browser. The page loads again after a change.',
  language: 'Language',
  // Each language in itself, so that whoever reads only one finds it.
  languages: { en: 'English', de: 'Deutsch' },
  timeZone: 'Time zone',
  weekStart: 'First day of the week',
  weekStarts: { 0: 'Sunday', 1: 'Monday', 6: 'Saturday' },
  format: 'Dates and numbers',
  formats: {
    'en-US': '12/31/2026, 1:30pm, 1,234.5',
    'en-GB': '31/12/2026, 13:30, 1,234.5',
    'de-DE': '31.12.2026, 13:30, 1.234,5',
    iso: '2026-12-31, 13:30, 1,234.5',
  },
  ofBrowser: 'As the browser',
  byLanguage: 'By the language',
  failed: 'Unable to save your choice. Please try again.',
  viewOnly: 'While you see as somebody else, nothing can be changed.',
} as const;
