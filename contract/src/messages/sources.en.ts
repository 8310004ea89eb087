/** Texts of the screen of the entity Source. */
export const sourceTexts = {
  saveFailed: 'A problem occurred saving the source. Please try again.',
  emptyText: 'Create the first one.',
} as const;
