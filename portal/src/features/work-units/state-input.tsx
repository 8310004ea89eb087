import type { WorkUnitState } from '@cloudfit/contract/enums.ts';

import { nextStates } from './work-unit.rules.ts';
import type { InputProps } from '../../resource/form-types.ts';

/** Offers the states that the saved one may move to. */
export function StateInput({ value, onChange, onBlur, disabled, aria, row }: InputProps) {
  const states = nextStates(row?.['stateId'] as WorkUnitState | undefined);
  return (
    <select
      className="input"
      {...aria}
      value={String(value)}
      disabled={disabled || states.length === 1}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value)}
    >
      {states.map((state) => (
        <option key={state} value={state}>
          {state}
        </option>
      ))}
    </select>
  );
}
