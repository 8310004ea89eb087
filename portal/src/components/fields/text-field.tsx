import type { ComponentProps } from 'react';
import { Field, type FieldProps } from '../field.tsx';

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
    value: string | number;
    onChange: (text: string) => void;
  };

/** A labelled input for one line of text. */
export function TextField({ label, required, help, error, wide, labelHidden, aside, className, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} required={required} help={help} error={error} wide={wide} labelHidden={labelHidden} aside={aside}>
      {(aria) => (
        <input
          className={className === undefined ? 'input' : `input ${className}`}
          {...rest}
          {...aria}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
