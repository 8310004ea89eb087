import { useState } from 'react';
import type { InputProps } from '../../forms/form-types.ts';

/** Dates, one on each line. */
export function HolidaysInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  const [text, setText] = useState(() => ((value ?? []) as string[]).join('\n'));
  return (
    <textarea
      className="input area num"
      rows={3}
      {...aria}
      value={text}
      readOnly={disabled}
      onBlur={onBlur}
      onChange={(event) => {
        setText(event.target.value);
        onChange(event.target.value.split(/[\s,;]+/).filter((line) => line !== ''));
      }}
    />
  );
}
