/** German texts of groups of tenants. */
import type * as english from './tenant-groups.en.ts';
import type { Texts } from './texts.ts';

export const tenantGroupTexts: Texts<typeof english.tenantGroupTexts> = {
  title: 'Mandantengruppen',
  words: 'kunden mengen gold mehrere mandanten',
  emptyText: 'Legen Sie eine an, um eine Regel einmal für mehrere Mandanten zu schreiben.',
  remove: 'Mandantengruppe entfernen',
  removed: (name: string) => `${name} entfernt.`,
  removeQuestion: (name: string) => `${name} entfernen? Eine Gruppe, für die es Regeln gibt, kann nicht entfernt werden.`,
  addTenant: 'Mandanten hinzufügen',
  removeTenant: (name: string) => `${name} entfernen`,
  noTenants: 'Noch keine Mandanten.',
};
