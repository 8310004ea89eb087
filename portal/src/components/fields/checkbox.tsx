import type { ComponentProps, ReactNode } from 'react';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'onChange'> & {
  label: ReactNode;
  onChange: (checked: boolean) => void;
};

/** A box to tick, with its label behind it. */
export function Checkbox({ label, onChange, ...rest }: CheckboxProps) {
  return (
    <label className="check">
      <input type="checkbox" {...rest} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
