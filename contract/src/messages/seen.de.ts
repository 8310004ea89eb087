/** German texts of who has seen a work unit. */
import type * as english from './seen.en.ts';
import type { Texts } from './texts.ts';

export const seenTexts: Texts<typeof english.seenTexts> = {
  by: (name) => `gesehen von ${name}`,
  more: (n) => `+${n}`,
  somebody: 'Jemand',
  first: 'hat ihn zum ersten Mal geöffnet',
  last: 'hat ihn zuletzt geöffnet',
  linkFirst: 'hat den Link einer Nachricht zum ersten Mal geöffnet',
  linkLast: 'hat den Link einer Nachricht zuletzt geöffnet',
};
