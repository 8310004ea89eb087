/** German texts of the mails to contacts. */
import type * as english from './communication-mails.en.ts';
import type { Texts } from './texts.ts';

export const communicationMailTexts: Texts<typeof english.communicationMailTexts> = {
  because: (tenant: string) => `Sie erhalten diese E-Mail, weil Sie bei ${tenant} als Kontakt für solche Mitteilungen eingetragen sind.`,
  end: (link: string) => `Diese E-Mails beenden: ${link}`,
  personalLink: 'persönlicher Link',
};
