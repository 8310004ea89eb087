import { en } from '@cloudfit/contract/messages/en.ts';
import type { FieldAria } from '../../../components/field.tsx';
import { Select, type SelectChoice } from '../../../components/fields/select.tsx';

interface ChoiceSelectProps {
  choices: readonly SelectChoice<string | number>[];
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
export function ChoiceSelect({ value, valueLabel, none, onChange, aria, ...rest }: ChoiceSelectProps) {
  const current = typeof value === 'string' || typeof value === 'number' ? value : '';
  const shared = { ...rest, ...aria, value: current, unlisted: valueLabel ?? String(current) };
  const first = none ?? (current === '' ? en.common.none : undefined);
  return first === undefined ? (
    <Select {...shared} onChange={onChange} />
  ) : (
    <Select {...shared} none={first} onChange={(chosen) => onChange(chosen === '' ? null : chosen)} />
  );
}
