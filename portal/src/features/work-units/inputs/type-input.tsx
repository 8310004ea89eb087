import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useWorkUnitTypes } from '../../../api/lookups.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { ChoiceSelect } from './choice-select.tsx';
import { leaveCategory } from './use-categories.ts';

/** The types as a select. Changing the type clears the category, which belongs to a type. */
export function TypeInput({ value, onChange, onBlur, disabled, aria, knownName, values, setValue }: InputProps<typeof workUnits>) {
  const { data: types = [] } = useWorkUnitTypes();
  const choices = types.map((type) => ({ value: type.workUnitTypeId, label: type.name }));
  return (
    <ChoiceSelect
      {...{ choices, value, onBlur, disabled, aria }}
      valueLabel={knownName}
      onChange={(next) => {
        onChange(next ?? '');
        leaveCategory(values, setValue);
      }}
    />
  );
}
