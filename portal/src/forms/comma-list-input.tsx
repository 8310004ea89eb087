import { useState } from 'react';
import type { InputProps } from './form-types.ts';

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

/** Makes the input of a list of short texts, separated by commas; the server checks each. */
export const commaListInput = (placeholder: string) =>
  function CommaListInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
    const [typed, setTyped] = useState<string>();
    return (
      <input
        className="input"
        {...aria}
        disabled={disabled}
        placeholder={placeholder}
        value={typed ?? textOf(value)}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(event.target.value.split(/[\s,]+/).filter(Boolean));
        }}
        onBlur={() => {
          setTyped(undefined);
          onBlur();
        }}
      />
    );
  };
