import { sources } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { InputProps } from '../../resource/form-types.ts';

/** Spam comes from the intake alone; it shows when set, and cannot be chosen (WU-131). */
export function SourceInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  const offered = sources.filter((source) => source !== 'Spam' || value === 'Spam');
  return (
    <select
      className="input"
      {...aria}
      value={typeof value === 'string' ? value : ''}
      disabled={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{en.common.none}</option>
      {offered.map((source) => (
        <option key={source} value={source} disabled={source === 'Spam'}>
          {source}
        </option>
      ))}
    </select>
  );
}
