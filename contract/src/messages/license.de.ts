/** German texts of the licence dialog and banner. */
import type * as english from './license.en.ts';
import type { Texts } from './texts.ts';

export const license: Texts<typeof english.license> = {
  title: 'Lizenz',
  expirationLoading: 'Ablaufdatum wird geladen …',
  expires: (date) => `Ablaufdatum: ${date}`,
  daysLeft: (n) => (n === 1 ? 'noch 1 Tag' : `noch ${n} Tage`),
  expiredShort: 'Abgelaufen',
  expiresIn: (n) => (n === 1 ? 'Ihre Lizenz läuft in 1 Tag ab' : `Ihre Lizenz läuft in ${n} Tagen ab`),
  expired: 'Ihre Lizenz ist abgelaufen',
  agree: 'Zustimmen',
  cancel: 'Abbrechen',
};
