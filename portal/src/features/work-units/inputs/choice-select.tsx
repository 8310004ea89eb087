import { en } from '@cloudfit/contract/messages/en.ts';
import type { FieldAria } from '../../../components/field.tsx';

interface Choice {
  value: string | number;
  label: string;
  disabled?: boolean;
}

interface ChoiceSelectProps {
  choices: readonly Choice[];
  value: unknown;
  /** How the present value is called when it is none of the choices. */
  valueLabel?: string | undefined;
  /** Text of the empty choice; without one a value must be chosen. */
  none?: string | undefined;
  onChange: (value: string | number | null) => void;
  onBlur: () => void;
  disabled: boolean;
  aria: FieldAria;
}

/** A short list to choose from. A value that is not offered any more stays shown until another is chosen. */
export function ChoiceSelect({ choices, value, valueLabel, none, onChange, onBlur, disabled, aria }: ChoiceSelectProps) {
  const current = typeof value === 'string' || typeof value === 'number' ? value : '';
  const isOffered = choices.some((choice) => choice.value === current);
  const offered = current === '' || isOffered ? choices : [{ value: current, label: valueLabel ?? String(current) }, ...choices];
  return (
    <select
      className="input"
      {...aria}
      value={String(current)}
      disabled={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(offered.find((choice) => String(choice.value) === event.target.value)?.value ?? null)}
    >
      {(none !== undefined || current === '') && <option value="">{none ?? en.common.none}</option>}
      {offered.map((choice) => (
        <option key={choice.value} value={choice.value} disabled={choice.disabled}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
