import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { ChoiceSelect } from './choice-select.tsx';
import { nextStates } from '../work-unit.rules.ts';

/** Offers the saved state and the states that may follow it. */
export function StateInput({ value, onChange, onBlur, disabled, aria, row }: InputProps<typeof workUnits>) {
  const states = nextStates(row?.stateId);
  const choices = states.map((state) => ({ value: state, label: choiceText(state) }));
  return <ChoiceSelect {...{ choices, value, onChange, onBlur, aria }} disabled={disabled || states.length === 1} />;
}
