/** The words in which rules are described and explained, in the language of their reader. */
import { germanOf } from '@cloudfit/contract/messages/api-messages.de.ts';
import { explanationTexts as german } from '@cloudfit/contract/messages/explanations.de.ts';
import { explanationTexts as english } from '@cloudfit/contract/messages/explanations.en.ts';
import { ruleWordTexts as germanWords } from '@cloudfit/contract/messages/rule-words.de.ts';
import { builtWords, type ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import { choiceTextFor, labelTextFor } from './choice-text.ts';
import type { Language } from './language.ts';

/** The words of records, which several people read. */
export const englishWords: ExplanationWords = { ...builtWords, why: english, message: (text) => text };

/** The name of an operand: those of work units are one phrase with a label in it. */
function operandName(declared: string): string {
  const german = (label: string) => labelTextFor({ language: 'de' }, label);
  const name = german(declared);
  const [, label] = name === declared ? (/^Work Unit (.+)$/.exec(declared) ?? []) : [];
  return label === undefined ? name : german('Work Unit {}').replace('{}', () => german(label));
}

const words: Readonly<Record<Language, ExplanationWords>> = {
  en: englishWords,
  de: {
    texts: germanWords,
    why: german,
    message: germanOf,
    label: operandName,
    choice: (declared) => choiceTextFor({ language: 'de' }, declared),
  },
};

export const ruleWordsFor = ({ language = 'en' }: { language?: Language | undefined }): ExplanationWords => words[language];
