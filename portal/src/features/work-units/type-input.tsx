import { useWorkUnitTypes } from '../../api/lookups.ts';
import type { InputProps } from '../../resource/form-types.ts';

/** The few types as a plain list. */
export function TypeInput({ value, onChange, onBlur, disabled, aria, knownName }: InputProps) {
  const { data: types } = useWorkUnitTypes();
  const isKnown = types?.some((type) => type.workUnitTypeId === value);
  return (
    <select
      className="input"
      {...aria}
      value={String(value ?? '')}
      disabled={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value === '' ? '' : Number(event.target.value))}
    >
      {!isKnown && <option value={String(value ?? '')}>{knownName ?? ''}</option>}
      {types?.map((type) => (
        <option key={type.workUnitTypeId} value={type.workUnitTypeId}>
          {type.name}
        </option>
      ))}
    </select>
  );
}
