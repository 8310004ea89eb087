import { useState } from 'react';
import type { InputProps } from '../../forms/form-types.ts';

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

/** The networks from which a token is accepted, as a text separated by commas; the server checks each. */
export function NetworksInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      className="input"
      {...aria}
      disabled={disabled}
      placeholder="192.0.2.0/24, 2001:db8::/32"
      value={typed ?? textOf(value)}
      onChange={(event) => {
        setTyped(event.target.value);
        const networks = event.target.value.split(/[\s,]+/).filter(Boolean);
        onChange(networks);
      }}
      onBlur={() => {
        setTyped(undefined);
        onBlur();
      }}
    />
  );
}
