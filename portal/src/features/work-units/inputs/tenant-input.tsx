import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { LookupInput } from '../../../forms/lookup-input.tsx';
import type { InputProps } from '../../../forms/form-types.ts';
import { leaveCategory } from './use-categories.ts';

/** Chooses the tenant. A change clears the group and the category, because both belong to a tenant. */
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
