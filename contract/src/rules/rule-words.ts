/** The words in which rules are described: the texts of a language, and its labels of operands and choices. */
import type { explanationTexts } from '../messages/explanations.en.ts';
import { ruleWordTexts } from '../messages/rule-words.en.ts';
import type { Texts } from '../messages/texts.ts';

export interface RuleWords {
  texts: Texts<typeof ruleWordTexts>;
  /** The name of an operand, by its declared one. */
  label: (declared: string) => string;
  /** The label of a choice, by its declared one. */
  choice: (declared: string) => string;
}

/** Words that also explain what rules did. */
export interface ExplanationWords extends RuleWords {
  why: Texts<typeof explanationTexts>;
  /** A message of the API, which says why a rule cannot be evaluated. */
  message: (english: string) => string;
}

/** Writes a sentence in the words of its reader. */
export type Sentence = (why: ExplanationWords['why']) => string;

const asDeclared = (text: string): string => text;

/** The words in the language of this build, whose declarations have their labels in that language too. */
export const builtWords: RuleWords = { texts: ruleWordTexts, label: asDeclared, choice: asDeclared };
