/** German texts of the export of one work unit. */
import type * as english from './unit-export.en.ts';
import type { Texts } from './texts.ts';

export const unitExportTexts: Texts<typeof english.unitExportTexts> = {
  exported: (id) => `Vorgang #${id} als JSON gespeichert.`,
  failed: 'Der Vorgang konnte nicht gelesen werden. Bitte versuchen Sie es erneut.',
  fileName: (id) => `work-unit-${id}.json`,
};
