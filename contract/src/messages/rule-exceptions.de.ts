/** German texts of exceptions: what single tenants have otherwise than a rule of many. */
import type * as english from './rule-exceptions.en.ts';
import type { Texts } from './texts.ts';

export const ruleExceptionTexts: Texts<typeof english.ruleExceptionTexts> = {
  title: 'Regelausnahmen',
  words: 'eigene werte abweichungen alle außer ausgeschaltet geerbt',
  emptyText: 'Erstellen Sie eine, um einem Mandanten eigene Werte einer Regel für mehrere Mandanten zu geben oder ihn auszunehmen.',
  remove: 'Regelausnahme entfernen',
  removed: 'Regelausnahme entfernt.',
  removeQuestion: (tenant: string) => `Die Ausnahme entfernen? Dann gilt die Regel bei ${tenant} wie für alle.`,
  what: 'Hier',
  isOff: 'Gilt nicht',
  lifetime: (span: string) => `Lebensdauer ${span}`,
  ended: 'Beendet',
  asForAll: (value: string) => `Wie für alle: ${value}`,
  noRule: 'Wählen Sie zuerst die Regel.',
  noConstants: 'Die Regel vergleicht mit keiner Konstante.',
  ofRule: (n: number) => (n === 1 ? '1 Ausnahme' : `${n} Ausnahmen`),
  ofTenant: 'Ausnahmen von Regeln für alle',
  withOwn: (tenant: string) => `${tenant}, mit eigenen Werten`,
  offHere: (tenant: string) => `Diese Regel gilt nicht bei ${tenant}.`,
};
