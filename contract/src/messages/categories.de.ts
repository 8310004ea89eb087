/** German texts of the work unit settings: categories and their subcategories. */
import type * as english from './categories.en.ts';
import type { Texts } from './texts.ts';

export const categoryTexts: Texts<typeof english.categoryTexts> = {
  lists: 'Listen',
  all: 'Alle Kategorien',
  enabledOnly: 'Aktivierte Kategorien',
  emptyText: 'Legen Sie eine an, um zu sagen, worum es bei Vorgängen eines Typs geht.',
  chooseType: 'Bitte wählen Sie einen Vorgangstyp.',
  enabled: 'Aktiviert',
  visible: 'Resolution Center',
  visibleHelp: 'Kunden können sie als Dienst einer Anfrage wählen.',
  toggle: (label: string, name: string) => `${label}: ${name}`,
  saveFailed: 'Beim Speichern der Vorgangskategorie ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  subcategories: 'Unterkategorien',
  subcategoriesOf: (category: string) => `Unterkategorien: ${category}`,
  openSubcategories: (category: string) => `Unterkategorien von ${category}`,
  subcategorySaveFailed: 'Beim Speichern der Unterkategorie ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  noSubcategories: 'Noch keine Unterkategorien',
  noSubcategoriesText: 'Sie grenzen eine Kategorie weiter ein. Eine Kategorie funktioniert auch ohne sie.',
  createSubcategory: 'Unterkategorie anlegen',
  editSubcategory: (name: string) => `${name} bearbeiten`,
  failed: 'Die Unterkategorien konnten nicht geladen werden.',
  notFound: 'Die Kategorie wurde nicht gefunden. Möglicherweise wurde sie gelöscht, oder Sie haben keinen Zugriff darauf.',
  disabledNote: 'Diese Kategorie ist deaktiviert: Weder sie noch ihre Unterkategorien werden angeboten.',
};
