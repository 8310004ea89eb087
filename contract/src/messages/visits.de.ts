/** German texts of who has seen a work unit. */
import type * as english from './visits.en.ts';
import type { Texts } from './texts.ts';

export const visitTexts: Texts<typeof english.visitTexts> = {
  by: (name) => `gesehen von ${name}`,
  more: (n) => `+${n}`,
  somebody: 'Jemand',
  first: 'hat ihn zum ersten Mal geöffnet',
  last: 'hat ihn zuletzt geöffnet',
  linkFirst: 'hat den Link einer Nachricht zum ersten Mal geöffnet',
  linkLast: 'hat den Link einer Nachricht zuletzt geöffnet',
};
