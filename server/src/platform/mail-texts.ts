/** The texts of mails and push messages in the language of their reader. */
import { mailTexts as german } from '@cloudfit/contract/messages/mails.de.ts';
import { mailTexts as english } from '@cloudfit/contract/messages/mails.en.ts';
import type { Texts } from '@cloudfit/contract/messages/texts.ts';
import type { Language, TextReader } from './language.ts';

export type MailTexts = Texts<typeof english>;

const catalogues: Readonly<Record<Language, MailTexts>> = { en: english, de: german };

export const mailTextsFor = ({ language }: Pick<TextReader, 'language'>): MailTexts => catalogues[language];
