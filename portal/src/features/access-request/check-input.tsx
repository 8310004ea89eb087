import type { InputProps } from '../../forms/form-types.ts';

export function CheckInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  return (
    <input
      type="checkbox"
      {...aria}
      checked={value === true}
      disabled={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
