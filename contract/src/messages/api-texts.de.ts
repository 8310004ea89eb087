/** Messages of the API as the German portal shows them. */
import type * as english from './api-texts.en.ts';

// The texts are loaded when the first message is shown; if that fails, the English one still tells what is wrong.
export const shownError: typeof english.shownError = (error) =>
  import('./api-messages.de.ts').then(({ germanError }) => germanError(error)).catch(() => error);
