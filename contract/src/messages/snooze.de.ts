/** German texts of work units that are snoozed. */
import type * as english from './snooze.en.ts';
import type { Texts } from './texts.ts';

const units = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgänge`);

export const snoozeTexts: Texts<typeof english.snoozeTexts> = {
  verb: 'Zurückstellen…',
  words: 'später ausblenden warten erinnern',
  menu: (n, id) => (n === 1 ? `Vorgang #${id} zurückstellen` : `${units(n)} zurückstellen`),
  wake: 'Wieder vorlegen',
  done: (n, id) => (n === 1 ? `Vorgang #${id} zurückgestellt.` : `${units(n)} zurückgestellt.`),
  woken: (n, id) => (n === 1 ? `Vorgang #${id} ist nicht mehr zurückgestellt.` : `${units(n)} sind nicht mehr zurückgestellt.`),
  until: 'Zurückgestellt bis',
  by: 'von',
  orChange: 'oder bis sich etwas ändert',
  notSnoozed: 'Nicht zurückgestellt',
};
