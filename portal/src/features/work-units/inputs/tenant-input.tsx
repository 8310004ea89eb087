import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { LookupInput } from '../../../forms/lookup-input.tsx';
import type { InputProps } from '../../../forms/form-types.ts';
import { leaveCategory } from './use-categories.ts';

/** Changing the tenant clears group and category, which belong to it. */
export function TenantInput(props: InputProps<typeof workUnits>) {
  const { value, values, onChange, setValue } = props;
  return (
    <LookupInput
      {...props}
      onChange={(next) => {
        onChange(next);
        if (next === value) return;
        leaveCategory(values, setValue);
        if (values.assignmentGroup) setValue('assignmentGroup', null);
      }}
    />
  );
}
