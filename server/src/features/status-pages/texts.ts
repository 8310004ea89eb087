/** The texts of public status pages and of the mails about them in the language of their reader. */
import { publicStatusTexts as german } from '@cloudfit/contract/messages/public-status.de.ts';
import { publicStatusTexts as english } from '@cloudfit/contract/messages/public-status.en.ts';
import type { Texts } from '@cloudfit/contract/messages/texts.ts';
import type { Language } from '../../platform/language.ts';

export type PublicStatusTexts = Texts<typeof english>;

const catalogues: Readonly<Record<Language, PublicStatusTexts>> = { en: english, de: german };

export const publicStatusTextsIn = (language: Language): PublicStatusTexts => catalogues[language];

/** The public text for the status of a communication. */
export const statusText = ({ statuses }: PublicStatusTexts, status: string): string =>
  (statuses as Readonly<Record<string, string>>)[status] ?? status;
