/** A one-line text field in the form of a secret; the browser neither fills it in nor checks its spelling. */
import { Field } from '../../components/field.tsx';

interface SecretFieldProps {
  label: string;
  required?: boolean;
  help?: string;
  error: string | undefined;
  maxLength: number;
  value: string;
  onChange: (value: string) => void;
}

export function SecretField({ label, required, help, error, maxLength, value, onChange }: SecretFieldProps) {
  return (
    <Field label={label} required={required} help={help} error={error}>
      {(aria) => (
        <input
          className="input"
          autoComplete="off"
          spellCheck={false}
          {...aria}
          maxLength={maxLength}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
