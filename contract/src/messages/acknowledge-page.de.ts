/** German texts of the page behind a link that acknowledges a work unit. */
import type * as english from './acknowledge-page.en.ts';
import type { Texts } from './texts.ts';

export const acknowledgePage: Texts<typeof english.acknowledgePage> = {
  lang: 'de',
  title: 'Bestätigen',
  unit: (id) => `Vorgang #${id}`,
  notValid: 'Dieser Link ist nicht gültig. Er wurde unterwegs verändert, oder der Vorgang ist für Sie nicht mehr da.',
  expired: 'Dieser Link ist abgelaufen. Melden Sie sich im Portal an, um den Vorgang zu bestätigen.',
  facts: { title: 'Titel', severity: 'Schweregrad', state: 'Zustand', tenant: 'Mandant' },
  submit: 'Bestätigen',
  nothing: (state) => `Sein Zustand ist ${state}; es gibt nichts zu bestätigen.`,
  already: (by, at, state) => `Schon bestätigt von ${by}, ${at}. Sein Zustand ist jetzt ${state}.`,
  done: (unit) => `${unit} ist bestätigt.`,
  failed: 'Der Vorgang konnte nicht bestätigt werden:',
};
