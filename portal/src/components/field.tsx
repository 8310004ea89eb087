import { useId, type ReactNode } from 'react';
import './field.css';

/** What a control must carry so that label, help and error are read with it. */
export interface FieldAria {
  id: string;
  'aria-invalid'?: boolean;
  'aria-describedby'?: string;
  'aria-required'?: boolean;
}

interface FieldProps {
  label: string;
  required?: boolean | undefined;
  help?: string | undefined;
  error?: string | undefined;
  wide?: boolean | undefined;
  /** The label is read aloud only: what stands around the control says it to the eye. */
  labelHidden?: boolean | undefined;
  /** Beside the label, at its end: a counter, an action. */
  aside?: ReactNode;
  children: (aria: FieldAria) => ReactNode;
}

/** Label above, control, then help or what is wrong. */
export function Field({ label, required, help, error, wide, labelHidden, aside, children }: FieldProps) {
  const id = useId();
  const note = error ?? help;
  const aria: FieldAria = {
    id,
    ...(error ? { 'aria-invalid': true } : {}),
    ...(note ? { 'aria-describedby': `${id}-note` } : {}),
    ...(required ? { 'aria-required': true } : {}),
  };
  return (
    <div className={wide ? 'field wide' : 'field'}>
      <div className={labelHidden ? 'field-head visually-hidden' : 'field-head'}>
        <label htmlFor={id}>
          {label}
          {required && (
            <span className="must" aria-hidden>
              *
            </span>
          )}
        </label>
        {aside}
      </div>
      {children(aria)}
      {note && (
        <div id={`${id}-note`} className={error ? 'error' : 'help'}>
          {note}
        </div>
      )}
    </div>
  );
}
