/** German texts of the screen of the entity Source. */
import type * as english from './sources.en.ts';
import type { Texts } from './texts.ts';

export const sourceTexts: Texts<typeof english.sourceTexts> = {
  saveFailed: 'Source konnte nicht gespeichert werden. Bitte versuchen Sie es erneut.',
  emptyText: 'Legen Sie den ersten Eintrag an.',
};
