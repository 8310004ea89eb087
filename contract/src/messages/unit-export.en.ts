/** Texts of the export of one work unit. */
export const unitExportTexts = {
  exported: (id: number) => `Work unit #${id} saved as JSON.`,
  failed: 'The work unit could not be read. Please try again.',
  fileName: (id: number) => `work-unit-${id}.json`,
} as const;
