import type { InputProps } from '../../forms/form-types.ts';

/** Autocomplete tokens for the browser, by field. */
const purposes: Readonly<Record<string, string>> = {
  stakeholderFirstName: 'given-name',
  stakeholderMiddleInitial: 'additional-name',
  stakeholderLastName: 'family-name',
  stakeholderEmail: 'email',
  stakeholderPhoneNumber: 'tel',
  stakeholderCompanyName: 'organization',
  targetAccountName: 'username',
};
const types: Readonly<Record<string, string>> = { stakeholderEmail: 'email', stakeholderPhoneNumber: 'tel', targetAccountName: 'email' };

/** A text field about the person who makes the request. */
export function PersonalInput({ field, name, value, onChange, onBlur, disabled, aria }: InputProps) {
  return (
    <input
      className="input"
      type={types[name] ?? 'text'}
      autoComplete={purposes[name]}
      {...aria}
      value={String(value ?? '')}
      maxLength={field.max}
      readOnly={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    />
  );
}
