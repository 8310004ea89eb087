/** Texts of the screen of the entity Knowledge Article. */
export const knowledgeArticleTexts = {
  saveFailed: 'A problem occurred saving the knowledge article. Please try again.',
  emptyText: 'Create the first one.',
} as const;
