import { useWorkUnitTypes } from '../../api/lookups.ts';
import { Select } from '../../components/fields/select.tsx';
import type { InputProps } from '../../forms/form-types.ts';

/** The work unit types under their display names. */
export function TypeSelect({ value, onChange, onBlur, disabled, aria, knownName }: InputProps) {
  const { data: types = [] } = useWorkUnitTypes();
  return (
    <Select
      {...aria}
      value={typeof value === 'number' ? value : ''}
      disabled={disabled}
      unlisted={knownName ?? ''}
      choices={types.map((type) => ({ value: type.workUnitTypeId, label: type.name }))}
      onBlur={onBlur}
      onChange={onChange}
    />
  );
}
