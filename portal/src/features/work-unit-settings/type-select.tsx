import { useWorkUnitTypes } from '../../api/lookups.ts';
import type { InputProps } from '../../forms/form-types.ts';

/** The work unit types under their display names. */
export function TypeSelect({ value, onChange, onBlur, disabled, aria, knownName }: InputProps) {
  const { data: types = [] } = useWorkUnitTypes();
  const isOffered = types.some((type) => type.workUnitTypeId === value);
  return (
    <select
      className="input"
      {...aria}
      value={String(value ?? '')}
      disabled={disabled}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value === '' ? '' : Number(event.target.value))}
    >
      {!isOffered && <option value={String(value ?? '')}>{knownName ?? ''}</option>}
      {types.map((type) => (
        <option key={type.workUnitTypeId} value={type.workUnitTypeId}>
          {type.name}
        </option>
      ))}
    </select>
  );
}
