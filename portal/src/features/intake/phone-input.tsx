import type { InputProps } from '../../forms/form-types.ts';

/** A field for a phone number, for which a phone shows its number pad. */
export function PhoneInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  return (
    <input
      className="input num"
      type="tel"
      autoComplete="off"
      {...aria}
      value={String(value ?? '')}
      maxLength={field.max}
      readOnly={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
