/** All categories and subcategories that the person may see; the inputs choose those that fit the unit. */
import { useQuery } from '@tanstack/react-query';
import type { AnyCall, CallInput } from '@cloudfit/contract/call.ts';
import { categoryLookup, subcategoryLookup } from '@cloudfit/contract/calls.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callQuery } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import type { FormValues } from '../../../rows/row.ts';

const minute = 60_000;

function useLookup<C extends AnyCall>(to: C, refreshedBy: string, enabled: boolean) {
  const { queryKey, queryFn } = callQuery(to, {} as CallInput<C>, { refreshedBy });
  // Choices load after the panel's content.
  return useQuery({ queryKey, queryFn: (context) => whenIdle().then(() => queryFn(context)), staleTime: minute, enabled });
}

export const useCategories = () => useLookup(categoryLookup, 'workUnitCategories', useMay()('WorkUnits.Categories', 'view'));

export const useSubcategories = () => useLookup(subcategoryLookup, 'workUnitSubcategories', useMay()('WorkUnits.Subcategories', 'view'));

/** Clears category and subcategory after a change of the unit's type or tenant. */
export function leaveCategory(values: FormValues<typeof workUnits>, setValue: InputProps<typeof workUnits>['setValue']) {
  for (const name of ['workUnitCategoryId', 'workUnitSubcategoryId'] as const) if (values[name]) setValue(name, null);
}
