import { sources } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { ChoiceSelect } from './choice-select.tsx';

/** Only the intake sets Spam: it is shown when it is set, but cannot be chosen (WU-131). */
export function SourceInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  const choices = sources
    .filter((source) => source !== 'Spam' || value === 'Spam')
    .map((source) => ({ value: source, label: choiceText(source), disabled: source === 'Spam' }));
  return <ChoiceSelect {...{ choices, value, onChange, onBlur, disabled, aria }} none={en.common.none} />;
}
