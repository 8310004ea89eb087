import { useId, type KeyboardEventHandler, type ReactNode } from 'react';
import './field.css';

/** Attributes that connect a control with its label, help and error for screen readers. */
export interface FieldAria {
  id: string;
  'aria-invalid'?: boolean;
  'aria-describedby'?: string;
  'aria-required'?: boolean;
}

export interface FieldProps {
  label: string;
  required?: boolean | undefined;
  help?: string | undefined;
  error?: string | undefined;
  wide?: boolean | undefined;
  /** Whether its value differs from the saved one, in a form whose fields read as text. */
  changed?: boolean | undefined;
  onKeyDown?: KeyboardEventHandler | undefined;
  /** Hides the label visually, for a field whose surroundings already say what it is. */
  labelHidden?: boolean | undefined;
  /** Content at the end of the label's line, such as a counter or an action. */
  aside?: ReactNode;
  children: (aria: FieldAria) => ReactNode;
}

/** A label, its control, then the help or the error. */
export function Field({ label, required, help, error, wide, changed, onKeyDown, labelHidden, aside, children }: FieldProps) {
  const id = useId();
  const note = error ?? help;
  const aria: FieldAria = {
    id,
    ...(error ? { 'aria-invalid': true } : {}),
    ...(note ? { 'aria-describedby': `${id}-note` } : {}),
    ...(required ? { 'aria-required': true } : {}),
  };
  return (
    <div role="presentation" className={`field${wide ? ' wide' : ''}${changed ? ' changed' : ''}`} onKeyDown={onKeyDown}>
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

let isPressed = false;
for (const [event, pressed] of [
  ['pointerdown', true],
  ['pointerup', false],
  ['pointercancel', false],
] as const)
  document.addEventListener(event, () => (isPressed = pressed), { capture: true });

/**
 * Runs at once, or after the current press of the pointer: an error that appears during the press would move the button away,
 * and the click would be lost.
 */
export function afterPress(run: () => void): void {
  if (!isPressed) return run();
  const done = new AbortController();
  const later = () => {
    done.abort();
    setTimeout(run);
  };
  for (const event of ['pointerup', 'pointercancel'] as const)
    document.addEventListener(event, later, { capture: true, signal: done.signal });
}
