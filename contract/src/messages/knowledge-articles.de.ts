/** German texts of the screen of the entity Knowledge Article. */
import type * as english from './knowledge-articles.en.ts';
import type { Texts } from './texts.ts';

export const knowledgeArticleTexts: Texts<typeof english.knowledgeArticleTexts> = {
  saveFailed: 'Knowledge Article konnte nicht gespeichert werden. Bitte versuchen Sie es erneut.',
  emptyText: 'Legen Sie den ersten Eintrag an.',
};
