/** German texts about the people who follow a work unit, and about mentions. */
import type * as english from './watchers.en.ts';
import type { Texts } from './texts.ts';

export const watcherTexts: Texts<typeof english.watcherTexts> = {
  watch: 'Beobachten',
  watching: 'Beobachtet',
  unwatch: 'Nicht mehr beobachten',
  help: 'Änderungen dieses Vorgangs kommen in Ihren Posteingang',
  watchedBy: (names) => `Beobachtet von ${names.join(', ')}`,
  more: (n) => `+${n}`,
  began: 'Sie beobachten diesen Vorgang. Seine Änderungen kommen in Ihren Posteingang.',
  ended: 'Sie beobachten diesen Vorgang nicht mehr.',
  mention: 'Personen zum Erwähnen',
};
