import { en } from '@cloudfit/contract/messages/en.ts';
import type { FieldAria } from '../../../components/field.tsx';

interface SelectChoice {
  value: string | number;
  label: string;
  disabled?: boolean;
}

interface ChoiceSelectProps {
  choices: readonly SelectChoice[];
  value: unknown;
  /** The label of the present value if it is not among the choices. */
  valueLabel?: string | undefined;
  /** Text of the empty choice. Without this text, the empty choice is shown only until a value is chosen. */
  none?: string | undefined;
  onChange: (value: string | number | null) => void;
  onBlur: () => void;
  disabled: boolean;
  aria: FieldAria;
}

/** A select with few choices. A value that is no longer a choice stays visible until the person chooses another value. */
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
