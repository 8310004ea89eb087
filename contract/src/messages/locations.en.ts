/** Texts of the locations. */
export const locationTexts = {
  saveFailed: 'A problem occurred saving the location. Please try again.',
  emptyText: 'Create one to say where devices stand.',
} as const;
