/** The texts of the sign-in pages in the language of their reader. */
import { signInTexts as german } from '@cloudfit/contract/messages/sign-in.de.ts';
import { signInTexts as english } from '@cloudfit/contract/messages/sign-in.en.ts';
import type { Texts } from '@cloudfit/contract/messages/texts.ts';
import type { Language } from '../../platform/language.ts';

export type SignInTexts = Texts<typeof english>;

const catalogues: Readonly<Record<Language, SignInTexts>> = { en: english, de: german };

export const signInTextsIn = (language: Language): SignInTexts => catalogues[language];
