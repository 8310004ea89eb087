/** The texts of a list whose catalogue has them by the usual names. */
export function usualTexts(
  t: Record<'title' | 'emptyText' | 'remove', string> & Record<'removed' | 'removeQuestion', (name: string) => string>,
) {
  return {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.remove,
    deleted: (row: { name: string }) => t.removed(row.name),
    deleteQuestion: (row: { name: string }) => t.removeQuestion(row.name),
  };
}
