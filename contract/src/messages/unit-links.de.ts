/** German texts of the tickets and messages that a work unit has in trackers and chats. */
import type * as english from './unit-links.en.ts';
import type { Texts } from './texts.ts';

export const unitLinkTexts: Texts<typeof english.unitLinkTexts> = {
  heading: 'In anderen Systemen',
  inStep: 'im Gleichstand seit',
  notYet: 'noch nicht im Gleichstand',
  open: (service, name) => `${name} in ${service} öffnen`,
};
