/** German texts of a person's feeds for other programs. */
import type * as english from './feeds.en.ts';
import type { Texts } from './texts.ts';

export const feedTexts: Texts<typeof english.feedTexts> = {
  title: 'Feeds und Kalender',
  intro:
    'Lesen Sie offene Vorgänge in einem Feedreader (Atom), oder Änderungen und Wartung in Ihrem Kalender. Wer einen Link hat, sieht, was Sie ansehen dürfen, bis Sie den Feed entfernen.',
  of: 'Feed von',
  kinds: { workUnits: 'Alle offenen Vorgänge', calendar: 'Änderungen, Wartung und Sperrzeiten' },
  view: (name) => `Offene Vorgänge von ${name}`,
  make: 'Link erstellen',
  link: 'Link des Feeds',
  linkOnce: 'Kopieren Sie den Link jetzt; er wird nur einmal angezeigt:',
  lastRead: 'zuletzt gelesen',
  neverRead: 'nie gelesen',
  remove: 'Feed entfernen',
  removeQuestion: 'Soll dieser Feed entfernt werden? Sein Link funktioniert dann sofort nicht mehr.',
  removeFailed: 'Der Feed konnte nicht entfernt werden. Bitte versuchen Sie es erneut.',
  failed: 'Ihre Feeds konnten nicht geladen werden.',
};
