import type { WorkUnitState } from '@cloudfit/contract/enums.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { ChoiceSelect } from './choice-select.tsx';
import { nextStates } from '../work-unit.rules.ts';

/** Offers the states that may follow the saved one. */
export function StateInput({ value, onChange, onBlur, disabled, aria, row }: InputProps) {
  const states = nextStates(row?.['stateId'] as WorkUnitState | undefined);
  const choices = states.map((state) => ({ value: state, label: state }));
  return <ChoiceSelect {...{ choices, value, onChange, onBlur, aria }} disabled={disabled || states.length === 1} />;
}
