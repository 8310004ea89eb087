/** Labels of fields and of choices, such as the state of a work unit, in the language of their reader. */
import { choiceText as german } from '@cloudfit/contract/messages/choices.de.ts';
import { labels } from '@cloudfit/contract/messages/labels.de.ts';
import type { TextReader } from './language.ts';

export const choiceTextFor = ({ language }: Pick<TextReader, 'language'>, label: string): string =>
  language === 'de' ? german(label) : label;

export const labelTextFor = ({ language }: Pick<TextReader, 'language'>, label: string): string =>
  language === 'de' ? ((labels as Readonly<Record<string, string>>)[label] ?? label) : label;
